"""Sites learned per input and merged per host are the sites of all pages."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.batch.archives import list_addresses, name_address, read_rows, write_warc

import broadsheet
from broadsheet.batch import BatchOptions, by_site, find_sources, process_file
from broadsheet.batch.by_site import StoredSites, learn_steps, list_unlearned, merge_sites, open_site_folder
from broadsheet.batch.folder import OutputFolder
from broadsheet.errors import SiteFileError
from broadsheet.inputs import read_captures
from broadsheet.options import ExtractOptions
from broadsheet.site import Site, Sites

OPTIONS = BatchOptions(extract=ExtractOptions(method="stadynot"), is_by_site=True)


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    write_warc(tmp_path / "0.warc.gz", range(12))
    write_warc(tmp_path / "1.warc.gz", range(8, 20))  # some pages are in both
    folder = OutputFolder(tmp_path / "out")
    folder.create()
    return folder


def learn(tmp_path: Path, output: OutputFolder) -> int:
    sources = find_sources([f"{tmp_path}/*.gz"]).sources
    for source in list_unlearned(sources, output):
        assert list(learn_steps(source, OPTIONS, output))
    assert list_unlearned(sources, output) == []
    return merge_sites(sources, output)


def test_merged_sites_are_those_of_all_pages(
    tmp_path: Path, output: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_site, "_PAGES_IN_MEMORY", 5)
    assert learn(tmp_path, output) == 3
    together = Sites()
    for name in ("0", "1"):
        for capture in read_captures(tmp_path / f"{name}.warc.gz"):
            together.add((capture.url, capture.html or b""))
    stored = pickle.loads(pickle.dumps(StoredSites(str(open_site_folder(output).root))))
    for host, site in together.by_host.items():
        loaded = stored._find(host)
        assert isinstance(loaded, Site)
        assert loaded.sample == site.sample
        assert loaded.titles == site.titles
    assert stored._find("west.example") is None
    assert list(output.drafts.iterdir()) == []


@pytest.mark.parametrize("value", [b"{}", None, 5, "{"])
def test_a_damaged_site_is_named(value: object, tmp_path: Path, output: OutputFolder) -> None:
    learn(tmp_path, output)
    root = open_site_folder(output).root
    for path in root.glob("*.sqlite"):
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE sites SET site = ?", (value,))
    with pytest.raises(SiteFileError, match="damaged"):
        StoredSites(str(root))._find("south.example")


def test_rows_are_those_of_a_site(tmp_path: Path, output: OutputFolder) -> None:
    learn(tmp_path, output)
    sources = find_sources([f"{tmp_path}/*.gz"]).sources
    for source in sources:
        process_file(source, OPTIONS, output.root)
    assert list_addresses(output.root) == sorted(map(name_address, [*range(12), *range(8, 20)]))
    sites = Sites()
    captures = [capture for source in sources for capture in read_captures(source.path)]
    sites.learn([(capture.url, capture.html or b"") for capture in captures])
    expected = {
        capture.url: broadsheet.extract(capture.html or b"", capture.url, "stadynot", site=sites).text
        for capture in captures
    }
    assert {row["url"]: row["text"] for row in read_rows(output.root)} == expected


def test_merging_is_skipped_if_nothing_changed(tmp_path: Path, output: OutputFolder) -> None:
    learn(tmp_path, output)
    before = {path: path.stat().st_mtime_ns for path in open_site_folder(output).root.glob("*.sqlite")}
    assert len(before) == 3
    assert learn(tmp_path, output) == 3
    assert {path: path.stat().st_mtime_ns for path in open_site_folder(output).root.glob("*.sqlite")} == before

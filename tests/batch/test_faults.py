"""Faults of stores and inputs: what passes is waited for, what could not be read is not done, each page once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.batch.archives import ALL, FAST, NUMBERS, list_addresses, name_address, write_warc
from tests.batch.object_store import ObjectStore, serve_objects

from broadsheet.batch import BatchRequest, BatchResult, find_sources, manifest, run_batch
from broadsheet.batch import sources as retry_settings
from broadsheet.batch.estimate import estimate_run
from broadsheet.batch.folder import BatchOutputError
from broadsheet.batch.manifest import move_to_segment, read_entries
from broadsheet.batch.store import _open_store, open_output
from broadsheet.errors import InputError

pytest.importorskip("obstore", reason="obstore is not installed (extra remote)")
pytestmark = [pytest.mark.usefixtures("in_process"), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ObjectStore]:
    """A store, whose faults are waited for with short waits."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(retry_settings, "FIRST_WAIT_SECONDS", 0.05)
    monkeypatch.setattr(retry_settings, "CLIENT_RETRIES", {"max_retries": 0})
    with serve_objects() as (objects, settings):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        _open_store.cache_clear()
        yield objects
        _open_store.cache_clear()


def upload(store: ObjectStore, warcs: Path, folder: str) -> str:
    for path in warcs.iterdir():
        store.objects[f"news/{folder}/{path.name}"] = path.read_bytes()
    return f"s3://news/{folder}/*.gz"


def run(pattern: str, out: str, **changes: Any) -> BatchResult:
    return run_batch(replace(BatchRequest(find_sources([pattern]), out, FAST, workers=2), **changes))


def list_stored(store: ObjectStore, folder: str) -> list[str]:
    """Return the addresses of all rows of the parts below a folder."""
    names = [name for name in store.objects if name.startswith(f"news/{folder}/") and name.endswith(".parquet")]
    tables = [pq.read_table(pa.BufferReader(store.objects[name])) for name in names if "/_" not in name]
    return sorted(url for table in tables for url in table["url"].to_pylist() if url)


@pytest.mark.parametrize("methods", [("PUT",), ("GET",), ("HEAD",), ("POST",), ("GET", "PUT", "HEAD", "POST")])
def test_a_fault_that_passes(store: ObjectStore, warcs: Path, methods: tuple[str, ...]) -> None:
    """Any request may be answered with 503 for a while: the run waits, and every page is in the table once."""
    pattern = upload(store, warcs, "warc")
    store.fail_for(0.3, *methods)
    result = run(pattern, "s3://news/out")
    assert (result.is_complete, result.new) == (True, 3)
    assert list_stored(store, "out") == ALL
    assert run(pattern, "s3://news/out").new == 0


def test_a_body_that_breaks_off(store: ObjectStore, warcs: Path) -> None:
    pattern = upload(store, warcs, "warc")
    sources = find_sources([pattern])
    store.cut = 2
    result = run_batch(BatchRequest(sources, "s3://news/out", FAST))
    assert result.is_complete
    assert list_stored(store, "out") == ALL


def test_an_input_that_could_not_be_read_is_not_done(
    store: ObjectStore, warcs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry_settings, "PATIENCE_SECONDS", 0.1)
    pattern = upload(store, warcs, "warc")
    sources = find_sources([pattern])
    store.fail = lambda method, path: 503 if method != "PUT" and "/warc/1." in path else 0
    result = run_batch(BatchRequest(sources, "s3://news/out", FAST))
    assert [failure.source.name for failure in result.failures] == ["s3://news/warc/1.warc.gz"]
    assert not result.is_complete
    assert len(list_stored(store, "out")) == 16
    store.fail = lambda method, path: 0
    assert run(pattern, "s3://news/out").new == 1
    assert list_stored(store, "out") == ALL


@pytest.mark.parametrize("status", [403, 400])
def test_a_fault_that_does_not_pass_ends_at_once(store: ObjectStore, warcs: Path, status: int) -> None:
    store.fail = lambda method, path: status
    with pytest.raises(BatchOutputError, match="cannot use s3://news/out"):
        run(f"{warcs}/*.gz", "s3://news/out")
    assert len(store.requests) <= 2
    with pytest.raises(InputError, match="cannot list"):
        find_sources(["s3://news/warc/*.gz"])


def test_a_start_lists_and_asks_for_no_input(
    store: ObjectStore, warcs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listings tell sizes and times of all inputs and parts, and a segment has the entries of many parts."""
    monkeypatch.setattr(manifest, "SEGMENT_PARTS", 2)
    monkeypatch.setattr("broadsheet.batch.run.SEGMENT_PARTS", 2)
    many = tmp_path / "many"
    for number in NUMBERS:
        write_warc(many / f"{number}.warc.gz", [number])
    pattern = upload(store, many, "warc")
    assert run(pattern, "s3://news/out").new == len(NUMBERS)
    store.requests.clear()
    assert run(pattern, "s3://news/out").new == 0
    assert len([method for method, path in store.requests if method == "HEAD" or "/warc/" in path]) <= 4
    entries = [
        path for method, path in store.requests if method == "GET" and "_manifest/" in path and "list" not in path
    ]
    assert len(entries) <= len(NUMBERS) / 2 + 1
    assert list_stored(store, "out") == ALL


def test_entries_that_another_run_moves(store: ObjectStore, warcs: Path) -> None:
    """A listed entry that is gone when it is read is in a segment by then."""
    pattern = upload(store, warcs, "warc")
    parts = run(pattern, "s3://news/out").parts
    output = open_output("s3://news/out")
    moved: list[str] = []

    def move(method: str, path: str) -> int:
        if method == "GET" and path.endswith(".json") and not moved:
            moved.append(path)
            segment = "".join(f"{manifest.write_entry(part)}\n" for part in parts)
            store.objects["news/out/_manifest/segment-00.jsonl"] = segment.encode()
            for part in parts:
                del store.objects[f"news/out/{manifest.name_entry(part.key)}"]
        return 0

    store.fail = move
    assert sorted(part.key for part in read_entries(output)) == sorted(part.key for part in parts)
    assert moved


def test_a_plan_of_a_store(store: ObjectStore, warcs: Path) -> None:
    estimate = estimate_run(find_sources([upload(store, warcs, "warc")]).sources, FAST)
    assert 23 <= estimate.pages.value <= 25


def test_segments_of_a_folder(warcs: Path, tmp_path: Path) -> None:
    """Changed, retried and removed inputs whose entries are in a segment."""
    out = tmp_path / "out"
    parts = run(f"{warcs}/*.gz", str(out)).parts
    move_to_segment(open_output(str(out)), parts)
    assert [path.name for path in (out / "_manifest").glob("*.json")] == ["options.json"]
    assert run(f"{warcs}/*.gz", str(out)).new == 0
    write_warc(warcs / "1.warc.gz", [100])
    assert run(f"{warcs}/*.gz", str(out)).new == 1
    (warcs / "0.warc.gz").unlink()
    result = run(f"{warcs}/*.gz", str(out), is_pruning=True)
    assert (result.new, len(result.parts), result.others) == (0, 2, ())
    assert list_addresses(out) == sorted(map(name_address, [100, *NUMBERS[16:]]))
    assert_agreement(out)


def assert_agreement(out: Path) -> None:
    """Report, manifest and table have the same rows; the table has one schema."""
    report = json.loads((out / "_reports" / "report.json").read_text())
    rows = pq.read_table(out).num_rows  # reads the folder as a dataset
    assert report["rows"] == rows
    assert sum(part.rows for part in read_entries(open_output(str(out)))) == rows
    assert len({str(pq.read_schema(path)) for path in out.glob("*.parquet")}) <= 1


def test_removed_inputs_are_named(warcs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(f"{warcs}/*.gz", str(out))
    (warcs / "0.warc.gz").unlink()
    result = run(f"{warcs}/*.gz", str(out))
    assert [part.source for part in result.others] == [f"{warcs}/0.warc.gz"]
    assert json.loads((out / "_reports" / "report.json").read_text())["other_parts"] == [f"{warcs}/0.warc.gz"]
    assert_agreement(out)


def test_renamed_inputs_are_refused(warcs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(f"{warcs}/*.gz", str(out))
    (warcs / "0.warc.gz").rename(warcs / "9.warc.gz")
    with pytest.raises(Exception, match=r"1 input seem to be renamed .*0.warc.gz -> .*9.warc.gz"):
        run(f"{warcs}/*.gz", str(out))
    assert list_addresses(out) == ALL
    assert run(f"{warcs}/*.gz", str(out), is_pruning=True).new == 1
    assert list_addresses(out) == ALL
    assert_agreement(out)


def test_redo_with_other_columns(warcs: Path, tmp_path: Path) -> None:
    """A run that ends early leaves one schema; parts of inputs that are not given would have another one."""
    out = tmp_path / "out"
    run(f"{warcs}/*.gz", str(out))
    changed = replace(FAST, include=("markdown",))
    with pytest.raises(Exception, match="has 2 parts of inputs that were not given"):
        run(f"{warcs}/0.warc.gz", str(out), options=changed, is_redo=True)
    assert run(f"{warcs}/0.warc.gz", str(out), options=changed, is_redo=True, is_pruning=True).new == 1
    assert "markdown" in pq.read_table(out).schema.names
    assert_agreement(out)


def test_a_changed_input_that_cannot_be_read_keeps_its_rows(
    warcs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    run(f"{warcs}/*.gz", str(out))
    write_warc(warcs / "0.warc.gz", [100])
    sources = find_sources([f"{warcs}/*.gz"])
    (warcs / "0.warc.gz").unlink()
    result = run_batch(BatchRequest(sources, str(out), FAST))
    assert [failure.reason for failure in result.failures] == [
        f"cannot read {warcs}/0.warc.gz: no such file or directory"
    ]
    assert list_addresses(out) == ALL
    assert_agreement(out)


def test_an_output_of_version_0_2(warcs: Path, tmp_path: Path) -> None:
    """It has reports and duplicates beside the parts, and entries without counts. It goes on."""
    out = tmp_path / "out"
    for part in run(f"{warcs}/*.gz", str(out)).parts:
        entry = json.loads(manifest.write_entry(part))
        old = {name: entry[name] for name in list(entry)[:15]}
        (out / manifest.name_entry(part.key)).write_text(json.dumps(old, indent=1))
    (out / "_reports" / "report.json").rename(out / "report.json")
    (out / "_reports" / "report.html").rename(out / "report.html")
    pq.write_table(pa.table({"id": ["1"], "cluster": ["1"]}), out / "duplicates.parquet")
    write_warc(warcs / "3.warc.gz", [100])
    assert run(f"{warcs}/*.gz", str(out)).new == 1
    assert sorted(path.name for path in out.iterdir() if path.suffix != ".parquet") == [
        *("_duplicates", "_manifest", "_reports", "_tmp"),
    ]
    report = json.loads((out / "_reports" / "report.json").read_text())
    assert report["hosts"] == {"south.example": 9, "news.east.example": 8, "north.example": 8}
    assert_agreement(out)


def test_a_file_name_that_is_not_unicode(tmp_path: Path) -> None:
    name = b"caf\xe9.warc.gz".decode("utf-8", "surrogateescape")
    write_warc(tmp_path / "warc" / name, [1, 2])
    (tmp_path / "warc" / name).write_bytes((tmp_path / "warc" / name).read_bytes()[:-20])
    out = tmp_path / "out"
    assert run(f"{tmp_path}/warc/*.gz", str(out)).new == 1
    assert run(f"{tmp_path}/warc/*.gz", str(out)).new == 0
    assert_agreement(out)


def test_what_is_left_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "in"
    write_warc(folder / "a.warc.gz", [1])
    for name in ("pages.zip", "more.parquet", "lines.jsonl", "style.css"):
        (folder / name).write_bytes(b"x")
    (folder / "closed").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    original = __import__("os").scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return original(path)

    with monkeypatch.context() as patch:
        patch.setattr("os.scandir", scandir)
        sources = find_sources([str(folder)])
    assert len(sources.sources) == 1
    problems = "\n".join(sources.problems)
    assert f"cannot read {folder}/closed: permission denied" in problems
    assert f"{folder}/link is a link to a folder" in problems
    assert "files that may contain pages were not read (1 .jsonl, 1 .parquet, 1 .zip)" in problems
    assert sources.unread == {".css": 1, ".jsonl": 1, ".parquet": 1, ".zip": 1}
    run_batch(BatchRequest(sources, str(tmp_path / "out"), FAST))
    report = json.loads((tmp_path / "out" / "_reports" / "report.json").read_text())
    assert report["unread"][".css"] == 1
    assert len(report["problems"]) == 3


@pytest.mark.parametrize("moment", [0, 4e9])  # 1970 and 2096
def test_clocks_that_are_wrong(warcs: Path, tmp_path: Path, moment: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are only compared for equality, whatever the clocks of store and machines say."""
    for path in warcs.iterdir():
        os.utime(path, (moment, moment))
    out = tmp_path / "out"
    assert run(f"{warcs}/*.gz", str(out)).new == 3
    monkeypatch.setattr("time.time", lambda: moment)
    assert run(f"{warcs}/*.gz", str(out)).new == 0
    os.utime(warcs / "0.warc.gz", (moment + 1, moment + 1))
    assert run(f"{warcs}/*.gz", str(out)).new == 1
    assert list_addresses(out) == ALL


def test_retry_failed_leaves_what_cannot_pass(tmp_path: Path) -> None:
    """An empty page, and one that is not HTML, fail in every run."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_bytes(b"")
    (folder / "b.html").write_bytes(b"%PDF-1.4 no page")
    out = str(tmp_path / "out")
    assert run(str(folder), out, options=replace(FAST, extract=replace(FAST.extract, method="twcem"))).new == 1
    options = replace(FAST, extract=replace(FAST.extract, method="twcem"))
    assert run(str(folder), out, options=options, is_retrying=True).new == 0

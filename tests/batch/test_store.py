"""Outputs in object stores, and inputs from them.

A store of files runs everywhere. The tests with S3 need moto (pip install 'moto[server]').
"""

from __future__ import annotations

import json
import os
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.batch.archives import ALL, FAST, NUMBERS, OnPage, list_addresses, name_address, write_warc

from broadsheet.batch import BatchOptions, BatchRequest, BatchResult, find_sources, run_batch
from broadsheet.batch.duplicates import find_duplicates
from broadsheet.batch.folder import BatchOutputError
from broadsheet.batch.manifest import read_entries
from broadsheet.batch.store import OutputStore, open_output
from broadsheet.cli.app import run as run_command
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions

obstore = pytest.importorskip("obstore", reason="obstore is not installed (extra remote)")
pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, instead of that of the system."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def run(pattern: str, out: str, options: BatchOptions = FAST, **changes: Any) -> BatchResult:
    return run_batch(replace(BatchRequest(find_sources([pattern]), out, options, workers=2), **changes))


def list_drafts(folder: Path) -> list[Path]:
    return [path for path in folder.glob("broadsheet-drafts-*/*") if path.is_file()]


def test_what_is_done_is_skipped(warcs: Path, tmp_path: Path, drafts: Path) -> None:
    out = tmp_path / "out"
    address = out.as_uri()
    assert run(f"{warcs}/*.gz", address).new == 3
    assert list_addresses(out) == ALL
    assert run(f"{warcs}/*.gz", address).new == 0
    write_warc(warcs / "1.warc.gz", [100])  # a changed input
    assert run(f"{warcs}/*.gz", address).new == 1
    assert list_addresses(out) == sorted(map(name_address, [*NUMBERS[:8], *NUMBERS[16:], 100]))
    report = json.loads((out / "_reports" / "report.json").read_text())
    assert (report["rows"], report["inputs"], report["hosts"]["north.example"]) == (17, 3, 5)
    assert "Pages by status" in (out / "_reports" / "report.html").read_text()
    assert list_drafts(drafts) == []
    assert find_duplicates(address, tmp_path / "same.parquet").texts == 17


def test_the_parts_are_those_of_a_folder(warcs: Path, tmp_path: Path, drafts: Path) -> None:
    run(f"{warcs}/*.gz", (tmp_path / "store").as_uri())
    run(f"{warcs}/*.gz", str(tmp_path / "folder"))
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).glob("*.parquet")} for name in ("store", "folder")
    )
    assert one == two


def test_changed_options_are_refused(warcs: Path, tmp_path: Path, drafts: Path) -> None:
    address = (tmp_path / "out").as_uri()
    run(f"{warcs}/*.gz", address)
    changed = replace(FAST, include=("markdown",))
    with pytest.raises(UsageError, match="was made with other options"):
        run(f"{warcs}/*.gz", address, changed)
    assert run(f"{warcs}/*.gz", address, changed, is_redo=True).new == 3
    assert list_addresses(tmp_path / "out") == ALL


@pytest.mark.parametrize("harm", ["part", "entry", "short part", "broken entry"])
def test_what_does_not_agree_is_done_again(warcs: Path, tmp_path: Path, drafts: Path, harm: str) -> None:
    out = tmp_path / "out"
    run(f"{warcs}/*.gz", out.as_uri())
    part = next(out.glob("*.parquet"))
    entry = next(path for path in (out / "_manifest").iterdir() if path.name != "options.json")
    if harm in ("part", "entry"):
        (part if harm == "part" else entry).unlink()
    else:
        (part if harm == "short part" else entry).write_bytes(b"{")
    assert run(f"{warcs}/*.gz", out.as_uri()).new == 1
    assert list_addresses(out) == ALL


def test_drafts_of_ended_processes_are_removed(tmp_path: Path, drafts: Path) -> None:
    store = OutputStore((tmp_path / "out").as_uri())
    store.create()
    mine, other, ended = (store.drafts / f"a.parquet.{number}-00ff" for number in (os.getpid(), 1, 2**22 + 1))
    for path in (mine, other, ended):
        path.write_bytes(b"PAR1")
    assert store.sweep() == 1
    assert sorted(store.drafts.iterdir()) == sorted((mine, other))


def test_two_workers_with_the_same_input(
    warcs: Path, tmp_path: Path, drafts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry is created once; a worker that finds that of another one agrees with it or says so."""
    (part,) = run(f"{warcs}/0.warc.gz", (tmp_path / "out").as_uri()).parts
    store = OutputStore((tmp_path / "out").as_uri())
    draft = store.name_draft(part.file)
    draft.write_bytes((tmp_path / "out" / part.file).read_bytes())
    # The entry of the other worker is created after this one has removed the old entry.
    monkeypatch.setattr("broadsheet.batch.store._delete", lambda *_, **__: None)
    list(store.publish(draft, part))
    assert [entry.key for entry in read_entries(store)] == [part.key]
    with pytest.raises(BatchOutputError, match="another run with other options or inputs writes to"):
        list(store.publish(draft, replace(part, options="other")))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["batch", "PAGE", "-o", "s4://bucket/out"], 2, "cannot open the output s4://bucket/out"),
        (["batch", "PAGE", "-o", "memory:///out", "--by-site"], 2, "--by-site keeps its sites in the output"),
        (["duplicates", "memory:///out"], 2, "name a file for the duplicates: -o FILE"),
    ],
)
def test_wrong_usage(
    arguments: list[str], code: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>The ferry sails again.</p>")
    assert run_command([str(page) if word == "PAGE" else word for word in arguments]) == code
    assert message in capsys.readouterr().err


# S3.


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An empty bucket of a local server."""
    server_class = pytest.importorskip("moto.server", reason="moto is not installed").ThreadedMotoServer
    server = server_class(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    address = f"http://127.0.0.1:{port}"
    settings = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        urllib.request.urlopen(urllib.request.Request(f"{address}/news", method="PUT"), timeout=300).close()
        yield "s3://news"
    server.stop()


def upload(bucket: str, warcs: Path, folder: str) -> str:
    store = obstore.store.from_url(f"{bucket}/{folder}")
    for path in warcs.iterdir():
        obstore.put(store, path.name, path)
    return f"{bucket}/{folder}/*.gz"


def list_stored(address: str) -> list[str]:
    """Return the addresses of the rows of all parts, sorted."""
    store = obstore.store.from_url(address)
    names = [item["path"] for items in obstore.list(store) for item in items if item["path"].endswith(".parquet")]
    tables = [pq.read_table(pa.BufferReader(bytes(obstore.get(store, name).bytes()))) for name in names]
    return sorted(url for table in tables for url in table["url"].to_pylist() if url)


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore")  # of moto
def test_from_s3_to_s3(bucket: str, warcs: Path, drafts: Path) -> None:
    pattern, out = upload(bucket, warcs, "a/warc"), f"{bucket}/a/out"
    assert run(pattern, out).new == 3
    assert list_stored(out) == ALL
    assert run(pattern, out).new == 0
    names = sorted(part.source for part in read_entries(open_output(out)))
    assert names == [f"{bucket}/a/warc/{number}.warc.gz" for number in range(3)]
    write_warc(warcs / "1.warc.gz", [100, 101])
    upload(bucket, warcs, "a/warc")
    changed = run(pattern, out)
    assert changed.new in (1, 3)  # the time of an object may be a part of its stamp
    assert list_stored(out) == sorted(map(name_address, [*NUMBERS[:8], *NUMBERS[16:], 100, 101]))
    assert list_drafts(drafts) == []


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_with_s3(bucket: str, warcs: Path, tmp_path: Path, drafts: Path) -> None:
    options = replace(FAST, extract=ExtractOptions(method=OnPage("kill", "/11", tmp_path / "mark")))
    result = run(f"{warcs}/*.gz", f"{bucket}/b/out", options)
    assert result.is_complete
    assert list_stored(f"{bucket}/b/out") == ALL
    run(f"{warcs}/*.gz", f"{bucket}/b/out", options)  # sweeps the draft
    assert list_drafts(drafts) == []


@pytest.mark.processes
@pytest.mark.filterwarnings("ignore")
def test_two_runs_at_the_same_time(bucket: str, warcs: Path, drafts: Path) -> None:
    results: list[BatchResult] = []
    threads = [
        threading.Thread(target=lambda: results.append(run(f"{warcs}/*.gz", f"{bucket}/c/out"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(result.parts) for result in results] == [3, 3]
    assert list_stored(f"{bucket}/c/out") == ALL
    assert len(list(read_entries(open_output(f"{bucket}/c/out")))) == 3


@pytest.mark.filterwarnings("ignore")
def test_a_bucket_that_does_not_exist(bucket: str, warcs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["batch", f"{warcs}/*.gz", "-o", "s3://none/out"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot use s3://none/out: " in line
    assert run_command(["batch", f"{bucket}/none/*.gz", "-o", f"{bucket}/out"]) == 2
    assert "no input matches" in capsys.readouterr().err

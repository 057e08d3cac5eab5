"""Runs: what is done is not done again, and what is not done is done once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.batch.archives import ALL, FAST, NUMBERS, OnPage, list_addresses, name_address, read_rows, write_warc
from tests.workers.running import wait_for_end

from broadsheet.batch import BatchOptions, BatchRequest, BatchResult, Filters, find_sources, run_batch
from broadsheet.batch.folder import BatchOutputError, OutputFolder
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions
from broadsheet.page import Limits

pytestmark = pytest.mark.usefixtures("in_process")


def run(folder: Path, out: Path, options: BatchOptions = FAST, **changes: Any) -> BatchResult:
    request = BatchRequest(find_sources([f"{folder}/*.gz"]), str(out), options, workers=2)
    return run_batch(replace(request, **changes))


def test_a_second_run_skips_what_is_done(warcs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(warcs, out).new == 3
    assert list_addresses(out) == ALL
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert run(warcs, out).new == 0
    assert {path: path.stat().st_mtime_ns for path in out.glob("*.parquet")} == before
    write_warc(warcs / "new.warc.gz", [100])
    assert run(warcs, out).new == 1
    assert list_addresses(out) == sorted([*ALL, name_address(100)])
    report = json.loads((out / "_reports" / "report.json").read_text())
    assert (report["rows"], report["statuses"], report["inputs"]) == (25, {"ok": 25}, 4)
    assert report["hosts"]["north.example"] == 8
    assert "Pages by status" in (out / "_reports" / "report.html").read_text()


def damage_part(out: Path) -> None:
    path = next(out.glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-10])


def remove_part(out: Path) -> None:
    next(out.glob("*.parquet")).unlink()


def remove_entry(out: Path) -> None:
    next(path for path in (out / "_manifest").glob("*.json") if path.name != "options.json").unlink()


def damage_entry(out: Path) -> None:
    next(path for path in (out / "_manifest").glob("*.json") if path.name != "options.json").write_text("{")


def leave_draft(out: Path) -> None:
    (out / "_tmp" / "x.parquet.1").write_bytes(b"PAR1")
    remove_entry(out)


@pytest.mark.parametrize("harm", [damage_part, remove_part, remove_entry, damage_entry, leave_draft])
def test_what_does_not_agree_is_done_again(warcs: Path, tmp_path: Path, harm: Any) -> None:
    out = tmp_path / "out"
    run(warcs, out)
    harm(out)
    result = run(warcs, out)
    assert result.new == 1
    assert list_addresses(out) == ALL
    assert list((out / "_tmp").iterdir()) == []
    assert result.swept == (harm is leave_draft)


def test_a_changed_input_is_done_again(warcs: Path, tmp_path: Path) -> None:
    run(warcs, tmp_path / "out")
    write_warc(warcs / "1.warc.gz", [200, 201])
    assert run(warcs, tmp_path / "out").new == 1
    kept = [*NUMBERS[:8], *NUMBERS[16:], 200, 201]
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, kept))


def test_changed_options_are_refused(warcs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(warcs, out)
    changed = replace(FAST, filters=Filters(hosts=("north.example",)))
    with pytest.raises(UsageError, match=r"made with other options \(filters.hosts: \[\] -> .*; add --redo"):
        run(warcs, out, changed)
    with pytest.raises(UsageError, match=r"made with other options \(columns: \+markdown\)"):
        run(warcs, out, replace(FAST, include=("markdown",)))
    assert list_addresses(out) == ALL
    assert run(warcs, out, changed, is_redo=True).new == 3
    assert list_addresses(out) == [url for url in ALL if "north" in url]
    assert run(warcs, out, replace(changed, stall_seconds=5)).new == 0


def test_retry_failed(warcs: Path, tmp_path: Path) -> None:
    out, mark = tmp_path / "out", tmp_path / "mark"
    options = replace(FAST, extract=ExtractOptions(method=OnPage("raise", "/3", mark)))
    run(warcs, out, options)
    assert sum(row["status"] == "failed" for row in read_rows(out)) == 1
    assert run(warcs, out, options).new == 0
    assert run(warcs, out, options, is_retrying=True).new == 1
    assert {row["status"] for row in read_rows(out)} == {"ok"}
    assert list_addresses(out) == ALL


def truncate(content: bytes) -> bytes:
    return content[:-100]


def garble(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(50) + content[middle + 50 :]


def empty(content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(("harm", "lost"), [(truncate, 1), (garble, 1), (empty, 8)])
def test_a_damaged_input_that_is_repaired(warcs: Path, tmp_path: Path, harm: Any, lost: int) -> None:
    """Readable pages are there once: after the run, after a second one, after a retry, and after the repair."""
    out, damaged = tmp_path / "out", warcs / "1.warc.gz"
    whole = damaged.read_bytes()
    damaged.write_bytes(harm(whole))
    for is_retrying, new in ((False, 3), (False, 0), (True, 0)):  # damage does not pass
        result = run(warcs, out, is_retrying=is_retrying)
        assert not result.is_complete
        assert result.new == new
        complete = [str(row["url"]) for row in read_rows(out) if row["status"] == "ok" and not row["status_reason"]]
        assert len(complete) == len(set(complete)) == len(ALL) - lost
        assert set(complete) <= set(ALL)
    damaged.write_bytes(whole)
    result = run(warcs, out)
    assert (result.new, result.is_complete) == (1, True)
    assert list_addresses(out) == ALL


def test_the_same_input_under_two_names(warcs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sources = find_sources(["warc/0.warc.gz", "./warc/../warc/0.warc.gz", str(warcs / "0.warc.gz")])
    assert [source.name for source in sources.sources] == ["warc/0.warc.gz"]


def test_pages_of_a_folder_move_to_other_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.batch.sources.PAGES_PER_UNIT", 2)
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(5):
        (pages / f"{number}.html").write_text(f"<h1>Page {number}</h1><p>Text of page {number}.</p>")
    request = BatchRequest(find_sources([str(pages)]), str(tmp_path / "out"), FAST)
    assert run_batch(request).new == 3
    for number in range(2):
        (pages / f"{number}.html").unlink()
    run_batch(replace(request, sources=find_sources([str(pages)])))
    names = sorted(Path(str(row["source_file"])).name for row in read_rows(tmp_path / "out"))
    assert names == ["2.html", "3.html", "4.html"]


def test_one_run_at_a_time(warcs: Path, tmp_path: Path) -> None:
    output = OutputFolder(tmp_path / "out")
    output.create()
    with output.lock(), pytest.raises(UsageError, match="another run writes to"):
        run(warcs, tmp_path / "out")


def test_a_link_that_leads_nowhere_does_not_stop_the_others(warcs: Path, tmp_path: Path) -> None:
    (warcs / "3.warc.gz").symlink_to("nowhere")
    for argument in (str(warcs), f"{warcs}/*.gz"):
        inputs = find_sources([argument])
        assert [Path(source.name).name for source in inputs.sources] == [f"{number}.warc.gz" for number in range(3)]
        assert inputs.problems == (f"cannot read {warcs}/3.warc.gz: no such file or directory",)


def test_no_input(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no input matches .*; check the name"):
        run(tmp_path / "none", tmp_path / "out")


# With processes.

STALL_SECONDS = {"kill": 300.0, "stop": 4.0}  # a process that is stopped is noticed after this time


@pytest.mark.processes
@pytest.mark.parametrize("harm", ["kill", "stop"])
def test_a_worker_that_dies_or_stops_once(warcs: Path, tmp_path: Path, harm: str) -> None:
    method = OnPage(harm, "/11", tmp_path / "mark")
    options = replace(FAST, extract=ExtractOptions(method=method), stall_seconds=STALL_SECONDS[harm])
    result = run(warcs, tmp_path / "out", options)
    assert (tmp_path / "mark").exists()
    assert result.is_complete
    assert {row["status"] for row in read_rows(tmp_path / "out")} == {"ok"}
    assert list_addresses(tmp_path / "out") == ALL
    assert list((tmp_path / "out" / "_tmp").iterdir()) == [] or run(warcs, tmp_path / "out", options).swept == 1


@pytest.mark.processes
@pytest.mark.parametrize(("harm", "status"), [("kill", "failed"), ("stop", "timeout")])
def test_a_page_that_always_ends_its_process(warcs: Path, tmp_path: Path, harm: str, status: str) -> None:
    extract = ExtractOptions(method=OnPage(harm, "/11"), limits=Limits(max_seconds=1))
    options = replace(FAST, extract=extract, stall_seconds=STALL_SECONDS[harm])
    run(warcs, tmp_path / "out", options)
    assert [row["url"] for row in read_rows(tmp_path / "out") if row["status"] == status] == [name_address(11)]
    assert list_addresses(tmp_path / "out") == ALL


DRIVER = """
import sys
from pathlib import Path
from broadsheet.batch import BatchOptions, BatchRequest, find_sources, run_batch
from broadsheet.options import ExtractOptions
from tests.batch.archives import OnPage
options = BatchOptions(extract=ExtractOptions(method=OnPage("hold", "/11", Path(sys.argv[3]))))
run_batch(BatchRequest(find_sources([sys.argv[1] + "/*.gz"]), sys.argv[2], options, workers=1))
"""


@pytest.mark.processes
def test_a_killed_driver(warcs: Path, tmp_path: Path) -> None:
    """It is killed while a page of the second input is in progress."""
    out, mark = tmp_path / "out", tmp_path / "mark"
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(warcs), str(out), str(mark)], env=environment)
    try:
        deadline = time.monotonic() + 600
        while not (mark.exists() and mark.read_text()):
            assert time.monotonic() < deadline
            assert driver.poll() is None
            time.sleep(0.02)
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    wait_for_end(int(mark.read_text()))
    assert len(list(out.glob("*.parquet"))) == 1
    options = BatchOptions(extract=ExtractOptions(method=OnPage("hold", "/11", mark)))
    result = run(warcs, out, options)
    assert result.new == 2
    assert result.swept <= 1
    assert list_addresses(out) == ALL
    assert list((out / "_tmp").iterdir()) == []


@pytest.mark.processes
def test_a_full_disk_ends_the_run(warcs: Path, tmp_path: Path) -> None:
    """A file system of 48 KB; test_process.py has the same without mounting."""
    out = tmp_path / "out"
    out.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(out)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting needs root")
    try:
        with pytest.raises(BatchOutputError, match="no space left on device"):
            run(warcs, out)
        assert len(list((out / "_tmp").iterdir())) <= 2  # of workers that were stopped; the next start removes them
        subprocess.run(["mount", "-o", "remount,size=10m", str(out)], check=True)
        run(warcs, out)
        assert list_addresses(out) == ALL
        assert list((out / "_tmp").iterdir()) == []
    finally:
        subprocess.run(["umount", "--lazy", str(out)], check=True)  # a worker that was stopped may still be ending

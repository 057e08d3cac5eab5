"""One input to one part: rows, faults, filters, and errors of the output."""

from __future__ import annotations

import errno
import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.batch.archives import (
    Body,
    OnPage,
    list_addresses,
    make_page,
    make_record,
    name_address,
    read_rows,
    write_warc,
)

from broadsheet.batch import BatchOptions, Filters, Part, find_sources, process_file
from broadsheet.batch.folder import BatchOutputError
from broadsheet.errors import UsageError
from broadsheet.inputs import ReadOptions
from broadsheet.options import ExtractOptions
from broadsheet.output.record import RECORD

FAST = BatchOptions(extract=ExtractOptions(method=Body()))


def process(path: Path | str, out: Path, options: BatchOptions = FAST) -> Part:
    (source,) = find_sources([str(path)]).sources
    return process_file(source, options, out)


def test_rows_of_an_archive(tmp_path: Path) -> None:
    part = process(write_warc(tmp_path / "a.warc.gz", range(5)), tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / "parts" / part.file)
    assert table.column_names == [column.name for column in RECORD]
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, range(5)))
    row = read_rows(tmp_path / "out")[0]
    assert row["source_file"] == str(tmp_path / "a.warc.gz")
    assert (row["http_status"], row["status"], row["language"]) == (200, "ok", "en")
    assert (part.rows, part.fault, dict(part.statuses)) == (5, "", {"ok": 5})
    entry = json.loads((tmp_path / "out" / "_manifest" / f"{part.key}.json").read_text())
    assert (entry["rows"], entry["file_bytes"]) == (5, (tmp_path / "out" / "parts" / part.file).stat().st_size)
    assert list((tmp_path / "out" / "_tmp").iterdir()) == []


def damage(data: bytes, kind: str) -> bytes:
    if kind == "truncated":
        return data[:-100]
    middle = len(data) // 2
    return data[:middle] + os.urandom(50) + data[middle + 50 :]


@pytest.mark.parametrize(("kind", "readable"), [("truncated", 9), ("garbled", 9)])
def test_damaged_archives_keep_their_readable_pages(tmp_path: Path, kind: str, readable: int) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(damage(b"".join(map(make_record, range(10))), kind))
    part = process(path, tmp_path / "out")
    rows = read_rows(tmp_path / "out")
    whole = [row for row in rows if row["status"] == "ok" and not row["status_reason"]]
    assert len(whole) >= readable - 1
    assert len({row["url"] for row in whole}) == len(whole)
    assert part.fault or any(row["status_reason"] for row in rows)


@pytest.mark.parametrize("content", [b"", b"\x00\x01garbage", os.urandom(5000)])
def test_an_input_that_cannot_be_read_is_a_row(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.warc.gz").write_bytes(content)
    part = process(tmp_path / "a.warc.gz", tmp_path / "out")
    (row,) = read_rows(tmp_path / "out")
    assert (row["status"], row["source_file"]) == ("failed", str(tmp_path / "a.warc.gz"))
    assert part.fault
    assert part.fault == row["status_reason"]


def test_an_error_of_the_method_is_a_row(tmp_path: Path) -> None:
    options = BatchOptions(extract=ExtractOptions(method=OnPage("raise", "/3")))
    part = process(write_warc(tmp_path / "a.warc.gz", range(6)), tmp_path / "out", options)
    assert dict(part.statuses) == {"failed": 1, "ok": 5}
    (row,) = [row for row in read_rows(tmp_path / "out") if row["status"] == "failed"]
    assert row["url"] == name_address(3)
    assert "no such tide" in str(row["status_reason"])


def fail_write(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    "place",
    [
        "broadsheet.output.tables.parquet_writer.ParquetWriter.write",
        "broadsheet.output.tables.parquet_writer.ParquetWriter._write_group",
        "broadsheet.batch.process.os.fsync",
        "broadsheet.batch.folder.write_atomically",
    ],
)
def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    path, out = write_warc(tmp_path / "a.warc.gz", range(5)), tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(place, fail_write)
        with pytest.raises(BatchOutputError, match="no space left on device; make room, and run the same command"):
            process(path, out)
    assert list((out / "_tmp").iterdir()) == []
    assert list((out / "_manifest").iterdir()) == []
    process(path, out)
    assert list_addresses(out) == sorted(map(name_address, range(5)))


def test_tables_and_folders(tmp_path: Path) -> None:
    lines = [json.dumps({"page": make_page(n).decode(), "url": name_address(n)}) for n in range(3)]
    (tmp_path / "a.jsonl").write_text("\n".join([lines[0], "{broken", *lines[1:]]))
    options = BatchOptions(extract=ExtractOptions(method=Body()), read=ReadOptions(html_column="page"))
    part = process(tmp_path / "a.jsonl", tmp_path / "out", options)
    assert dict(part.statuses) == {"failed": 1, "ok": 3}
    assert "is not valid JSON" in part.fault
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3):
        (pages / f"{number}.html").write_bytes(make_page(number))
    part = process(pages, tmp_path / "out2")
    assert part.rows == 3
    assert {row["source_file"] for row in read_rows(tmp_path / "out2")} == {str(pages / f"{n}.html") for n in range(3)}


def test_a_remote_file(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "a.warc.gz", range(3))
    part = process(f"file://{tmp_path}/*.warc.gz", tmp_path / "out")
    assert part.rows == 3
    assert {row["source_file"] for row in read_rows(tmp_path / "out")} == {f"file://{path}"}


@pytest.mark.parametrize(
    ("filters", "numbers", "dropped"),
    [
        (Filters(hosts=("north.example",)), [0, 3], {"host": 4}),
        (Filters(hosts=("east.example",)), [2, 5], {"host": 4}),
        (Filters(url_pattern=r"/[12]$"), [1, 2], {"url": 4}),
        (Filters(without_url_pattern=r"/[12]$"), [0, 3, 4, 5], {"url": 2}),
        (Filters(languages=("de",)), [], {"language": 6}),
        (Filters(statuses=("ok",)), [0, 1, 2, 3, 4, 5], {}),
        (Filters(statuses=("empty",)), [], {"status": 6}),
        (Filters(min_chars=10_000), [], {"length": 6}),
        (Filters(first_date=date(2020, 1, 1)), [], {"date": 6}),
    ],
)
def test_filters(tmp_path: Path, filters: Filters, numbers: list[int], dropped: dict[str, int]) -> None:
    options = BatchOptions(extract=ExtractOptions(method=Body()), filters=filters)
    part = process(write_warc(tmp_path / "a.warc.gz", range(6)), tmp_path / "out", options)
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, numbers))
    assert dict(part.dropped) == dropped


def test_sample_is_the_same_in_every_run(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "a.warc.gz", range(60))
    options = BatchOptions(extract=ExtractOptions(method=Body()), sample=0.3)
    first = process(path, tmp_path / "out", options)
    process(path, tmp_path / "out2", options)
    assert 5 <= first.rows <= 35
    assert first.rows + first.dropped["sample"] == 60
    assert list_addresses(tmp_path / "out") == list_addresses(tmp_path / "out2")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BatchOptions(sample=0), "the sample must be a share above 0"),
        (lambda: Filters(url_pattern="("), "'\\(' is not a regular expression"),
        (lambda: Filters(statuses=("fine",)), "unknown status 'fine'; known: ok, "),
        (lambda: BatchOptions(include=("markdwon",)), "did you mean 'markdown'"),
    ],
)
def test_wrong_options(make: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()

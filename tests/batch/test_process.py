"""One input to one part: rows, faults, filters, and errors of the output."""

from __future__ import annotations

import errno
import json
import os
import re
from collections import Counter
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.batch.archives import (
    FAST,
    Body,
    OnPage,
    list_addresses,
    make_page,
    make_record,
    name_address,
    pack_record,
    read_rows,
    write_warc,
)

from broadsheet.batch import BatchOptions, Filters, Part, find_sources, process_file
from broadsheet.batch.folder import BatchOutputError
from broadsheet.batch.options import read_declared_language
from broadsheet.batch.process import read_source
from broadsheet.errors import UsageError
from broadsheet.inputs import ReadOptions
from broadsheet.options import ExtractOptions
from broadsheet.output.record import RECORD


def process(path: Path | str, out: Path, options: BatchOptions = FAST) -> Part:
    (source,) = find_sources([str(path)]).sources
    return process_file(source, options, out)


def test_rows_of_an_archive(tmp_path: Path) -> None:
    part = process(write_warc(tmp_path / "a.warc.gz", range(5)), tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / part.file)
    assert table.column_names == [column.name for column in RECORD]
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, range(5)))
    row = read_rows(tmp_path / "out")[0]
    assert row["source_file"] == str(tmp_path / "a.warc.gz")
    assert (row["http_status"], row["status"], row["language"]) == (200, "ok", "en")
    assert (part.rows, part.fault, dict(part.statuses)) == (5, "", {"ok": 5})
    entry = json.loads((tmp_path / "out" / "_manifest" / f"{part.key}.json").read_text())
    assert (entry["rows"], entry["file_bytes"]) == (5, (tmp_path / "out" / part.file).stat().st_size)
    assert list((tmp_path / "out" / "_tmp").iterdir()) == []


def garble(record: bytes) -> bytes:
    middle = len(record) // 2
    return record[:middle] + bytes(byte ^ 0xFF for byte in record[middle : middle + 50]) + record[middle + 50 :]


@pytest.mark.parametrize("damaged", [0, 5, 9])
def test_a_garbled_record_is_one_row_and_the_others_are_read(tmp_path: Path, damaged: int) -> None:
    records = [make_record(number) for number in range(10)]
    records[damaged] = garble(records[damaged])
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records))
    part = process(tmp_path / "a.warc.gz", tmp_path / "out")
    assert list_addresses(tmp_path / "out") == sorted(name_address(number) for number in range(10) if number != damaged)
    assert (part.rows, dict(part.statuses)) == (10, {"failed": 1, "ok": 9})
    assert [row["status_reason"] for row in read_rows(tmp_path / "out") if row["status"] == "failed"] == [part.fault]
    assert "damaged" in part.fault


@pytest.mark.parametrize(("cut", "whole"), [(100, 9), (440, 9), (460, 9), (500, 8)])
def test_a_truncated_archive_keeps_its_readable_pages(tmp_path: Path, cut: int, whole: int) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"".join(map(make_record, range(10)))[:-cut])
    part = process(tmp_path / "a.warc.gz", tmp_path / "out")
    rows = [row for row in read_rows(tmp_path / "out") if row["status"] == "ok" and not row["status_reason"]]
    assert sorted(str(row["url"]) for row in rows) == sorted(map(name_address, range(whole)))
    assert part.rows == whole + 1  # the last page, of which a part is there, or the fault
    assert re.search(r"a\.warc\.gz: truncated (or damaged )?(in|after) the record at byte \d+", part.fault)


def test_every_truncation_is_a_fault(tmp_path: Path) -> None:
    """Wherever the file ends in its last record, its first page is read, and the fault is reported."""
    first, last = make_record(0), make_record(1)
    path = tmp_path / "a.warc.gz"
    for cut in range(1, len(last), 5):
        path.write_bytes((first + last)[:-cut])
        (source,) = find_sources([str(path)]).sources
        faults: list[str] = []
        captures = list(read_source(source, str(path), FAST, Counter(), faults.append))
        assert captures[0].html == make_page(0)
        assert len(faults) == 1, cut
        assert re.search("truncated|damaged", faults[0])
        assert {capture.url for capture in captures[1:]} <= {None, name_address(1)}


@pytest.mark.parametrize("content", [b"", b"\x00\x01garbage", Random(0).randbytes(5000)])
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
        "broadsheet.output.tables.arrow.ParquetWriter.write",
        "broadsheet.output.tables.arrow.ParquetWriter._write_group",
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


def test_a_page_that_is_gone_is_a_row(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "0.html").write_bytes(make_page(0))
    (pages / "1.html").symlink_to("nowhere")
    part = process(pages, tmp_path / "out")
    assert dict(part.statuses) == {"failed": 1, "ok": 1}
    assert "1.html" in part.fault


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
        (Filters(content_types=("text/html",)), [0, 1, 2, 3, 4, 5], {}),
        (Filters(content_types=("application/xhtml+xml",)), [], {"content type": 6}),
        (Filters(declared_languages=("de", "en")), [0, 1, 2, 3, 4, 5], {}),
        (Filters(declared_languages=("de",)), [], {"declared language": 6}),
        (Filters(languages=("de",)), [], {"language": 6}),
        (Filters(statuses=("ok",)), [0, 1, 2, 3, 4, 5], {}),
        (Filters(statuses=("empty",)), [], {"status": 6}),
        (Filters(min_chars=10_000), [], {"length": 6}),
        (Filters(first_date=date(2020, 1, 1)), [], {"date": 6}),
        (Filters(min_words=500), [], {"words": 6}),
        (Filters(min_sentences=10), [], {"sentences": 6}),
        (Filters(quality=("c4",)), [], {"c4: sentence_count": 6}),
        (Filters(quality=("gopher",), min_words=100, min_sentences=3), [], {"gopher: repeated_ngram_share": 6}),
    ],
)
def test_filters(tmp_path: Path, filters: Filters, numbers: list[int], dropped: dict[str, int]) -> None:
    options = BatchOptions(extract=ExtractOptions(method=Body()), filters=filters)
    part = process(write_warc(tmp_path / "a.warc.gz", range(6)), tmp_path / "out", options)
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, numbers))
    assert dict(part.dropped) == dropped


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<!doctype html><html class="x" lang="en-GB"><p>', "en"),
        (b"<HTML LANG=de><p>", "de"),
        ("<html xml:lang='fr'>", "fr"),
        ("<html data-lang=x><p lang=en>", ""),
        ("<p>", ""),
        (b"", ""),
    ],
)
def test_declared_language(html: str | bytes, language: str) -> None:
    assert read_declared_language(html) == language


def test_measures_and_masks(tmp_path: Path) -> None:
    """The table has the measures of the text, and no e-mail address of a reader."""
    text = "Write to the harbour master, who is late again, at ann@quay.example. Or call +44 20 7946 0018."
    path = tmp_path / "a.html"
    path.write_text(f"<h1>Ferry</h1><p>{text}</p>")
    options = BatchOptions(
        extract=ExtractOptions(method=Body()), include=("measures", "html", "body"), mask=("email", "phone")
    )
    process(path, tmp_path / "out", options)
    (row,) = read_rows(tmp_path / "out")
    assert (row["sentence_count"], row["language_score"], row["year"]) == (2, 1.0, None)
    assert str(row["text"]).endswith("at [email]. Or call [phone].")
    assert not any("ann@" in str(value) or "7946" in str(value) for value in row.values())


def test_http_statuses(tmp_path: Path) -> None:
    records = [make_record(0), pack_record(make_page(1), name_address(1), status="404 Not Found")]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(records))
    part = process(tmp_path / "a.warc.gz", tmp_path / "out")
    assert (part.rows, dict(part.skipped)) == (1, {"status 404": 1})
    options = BatchOptions(extract=ExtractOptions(method=Body()), read=ReadOptions(http_statuses=(200, 404)))
    part = process(tmp_path / "a.warc.gz", tmp_path / "out2", options)
    assert (part.rows, dict(part.skipped)) == (2, {})
    assert sorted(str(row["http_status"]) for row in read_rows(tmp_path / "out2")) == ["200", "404"]


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
        (lambda: Filters(quality=("gopher2",)), "known: gopher, c4, fineweb"),
        (lambda: BatchOptions(mask=("name",)), "known: email, phone"),
        (lambda: Filters(url_pattern="("), "'\\(' is not a regular expression"),
        (lambda: Filters(hosts=("https://a.example/",)), "'https://a.example/' is not a host such as news.example"),
        (lambda: Filters(hosts=("www.a.example",)), "'www.a.example' is not a host"),
        (lambda: Filters(hosts=("*.a.example",)), r"'\*\.a\.example' is not a host"),
        (lambda: Filters(languages=("english",)), "'english' is not the code of a language such as en"),
        (lambda: Filters(declared_languages=("en-GB",)), "'en-GB' is not the code of a language"),
        (lambda: Filters(content_types=("html",)), "'html' is not a media type such as text/html"),
        (lambda: Filters(min_confidence=3), "the minimum of confidence must be from 0 to 1, not 3"),
        (
            lambda: Filters(first_date=date(2024, 5, 1), last_date=date(2024, 1, 1)),
            "the first date, 2024-05-01, is after the last one, 2024-01-01",
        ),
        (lambda: Filters(statuses=("fine",)), "unknown status 'fine'; known: ok, "),
        (lambda: BatchOptions(include=("markdwon",)), "did you mean 'markdown'"),
    ],
)
def test_wrong_options(make: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()

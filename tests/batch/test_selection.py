"""Pieces of big files, and records that an index selects."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.batch.archives import FAST, list_addresses, make_page, make_record, name_address, read_rows, write_warc
from tests.batch.object_store import ObjectStore, serve_objects

from broadsheet.batch import BatchOptions, BatchRequest, BatchResult, Filters, find_sources, run_batch
from broadsheet.batch.selection import expand_sources
from broadsheet.batch.store import _open_store
from broadsheet.errors import UsageError
from broadsheet.inputs import warc

pytestmark = [pytest.mark.usefixtures("in_process"), pytest.mark.filterwarnings("ignore")]
MANY = range(60)


def run(pattern: str, out: Path, options: BatchOptions = FAST, **changes: Any) -> BatchResult:
    return run_batch(replace(BatchRequest(find_sources([pattern]), str(out), options), **changes))


def cut(monkeypatch: pytest.MonkeyPatch, piece_bytes: int) -> None:
    """Cut files into pieces of so many bytes."""
    original = warc.find_boundaries
    monkeypatch.setattr("broadsheet.batch.selection.find_boundaries", lambda path, _: original(path, piece_bytes))
    monkeypatch.setattr("broadsheet.batch.selection._MIN_PIECES", 0)


@pytest.mark.parametrize("name", ["a.warc.gz", "a.warc"])
def test_pieces_have_the_rows_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = write_warc(tmp_path / name, MANY)
    if name == "a.warc":
        path.write_bytes(gzip.decompress(path.read_bytes()))
    run(str(path), tmp_path / "whole", replace(FAST, piece_mb=0))
    cut(monkeypatch, path.stat().st_size // 7)
    result = run(str(path), tmp_path / "pieces")
    assert len(result.parts) > 5
    assert result.is_complete
    whole = pq.read_table(next((tmp_path / "whole").glob("*.parquet"))).to_pylist()
    pieces = [
        row for part in sorted((tmp_path / "pieces").glob("*.parquet")) for row in pq.read_table(part).to_pylist()
    ]
    assert pieces == whole  # in the same order
    assert run(str(path), tmp_path / "pieces").new == 0
    # Cut in another way, the pages are in other units of work.
    cut(monkeypatch, path.stat().st_size // 3)
    run(str(path), tmp_path / "pieces")
    assert read_rows(tmp_path / "pieces") == read_rows(tmp_path / "whole")
    assert run(str(path), tmp_path / "pieces", replace(FAST, piece_mb=0)).new == 1
    assert read_rows(tmp_path / "pieces") == read_rows(tmp_path / "whole")


@pytest.mark.parametrize("damage", [0.1, 0.3, 0.5, 0.7])
def test_pieces_of_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: float) -> None:
    path = write_warc(tmp_path / "a.warc.gz", MANY)
    data = bytearray(path.read_bytes())
    place = int(damage * len(data))
    data[place : place + 40] = bytes(40)
    path.write_bytes(data)
    run(str(path), tmp_path / "whole", replace(FAST, piece_mb=0))
    cut(monkeypatch, len(data) // 7)
    run(str(path), tmp_path / "pieces")
    assert list_addresses(tmp_path / "pieces") == list_addresses(tmp_path / "whole")
    assert len(list_addresses(tmp_path / "pieces")) == len(MANY) - 1


def test_an_archive_in_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece that begins inside a record is found out, and its rows do not stay in the table."""
    inner = b"".join(map(make_record, range(100, 160)))
    head = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: %d\r\n\r\n" % len(inner)
    stored = gzip.compress(head + inner + b"\r\n\r\n", 0)  # not compressed: its records look like those of the file
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(map(make_record, range(5))) + stored + b"".join(map(make_record, range(5, 10))))
    cut(monkeypatch, path.stat().st_size // 2)
    result = run(str(path), tmp_path / "out")
    assert not result.is_complete
    assert "--piece-mb 0" in result.failures[0].reason
    assert list_addresses(tmp_path / "out") == []
    assert run(str(path), tmp_path / "out", replace(FAST, piece_mb=0)).is_complete
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, range(10)))


def test_files_that_are_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One gzip member for all records."""
    path = write_warc(tmp_path / "a.warc.gz", MANY)
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())))
    cut(monkeypatch, 500)
    (source,) = expand_sources(find_sources([str(path)]), FAST).sources
    assert source.end == 0


# Indexes.


def write_archives(folder: Path) -> list[dict[str, Any]]:
    """Write archives of 20 pages of three hosts, and return the lines of their index."""
    lines = []
    for file in range(3):
        data = b""
        for number in range(20 * file, 20 * file + 20):
            record = make_record(number)
            lines.append(
                {
                    "url": name_address(number),
                    "fetch_status": 404 if number == 3 else 200,
                    "content_mime_detected": "application/pdf" if number == 6 else "text/html",
                    "content_languages": "deu" if number % 2 else "eng,fra",
                    "fetch_time": datetime(2024, 3, 1 + number % 20),
                    "warc_filename": f"crawl/{file}.warc.gz",
                    "warc_record_offset": len(data),
                    "warc_record_length": len(record),
                    "url_surtkey": ",".join(
                        reversed(name_address(number).split("/")[2].removeprefix("www.").split("."))
                    ),
                }
            )
            data += record
        (folder / "crawl").mkdir(parents=True, exist_ok=True)
        (folder / "crawl" / f"{file}.warc.gz").write_bytes(data)
    return lines


def write_index(path: Path, lines: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        ordered = sorted(lines, key=lambda line: line["url_surtkey"])
        pq.write_table(pa.Table.from_pylist(ordered), path, row_group_size=10)
        return path
    text = " CDX N b a m s k r M S V g\n" if path.name.startswith("index.cdx") and "cdxj" not in path.name else ""
    for line in lines:
        moment = f"{line['fetch_time']:%Y%m%d%H%M%S}"
        place = (line["warc_record_length"], line["warc_record_offset"], line["warc_filename"])
        if "cdxj" in path.name:
            fields = {"url": line["url"], "mime": line["content_mime_detected"], "status": str(line["fetch_status"])}
            fields |= {"length": str(place[0]), "offset": str(place[1]), "filename": place[2]}
            text += (
                f"{line['url_surtkey']})/ {moment} {json.dumps({**fields, 'languages': line['content_languages']})}\n"
            )
        else:
            values = (line["url"], line["content_mime_detected"], line["fetch_status"], "AAAA", "-", "-", *place)
            text += f"{line['url_surtkey']})/ {moment} {' '.join(map(str, values))}\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with serve_objects() as (objects, settings):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        _open_store.cache_clear()
        yield objects
        _open_store.cache_clear()


@pytest.mark.parametrize("name", ["index.parquet", "index.cdxj", "index.cdxj.gz", "index.cdx"])
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), [number for number in MANY if number not in (3, 6)]),
        (Filters(hosts=("south.example",)), [number for number in MANY if number % 3 == 1]),
        (Filters(url_pattern="/1[0-9]$"), range(10, 20)),
        (Filters(captured_from=date(2024, 3, 20)), [19, 39, 59]),
    ],
)
def test_an_index_selects(tmp_path: Path, name: str, filters: Filters, expected: list[int]) -> None:
    index = write_index(tmp_path / name, write_archives(tmp_path))
    options = replace(FAST, filters=filters)
    # The capture dates of the records are not those of the index: only the index is filtered by them here.
    options = options if filters.captured_from is None else replace(FAST, filters=Filters(url_pattern="/[135]?9$"))
    expected = [9, *expected] if filters.captured_from is not None else expected
    result = run(str(index), tmp_path / "out", options, archives=str(tmp_path))
    assert result.is_complete
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, expected))
    rows = {row["url"]: row for row in read_rows(tmp_path / "out")}
    run(f"{tmp_path}/crawl/*.gz", tmp_path / "whole", options)
    whole = {row["url"]: row for row in read_rows(tmp_path / "whole")}
    assert all(row == whole[url] for url, row in rows.items())  # files, offsets and ids too
    assert run(str(index), tmp_path / "out", options, archives=str(tmp_path)).new == 0


def test_languages_of_an_index(tmp_path: Path) -> None:
    index = write_index(tmp_path / "index.parquet", write_archives(tmp_path))
    options = replace(FAST, filters=Filters(declared_languages=("fr",)))
    listed = expand_sources(find_sources([str(index)]), options, str(tmp_path))
    assert sum(len(source.records) // 16 for source in listed.sources) == 29


def test_ranged_reads_from_a_store(tmp_path: Path, store: ObjectStore) -> None:
    """Of archives with large records of other hosts, hardly anything is read."""
    lines = write_archives(tmp_path)
    for path in (tmp_path / "crawl").iterdir():
        store.objects[f"news/crawl/{path.name}"] = path.read_bytes() + bytes(3_000_000)
    write_index(tmp_path / "index.parquet", lines)
    store.objects["news/index.parquet"] = (tmp_path / "index.parquet").read_bytes()
    options = replace(FAST, filters=Filters(hosts=("east.example",)))
    result = run("s3://news/index.parquet", tmp_path / "out", options, archives="s3://news")
    assert result.is_complete
    assert list_addresses(tmp_path / "out") == sorted(name_address(n) for n in MANY if n % 3 == 2)
    assert {row["source_file"] for row in read_rows(tmp_path / "out")} == {
        f"s3://news/crawl/{number}.warc.gz" for number in range(3)
    }
    total = sum(len(data) for name, data in store.objects.items() if name.startswith("news/crawl/"))
    assert store.bytes_read < 0.02 * total
    assert not [path for method, path in store.requests if method == "HEAD" and "/crawl/" in path]


def test_an_archive_that_is_shorter_than_its_index_says(tmp_path: Path) -> None:
    index = write_index(tmp_path / "index.cdxj", write_archives(tmp_path))
    path = tmp_path / "crawl" / "1.warc.gz"
    path.write_bytes(path.read_bytes()[:-100])
    result = run(str(index), tmp_path / "out")  # its archives are beside it
    assert ["bytes at byte" in failure.reason for failure in result.failures] == [True]
    assert len(list_addresses(tmp_path / "out")) == 38


def test_wrong_indexes(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_bytes(make_page(1))
    with pytest.raises(UsageError, match="--archives is for indexes"):
        run(str(page), tmp_path / "out", archives="x")
    index = write_index(tmp_path / "index.parquet", write_archives(tmp_path))
    with pytest.raises(UsageError, match="no line of the index passes the filters"):
        run(str(index), tmp_path / "out", replace(FAST, filters=Filters(hosts=("nowhere.example",))), archives="x")

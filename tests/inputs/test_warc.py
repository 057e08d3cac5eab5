"""WARC and WACZ files: every page once, whatever encodes or damages it."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from tests.inputs.warcs import encode_page, end_lines_in_lf, make_chunks, make_page, make_record, make_response

import broadsheet
from broadsheet.capture import Capture
from broadsheet.errors import InputError, MissingExtra
from broadsheet.inputs import ReadOptions
from broadsheet.page import Limits

pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
PAGE = make_page(0)


def read(path: Path, **options: object) -> list[Capture]:
    return list(broadsheet.read_captures(path, **options))  # type: ignore[arg-type]


def write(path: Path, records: Sequence[bytes]) -> Path:
    """Write records; in a file that ends in .gz, each in a gzip member of its own."""
    path.write_bytes(b"".join([gzip.compress(record, 1) for record in records] if path.suffix == ".gz" else records))
    return path


@cache
def make_crawl() -> list[bytes]:
    """Return 400 pages in twelve encodings, among other records."""
    records = [make_record("warcinfo", "", b"software: test\r\n", content_type="application/warc-fields")]
    for number in range(400):
        url = f"https://a.example/{number}"
        body, headers = encode_page(number, make_page(number))
        if number % 40 == 0:  # ten pages whose connection broke
            body, headers = make_chunks(make_page(number))[:-300], "Transfer-Encoding: chunked\r\n"
        if number % 10 == 0:
            records.append(make_record("request", url, b"GET / HTTP/1.1\r\n\r\n"))
        records.append(make_response(url, body, headers))
    return [
        *records,
        make_record("revisit", "https://a.example/1", b"HTTP/1.1 200 OK\r\n\r\n"),
        make_record("metadata", "https://a.example/1", b"fetchTimeMs: 3\r\n", content_type="application/warc-fields"),
        make_response("https://a.example/x", PAGE, status="404 Not Found"),
        make_response("https://a.example/y", b"body { }", content_type="text/css"),
        make_response("https://a.example/z", b"%PDF-1.7"),
    ]


@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz"])
def test_400_pages_give_400_captures(name: str, tmp_path: Path) -> None:
    skipped: Counter[str] = Counter()
    captures = read(write(tmp_path / name, make_crawl()), skipped=skipped)
    assert [capture.url for capture in captures] == [f"https://a.example/{number}" for number in range(400)]
    assert {bool(capture.fault) for capture in captures[::40]} == {True}
    whole = [number for number in range(400) if number % 40]
    assert [captures[number].html == make_page(number) for number in whole] == [True] * 390
    assert not any(captures[number].fault for number in whole)
    assert {(capture.http_status, str(capture.fetched_at)) for capture in captures} == {
        (200, "2024-03-16 08:30:00+00:00")
    }
    assert skipped == {
        "request": 40, "warcinfo": 1, "revisit": 1, "metadata": 1, "status 404": 1, "not HTML": 2
    }  # fmt: skip


def test_400_pages_give_400_records(tmp_path: Path) -> None:
    captures = broadsheet.read_captures(write(tmp_path / "crawl.warc.gz", make_crawl()))
    records = [article.to_dict() for article in broadsheet.extract_many(captures, workers=1, method="twcem")]
    assert len(records) == len({record["id"] for record in records}) == 400
    assert {record["title"] for record in records} == {f"Ferry {number} late" for number in range(400)}
    assert {record["source_file"] for record in records} == {str(tmp_path / "crawl.warc.gz")}
    assert records[40]["status_reason"] == "the body is truncated: its last chunk is missing"
    assert records[41]["status_reason"] is None


RECORDS = [make_response(f"https://a.example/{number}", make_page(number)) for number in range(5)]
PACKED = [gzip.compress(record) for record in RECORDS]
GARBLED = PACKED[2][:60] + b"\xde\xad\xbe\xef" * 5 + PACKED[2][80:]
CUT_BODY = make_response("https://a.example/2", gzip.compress(make_page(2))[:-40], "Content-Encoding: gzip\r\n")


@pytest.mark.parametrize(
    ("data", "pages", "faults"),
    [
        (b"".join(PACKED), "01234", []),
        (b"".join(PACKED)[:-5], "01234", ["truncated in the record"]),
        (b"".join(PACKED)[: -len(PACKED[4]) // 3], "01234", ["the record is truncated"]),
        (b"".join(PACKED)[: 30 - len(PACKED[4])], "0123", ["truncated or damaged after the record"]),
        (b"".join(PACKED[:2]) + GARBLED + b"".join(PACKED[3:]), "0134", ["damaged"]),
        (b"".join(PACKED[:2]) + b"junk" * 50 + b"".join(PACKED[2:]), "01234", ["damaged after the record"]),
        (b"junk" + b"".join(PACKED), "01234", ["damaged up to byte 4"]),
        (gzip.compress(b"".join(RECORDS)), "01234", []),
        (gzip.compress(b"".join(RECORDS))[:-200], "0", ["the record is truncated"]),
        (PACKED[0] + gzip.compress(RECORDS[1] + RECORDS[2]) + PACKED[3] + PACKED[4], "01234", []),
        (b"".join(RECORDS)[:-400], "01234", ["the record is truncated"]),
        (b"".join(RECORDS[:4]) + RECORDS[4][:100], "0123", ["truncated or damaged in the header of the record"]),
        (
            RECORDS[0] + make_record("request", "https://a.example/x", b"GET /", length=99),
            "0",
            ["truncated in the record"],
        ),
        (
            RECORDS[0] + make_record("request", "https://a.example/x", b"GET /", length=99_999) + RECORDS[1],
            "01",
            ["truncated in the record"],
        ),
        (RECORDS[0] + b"junk\r\n" * 9 + RECORDS[1], "01", ["damaged after the record at byte 0"]),
        (RECORDS[0] + make_response("https://a.example/x", PAGE, length=9) + RECORDS[1], "01", ["", ""]),
        (RECORDS[0] + make_response("https://a.example/x", b"<p>", length=99_999) + RECORDS[1], "0x1", ["the record"]),
        (
            RECORDS[0] + make_record("response", "https://a.example/x", b"\0\xff" * 9) + RECORDS[1],
            "01",
            ["no HTTP head"],
        ),
        (RECORDS[0] + CUT_BODY + RECORDS[1], "021", ["the body is truncated: its gzip data has no end"]),
        (
            make_response("https://a.example/0", PAGE[:99], f"Content-Length: {len(PAGE)}\r\n") + RECORDS[1],
            "01",
            ["the body is truncated"],
        ),
        (
            make_response("https://a.example/0", b"\x1f\x8bno", "Content-Encoding: gzip\r\n"),
            "",
            ["the body is garbled"],
        ),
        (make_response("https://a.example/0", PAGE, "Content-Encoding: zz\r\n"), "0", []),
    ],
)
def test_damage_costs_only_what_it_hits(data: bytes, pages: str, faults: list[str], tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(data)
    captures = read(path)
    assert "".join(str(capture.url)[-1] for capture in captures if capture.html is not None) == pages
    found = [capture.fault for capture in captures if capture.fault]
    assert len(found) == len(faults)
    for fault, part in zip(found, faults, strict=True):
        assert part in fault
    offsets = [capture.source_offset for capture in captures]
    assert len(offsets) == len(set(offsets)), "two captures would have the same id"


def pack_with_name(record: bytes, name: str) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(name, "wb", fileobj=packed) as file:
        file.write(record)
    return packed.getvalue()


LF_RECORDS = [end_lines_in_lf(record) for record in RECORDS]
LF_HTTP = end_lines_in_lf(RECORDS[0], warc_header=False)
BIG_PAGE = make_response("https://a.example/0", b"<p>" + b"The ferry is late.\n" * 9_999)  # no CRLF in 190 KB


@pytest.mark.parametrize(
    ("data", "pages", "faults"),
    [
        (b"".join(LF_RECORDS), "01234", []),
        (b"".join(map(gzip.compress, LF_RECORDS)), "01234", []),
        (gzip.compress(b"".join(LF_RECORDS)), "01234", []),
        (b"".join(pack_with_name(record, "a" * 200) for record in LF_RECORDS), "01234", []),
        (end_lines_in_lf(BIG_PAGE) + LF_RECORDS[1], "01", []),
        (end_lines_in_lf(BIG_PAGE, warc_header=False) + RECORDS[1], "01", []),
        (LF_HTTP + RECORDS[1], "01", []),
        (RECORDS[0] + LF_RECORDS[1] + RECORDS[2] + LF_RECORDS[3], "0123", []),
        (b"".join(map(gzip.compress, (RECORDS[0], LF_RECORDS[1], RECORDS[2], LF_RECORDS[3]))), "0123", []),
        (gzip.compress(RECORDS[0] + LF_RECORDS[1]), "0", ["in the header of the record"]),
        (LF_RECORDS[0] + b"junk\n" * 9 + LF_RECORDS[1], "01", ["damaged after the record at byte 0"]),
        (b"".join(LF_RECORDS)[:-400], "01234", ["the record is truncated"]),
    ],
)
def test_header_lines_that_end_in_lf(data: bytes, pages: str, faults: list[str], tmp_path: Path) -> None:
    test_damage_costs_only_what_it_hits(data, pages, faults, tmp_path)


@pytest.mark.parametrize("data", [b"", b"WARC/1.0 but nothing follows", b"\x1f\x8b\x08garbage" * 9, b"no archive"])
def test_file_without_a_record(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.warc is (?:empty|not a WARC file)"):
        read(tmp_path / "a.warc")


def test_charset_of_the_header_is_used(tmp_path: Path) -> None:
    html = "<title>Žluťoučký kůň</title><p>Příliš žluťoučký kůň úpěl ďábelské ódy.</p>".encode("cp1250")
    record = make_response("https://a.example/", html, content_type="text/html; charset=windows-1250")
    (article,) = broadsheet.extract_many(broadsheet.read_captures(write(tmp_path / "a.warc", [record])), workers=1)
    assert article.title == "Žluťoučký kůň"


def test_resource_and_unspecific_types(tmp_path: Path) -> None:
    records = [
        make_record("resource", "https://a.example/0", PAGE, content_type="text/html"),
        make_record("resource", "https://a.example/1", b"x", content_type="image/png"),
        make_response("https://a.example/2", PAGE, content_type="application/octet-stream"),
        make_response("https://a.example/3", b"text", content_type="application/octet-stream"),
    ]
    captures = read(write(tmp_path / "a.warc", records))
    assert [capture.url for capture in captures] == ["https://a.example/0", "https://a.example/2"]


def test_large_page_is_cut_at_the_limit(tmp_path: Path) -> None:
    record = make_response("https://a.example/", gzip.compress(b"<p>" + b"a" * 9_999_999), "Content-Encoding: gzip\r\n")
    (capture,) = read(write(tmp_path / "a.warc", [record]), options=ReadOptions(limits=Limits(max_bytes=5_000)))
    assert len(capture.html or "") == 5_001


def test_wacz(tmp_path: Path) -> None:
    path = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("archive/one.warc.gz", b"".join(PACKED[:3]))
        archive.writestr("archive/two.warc.gz", b"".join(PACKED[3:]))
    captures = read(path)
    assert [str(capture.url)[-1] for capture in captures] == list("01234")
    assert {capture.source_file for capture in captures} == {
        f"{path}/archive/{name}.warc.gz" for name in ("one", "two")
    }
    renamed = path.rename(tmp_path / "crawl.zip")
    assert len(read(renamed)) == 5


def test_response_with_a_status_line_only(tmp_path: Path) -> None:
    record = make_record("response", "https://a.example/0", b"HTTP/1.1 200 OK\r\n\r\n" + PAGE)
    (capture,) = read(write(tmp_path / "a.warc", [record]))
    assert (capture.html, capture.http_status, capture.fault) == (PAGE, 200, "")


@pytest.mark.parametrize("data", [b"", b"no archive", PACKED[0][:20]])
def test_damaged_file_in_a_wacz_costs_only_itself(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/one.warc.gz", data)
        archive.writestr("archive/two.warc.gz", b"".join(PACKED[3:]))
    fault, *pages = read(path)
    assert f"{path}/archive/one.warc.gz is" in fault.fault
    assert [str(capture.url)[-1] for capture in pages] == list("34")


def test_encrypted_file_in_a_wacz_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/one.warc.gz", PACKED[0])
        archive.writestr("archive/two.warc.gz", PACKED[1])
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1  # flags of the first file in the directory
    data[data.index(b"PK\3\4") + 6] |= 1  # and before its data
    path.write_bytes(data)
    fault, page = read(path)
    assert "is encrypted" in fault.fault
    assert page.url == "https://a.example/1"


def test_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ModuleNotFoundError(name="fastwarc")

    monkeypatch.setattr("broadsheet.extras.import_module", fail)
    with pytest.raises(MissingExtra, match=r"fastwarc is not installed; run: pip install 'broadsheet\[archive\]'"):
        read(write(tmp_path / "a.warc", RECORDS))


def make_arc(numbers: range, *, version: int = 1) -> list[bytes]:
    names = "URL IP-address Archive-date Content-type Archive-length"
    if version > 1:
        names = "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length"
    head = f"{version} 1 Test\n{names}\n".encode()
    records = [b"filedesc://a.arc 0.0.0.0 20240316083000 text/plain %d\n" % len(head) + head]
    middle = b" 200 abc - 0 a.arc" if version > 1 else b""
    for number in numbers:
        page = make_page(number)
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
        line = b"http://a.example/%d 1.2.3.4 20240316083000 text/html%s %d\n" % (number, middle, len(body))
        records.append(b"\n" + line + body)
    return records


def make_plain_response(number: int) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + make_page(number)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", ["a.arc", "a.arc.gz", "a"])
def test_arc(tmp_path: Path, name: str, version: int) -> None:
    captures = read(write(tmp_path / name, make_arc(range(5), version=version)))
    assert [capture.html for capture in captures] == [make_page(number) for number in range(5)]
    assert [capture.url for capture in captures] == [f"http://a.example/{number}" for number in range(5)]
    assert str(captures[0].fetched_at) == "2024-03-16 08:30:00+00:00"
    assert len({capture.source_offset for capture in captures}) == 5


@pytest.mark.parametrize("name", ["a.arc", "a.arc.gz"])
def test_a_damaged_arc_file(tmp_path: Path, name: str) -> None:
    records = make_arc(range(3))
    captures = read(write(tmp_path / name, [*records[:2], b"no record here\nnor here\n", *records[2:]]))
    assert [capture.html for capture in captures if capture.html] == [make_page(number) for number in range(3)]
    assert sum("damaged at byte" in capture.fault for capture in captures) == 1
    path = write(tmp_path / f"b-{name}", records)
    path.write_bytes(path.read_bytes()[:-40])
    *_, last = read(path)
    assert "truncated" in last.fault


def test_lz4(tmp_path: Path) -> None:
    from fastwarc.stream_io import Lz4Writer

    frames = []
    for number in range(3):
        frame = tmp_path / f"{number}.lz4"
        with frame.open("wb") as file:
            writer = Lz4Writer(file)
            writer.write(make_record("response", f"http://a.example/{number}", make_plain_response(number)))
            writer.close()  # writes the end of the frame
        frames.append(frame.read_bytes())
    path = tmp_path / "a.warc.lz4"
    path.write_bytes(b"".join(frames))
    assert [capture.html for capture in read(path)] == [make_page(number) for number in range(3)]


def test_flipped_bytes_without_compression(tmp_path: Path) -> None:
    """Nothing but the digest tells that a page was changed. It is extracted, and the reason is in its row."""
    import base64
    import hashlib

    records = []
    for number in range(3):
        block = make_plain_response(number)
        digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
        record = make_record("response", f"http://a.example/{number}", block)
        records.append(record.replace(b"\r\n", f"\r\nWARC-Block-Digest: sha1:{digest}\r\n".encode(), 1))
    path = write(tmp_path / "a.warc", records)
    assert [capture.fault for capture in read(path)] == ["", "", ""]
    data = bytearray(path.read_bytes())
    data[len(records[0]) + len(records[1]) - 60] ^= 1
    path.write_bytes(data)
    faults = [capture.fault for capture in read(path)]
    assert faults == ["", "the record is damaged: its WARC-Block-Digest differs", ""]


@pytest.mark.parametrize(
    "line",
    [
        'com,example)/1 20240316083000 {"url": "http://example.com/1", "mime": "text/html"}\n',
        " CDX N b a m s k r M S V g\ncom,example)/ 20240316083000 http://example.com/ text/html 200 A - - 9 0 a.warc.gz\n",
    ],
)
def test_an_index_is_not_a_page(tmp_path: Path, line: str) -> None:
    for name in ("a.cdxj", "index"):
        (tmp_path / name).write_text(line * 3)
        with pytest.raises(InputError, match="is an index of web archives, not a page"):
            read(tmp_path / name)

"""Damaged and hostile files: what can be read is read, the rest is named, and time and memory are bounded."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.inputs.warcs import make_response

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs import read_captures
from broadsheet.inputs.kinds import Kind, find_page_kind

PAGE = b"<!doctype html><html><title>Ferry</title><body><p>The ferry sails again.</p></body></html>"


def list_pages(captures: Iterable[Capture]) -> list[str]:
    return [Path(capture.source_file or "").name for capture in captures if not capture.fault]


def list_faults(captures: Iterable[Capture]) -> list[str]:
    return [capture.fault for capture in captures if capture.fault]


def make_tar(names: Iterable[str]) -> bytearray:
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(PAGE)
            archive.addfile(member, io.BytesIO(PAGE))
    return bytearray(output.getvalue())


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_damaged_header_in_a_tar_file_is_named_and_later_pages_are_read(tmp_path: Path, *, is_packed: bool) -> None:
    data = make_tar(f"{number}.html" for number in range(6))
    data[2 * 1024 + 100] ^= 4  # in the header of the third member
    path = tmp_path / ("pages.tar.gz" if is_packed else "pages.tar")
    path.write_bytes(gzip.compress(data) if is_packed else data)
    captures = list(read_captures(path))
    assert list_pages(captures) == ["0.html", "1.html", "3.html", "4.html", "5.html"]
    assert list_faults(captures) == [f"{path}: damaged before the member 3.html"]


def test_a_damaged_last_header_in_a_tar_file_is_named(tmp_path: Path) -> None:
    data = make_tar(["0.html", "1.html"])
    data[1024 + 100] ^= 4
    path = tmp_path / "pages.tar"
    path.write_bytes(data)
    captures = list(read_captures(path))
    assert list_pages(captures) == ["0.html"]
    assert list_faults(captures) == [f"{path}: damaged after the member 0.html"]


def test_a_tar_file_whose_only_header_is_damaged_is_refused(tmp_path: Path) -> None:
    data = make_tar(["0.html"])
    data[100] ^= 4
    path = tmp_path / "pages.tar"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"damaged from its first member on|not valid tar"):
        list(read_captures(path, kind=Kind.TAR))


def test_the_zeros_at_the_end_of_a_tar_file_are_not_all_read(tmp_path: Path) -> None:
    path = tmp_path / "pages.tar.gz"
    path.write_bytes(gzip.compress(bytes(make_tar(["0.html"])) + bytes(100_000_000), 1))
    began = time.process_time()
    assert list_pages(read_captures(path)) == ["0.html"]
    assert time.process_time() - began < 0.5


def test_a_csv_with_two_columns_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    path.write_text("url,html,url\nx,<p>1,https://a.example/1\n\nx,<p>2,https://a.example/2\n", "utf-8")
    captures = list(read_captures(path))
    assert [(capture.url, capture.fault) for capture in captures] == [
        ("https://a.example/1", ""),
        ("https://a.example/2", ""),
    ]


def test_a_csv_that_ends_inside_a_quote_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    rows = [f"https://a.example/{number},<p>{number}\n" for number in range(50)]
    rows[2] = 'https://a.example/2,"<p>2\n'
    path.write_text("url,html\n" + "".join(rows), "utf-8")
    captures = list(read_captures(path))
    assert [capture.url for capture in captures if not capture.fault] == ["https://a.example/0", "https://a.example/1"]
    assert list_faults(captures) == [f"{path}: row 2 begins a quote that does not end; 47 lines after it were not read"]


def test_long_cells_and_lines_of_csv_are_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(b'url,html\nhttps://a.example/,"')
        for _ in range(300):
            file.write(b"x" * 1_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="longer than"):
            list(read_captures(path, kind=Kind.CSV))
        assert tracemalloc.get_traced_memory()[1] < 250e6
    finally:
        tracemalloc.stop()


def test_a_content_length_of_many_digits_in_a_warc(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
    path = tmp_path / "pages.warc"
    first = make_response("https://a.example/1", PAGE, f"Content-Length: {'9' * 5000}\r\n")
    path.write_bytes(first + make_response("https://a.example/2", PAGE))
    captures = list(read_captures(path))
    assert [capture.url for capture in captures] == ["https://a.example/1", "https://a.example/2"]


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_member_of_a_zip_file_does_not_end_the_others(tmp_path: Path, method: int) -> None:
    path = tmp_path / "pages.zip"
    noise = bytes(range(256)) * 20
    with zipfile.ZipFile(path, "w", method) as archive:
        for number in range(3):
            archive.writestr(f"{number}.html", PAGE + noise)
    with zipfile.ZipFile(path) as archive:
        start, size = archive.infolist()[1].header_offset, archive.infolist()[1].compress_size
    data = bytearray(path.read_bytes())
    for at in range(start + 50, start + 30 + size):
        data[at] ^= 0xFF
    path.write_bytes(data)
    captures = list(read_captures(path))
    assert list_pages(captures) == ["0.html", "2.html"]
    assert len(list_faults(captures)) == 1


def test_a_member_of_a_zip_file_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "pages.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.html", PAGE)
        archive.writestr("b.html", PAGE)
    data = path.read_bytes().replace(b"a.html", b"\0.html")  # a name ends at NUL
    path.write_bytes(data)
    assert list_pages(read_captures(path)) == ["pages.zip", "b.html"]


def test_a_damaged_tar_xz_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pages.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        for number in range(200):
            member = tarfile.TarInfo(f"{number}.html")
            content = PAGE + os.urandom(3000)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert list_faults(read_captures(path))


def make_mhtml(header: str, body: str) -> bytes:
    return f"MIME-Version: 1.0\r\n{header}\r\n\r\n{body}".encode()


MHTML_PART = "--b\r\nContent-Type: text/html\r\n\r\n<p>Ferry</p>\r\n--b--\r\n"
MULTIPART = 'Content-Type: multipart/related; boundary="b"'


@pytest.mark.parametrize(
    "header",
    [
        f"{MULTIPART}\r\nDate: Fri, 31 Dec 9999 23:59:59 -2300",
        f"{MULTIPART}; start*1*=y",
    ],
)
def test_odd_headers_of_mhtml(tmp_path: Path, header: str) -> None:
    path = tmp_path / "page.mhtml"
    path.write_bytes(make_mhtml(header, MHTML_PART))
    (capture,) = read_captures(path, kind=Kind.MHTML)
    assert capture.html == b"<p>Ferry</p>"


def test_a_header_of_mhtml_that_cannot_be_parsed(tmp_path: Path) -> None:
    path = tmp_path / "page.mhtml"
    path.write_bytes(make_mhtml(f"{MULTIPART}; start*=utf-8''%3Ca%3E; start*0=x", MHTML_PART))
    with pytest.raises(InputError, match="is not valid MHTML"):
        list(read_captures(path, kind=Kind.MHTML))


def test_mhtml_with_thousands_of_nested_parts_is_refused(tmp_path: Path) -> None:
    nested = "".join(f'--b{n}\r\nContent-Type: multipart/mixed; boundary="b{n + 1}"\r\n\r\n' for n in range(3000))
    path = tmp_path / "page.mhtml"
    path.write_bytes(make_mhtml('Content-Type: multipart/related; boundary="b0"', nested + "x\r\n" * 100_000))
    began = time.process_time()
    with pytest.raises(InputError, match="nested"):
        list(read_captures(path, kind=Kind.MHTML))
    assert time.process_time() - began < 2


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+02:00", "Mars/Olympus"])
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_times_of_parquet(tmp_path: Path, unit: str, zone: str | None) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "pages.parquet"
    per_second = {"s": 1, "us": 10**6, "ns": 10**9}[unit]
    moment = 1_700_000_000 * per_second + (123 if unit == "ns" else 0)
    times = pa.array([moment], pa.int64()).cast(pa.timestamp(unit, zone))
    pq.write_table(pa.table({"html": ["<p>Ferry</p>"], "fetched_at": times}), path)
    (capture,) = read_captures(path)
    assert capture.fetched_at is not None
    assert capture.fetched_at.timestamp() == 1_700_000_000


def test_a_wacz_that_unpacks_to_much_more_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
    path = tmp_path / "pages.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("archive/data.warc", "w", force_zip64=True) as file:
            for _ in range(200):
                file.write(b"\0" * 1_000_000)
        archive.writestr("datapackage.json", "{}")
    with pytest.raises(InputError, match="times its size"):
        list(read_captures(path, kind=Kind.WACZ))


def test_a_warc_of_many_gzip_marks_takes_little_time(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
    path = tmp_path / "pages.warc.gz"
    path.write_bytes(gzip.compress(make_response("https://a.example/1", PAGE)) + b"\x1f\x8b\x08" * 100_000)
    began = time.process_time()
    captures = list(read_captures(path, kind=Kind.WARC))
    assert time.process_time() - began < 3
    assert captures[0].html == PAGE
    assert list_faults(captures)


def test_a_warc_that_is_truncated_while_it_is_read(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
    path = tmp_path / "pages.warc"
    path.write_bytes(b"".join(make_response(f"https://a.example/{number}", PAGE * 50) for number in range(200)))
    captures = read_captures(path)
    read = [next(captures) for _ in range(3)]
    os.truncate(path, path.stat().st_size // 2)
    read += captures
    assert 3 < len(read) < 200
    assert list_faults(read)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_in_a_folder_are_not_pages(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.html")
    (tmp_path / "b.html").symlink_to("b.html")
    (tmp_path / "c.html").write_bytes(PAGE)
    assert [find_page_kind(str(tmp_path / name)) for name in ("a.html", "b.html", "c.html")] == [
        None,
        Kind.PAGE,
        Kind.PAGE,
    ]

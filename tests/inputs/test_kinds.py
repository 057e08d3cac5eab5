"""The kind of a source."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from broadsheet.inputs import Kind, detect_kind


def make_zip(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


def make_tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"), io.BytesIO())
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.html", b"<p>x", Kind.PAGE),
        ("a", b"<!doctype html><p>x", Kind.PAGE),
        ("a.php", b"<html>", Kind.PAGE),
        ("a.txt", b"Some text, and more text.", Kind.PAGE),
        ("a.html", b"<a href=x>url,file</a>", Kind.PAGE),
        ("a.html", b"", Kind.PAGE),
        ("a.jsonl", b'{"html": "<p>x"}\n', Kind.JSON_LINES),
        ("a.jsonl", b"<p>x", Kind.JSON_LINES),  # the reader explains
        ("a.jsonl.gz", gzip.compress(b'{"html": "<p>x"}\n', mtime=0), Kind.JSON_LINES),
        ("a", b'\xef\xbb\xbf { "html": "<p>x"}\n', Kind.JSON_LINES),
        ("a.html", b'{"html": "<p>x"}\n', Kind.JSON_LINES),
        ("a.json", b'[\n{"html": "<p>x"}]', Kind.JSON_LINES),
        ("a.css", b"{ color: red }", Kind.PAGE),
        ("a.warc", b"WARC/1.0\r\n", Kind.WARC),
        ("a.gz", gzip.compress(b"WARC/1.0\r\n", mtime=0), Kind.WARC),
        ("a.warc.gz", b"damaged", Kind.WARC),
        ("a.parquet", b"PAR1", Kind.PARQUET),
        ("a", b"PAR1", Kind.PARQUET),
        ("a.zip", make_zip("a.html"), Kind.ZIP),
        ("a.zip", make_zip("datapackage.json", "archive/a.warc.gz"), Kind.WACZ),
        ("a.wacz", make_zip("x"), Kind.WACZ),
        ("a.tar", make_tar(), Kind.TAR),
        ("a.tgz", gzip.compress(make_tar(), mtime=0), Kind.TAR),
        ("a.mhtml", b"anything", Kind.MHTML),
        (
            "a",
            b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype=x\r\n\r\n",
            Kind.MHTML,
        ),
        ("a.txt", b"# list\n\nhttps://a.example/1\r\nhttps://a.example/2", Kind.ADDRESSES),
        ("a.txt", b"https://a.example/1 is an address", Kind.PAGE),
        ("a.csv", b"file,url\na.html,https://a.example/\n", Kind.CSV),
        ("a", b'"url";"file"\n', Kind.CSV),
        ("a.csv", b"x,y\n", Kind.CSV),
        ("a.csv", b"url,html\nhttps://a.example/,<!doctype html><html><p>x</p></html>\n", Kind.CSV),
        ("a.tsv", "\ufeffurl\thtml\nhttps://a.example/\t<html>\n".encode("utf-16-le"), Kind.CSV),
        ("pages", b"url;html\nhttps://a.example/;<html><p>x\n", Kind.CSV),
        ("page.html", b"url;html\n<html><p>x\n", Kind.PAGE),
        ("a.csv", b"<html><p>x\n", Kind.PAGE),
    ],
)
def test_kind_is_that_of_the_content(name: str, content: bytes, kind: Kind, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert detect_kind(str(tmp_path / name)) is kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [("https://a.example/a.jsonl", Kind.ADDRESS), ("missing.jsonl", Kind.PAGE), ("/dev/null", Kind.PAGE)],
)
def test_kind_without_a_file(name: str, kind: Kind) -> None:
    assert detect_kind(name) is kind

"""Files, folders, patterns and stdin as sources of pages."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from broadsheet.capture import Capture
from broadsheet.cli.sources import NamedSource, find_sources, name_page, read_one
from broadsheet.errors import InputError
from broadsheet.inputs import Kind, ReadOptions
from broadsheet.page import Limits

ALL = [
    ("pages/blank.htm", "blank.htm"),
    ("pages/ferry.html", "ferry.html"),
    ("pages/old/ferry.html.gz", "old/ferry.html.gz"),
]


@pytest.mark.parametrize(
    ("arguments", "expected", "is_several"),
    [
        (["pages"], ALL, True),
        (["pages/old"], [("pages/old/ferry.html.gz", "ferry.html.gz")], True),
        (["pages/f*.html"], [("pages/ferry.html", "ferry.html")], True),
        (["pages/**/ferry*"], [ALL[1], ALL[2]], True),
        (["pages/ferry.html"], [("pages/ferry.html", "ferry.html")], False),
        (["pages/ferry.html", "-"], [("pages/ferry.html", "ferry.html"), ("-", "-")], True),
        (["https://a.example/x"], [("https://a.example/x", "https://a.example/x")], False),
        (["missing.html"], [("missing.html", "missing.html")], False),
    ],
)
def test_find_sources(arguments: list[str], expected: list[tuple[str, str]], is_several: bool, folder: Path) -> None:
    found = find_sources(arguments)
    assert [(source.name, source.relative_name) for source in found.pages] == expected
    assert found.is_several is is_several
    assert found.problems == ()


def test_folders_hold_pages_of_any_name(folder: Path) -> None:
    page = "<!doctype html><p>The ferry was late.</p>"
    names = ("story", "story.php", "index.php?id=3", "wget.html?x=1", "a.aspx.gz")
    for name in names:
        (folder / name).write_bytes(gzip.compress(page.encode()) if name.endswith(".gz") else page.encode())
    others = {
        "notes": b"not a page", "style.css": b"<html>", "out.jsonl": b"{}", "scan.php": b"%PDF-1.7 <html>",
        "articles.csv": b"url,html\n", "pages.zip": b"PK\x03\x04",
    }  # fmt: skip
    for name, content in others.items():
        (folder / name).write_bytes(content)
    (folder / "crawl.warc.gz").write_bytes(b"")
    (folder / "saved.mht").write_bytes(b"")
    found = {source.relative_name: source.kind for source in find_sources(["."]).pages}
    pages = dict.fromkeys((*names, "pages/blank.htm", "pages/ferry.html", "pages/old/ferry.html.gz"), Kind.PAGE)
    assert found == {**pages, "crawl.warc.gz": Kind.WARC, "saved.mht": Kind.MHTML}


def test_a_file_of_pages_may_hold_several(folder: Path) -> None:
    (folder / "pages.jsonl").write_text('{"html": "<p>x"}\n')
    found = find_sources(["pages.jsonl"])
    assert found.is_several
    assert found.count is None


@pytest.mark.parametrize(
    ("source", "capture", "name"),
    [
        (NamedSource("a.html", "a.html"), Capture("", url="https://a.example/"), "a.html"),
        (NamedSource("p/a.zip", "a.zip", Kind.ZIP), Capture("", source_file="p/a.zip/b/c.html"), "p/a.zip/b/c.html"),
        (NamedSource("a.warc", "a.warc", Kind.WARC), Capture("", url="https://a.example/"), "https://a.example/"),
        (NamedSource("a.jsonl", "a.jsonl", Kind.JSON_LINES), Capture("", source_offset=7), "a.jsonl:7"),
        (NamedSource("a.warc", "a.warc", Kind.WARC), Capture(fault="damaged"), "a.warc"),
    ],
)
def test_names_of_pages(source: NamedSource, capture: Capture, name: str) -> None:
    assert name_page(source, capture).name == name


def test_file_whose_name_looks_like_a_pattern(folder: Path) -> None:
    (folder / "page[1].html").write_text("<p>")
    assert [source.name for source in find_sources(["page[1].html"]).pages] == ["page[1].html"]


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("empty", "no pages in empty; looked for HTML pages, MHTML, WARC and WACZ files"),
        ("zz*.html", "no file matches zz*.html; check the pattern"),
        (
            "www.a.example/?b=c",
            "no file matches www.a.example/?b=c; for a page on the web write https://www.a.example/?b=c",
        ),
    ],
)
def test_groups_without_pages(argument: str, problem: str, folder: Path) -> None:
    (folder / "empty").mkdir()
    found = find_sources([argument, "pages/ferry.html"])
    assert [message[: len(problem)] for message in found.problems] == [problem]
    assert len(found.pages) == 1


def test_packed_page_is_unpacked(folder: Path) -> None:
    assert read_one("pages/old/ferry.html.gz", ReadOptions()).html == (folder / "pages" / "ferry.html").read_bytes()


@pytest.mark.parametrize("name", ["pages/ferry.html", "pages/old/ferry.html.gz"])
def test_large_file_is_read_to_one_byte_beyond_the_limit(name: str, folder: Path) -> None:
    assert len(read_one(name, ReadOptions(limits=Limits(max_bytes=99))).html or "") == 100


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("missing.html", None, "cannot read missing.html: no such file; check the name"),
        ("", None, "the name of a page is empty; name a file, a folder or an address"),
        (
            "www.a.example",
            None,
            "cannot read www.a.example: no such file; for a page on the web write https://www.a.example",
        ),
        ("a.example/x", None, "cannot read a.example/x: no such file; for a page on the web write https://a.example/x"),
        ("a.html/x", b"", "cannot read a.html/x: no such file; check the name"),
        (
            "ftp://a/b",
            None,
            "cannot read ftp://a/b: no such file; only http and https addresses can be fetched: write https://a/b",
        ),
        ("file:///a/b", None, "cannot read file:///a/b: no such file; for a file write its path: /a/b"),
        ("a.html", b"%PDF-1.7", "a.html is a PDF, not an HTML page"),
        ("b.html", bytes(600), "b.html is binary data, not an HTML page"),
        ("empty.html", b" \n", "empty.html is empty, not an HTML page"),
        ("c.html.gz", b"<p>not packed", "cannot read c.html.gz: the file is not valid gzip"),
        ("d.html.gz", b"\x1f\x8b\x08\x00", "cannot read d.html.gz: the file is truncated"),
        ("e.html", b'{"html": "<p>x"}', "e.html is a JSON Lines file, not an HTML page"),
    ],
)
def test_what_cannot_be_read(name: str, content: bytes | None, reason: str, folder: Path) -> None:
    if content is not None:
        (folder / name.partition("/")[0]).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_one(name, ReadOptions())
    assert str(caught.value) == reason


def test_empty_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="stdin is empty"):
        read_one("-", ReadOptions())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.7", "stdin is a PDF, not an HTML page"),
        (b'{"html": "<p>x</p>"}\n', "stdin is a JSON Lines file, not an HTML page; save it to a file and name that"),
        (b"https://a.example/\n", "stdin is a list of addresses, not an HTML page"),
    ],
)
def test_stdin_that_is_not_a_page(data: bytes, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(InputError, match=reason):
        read_one("-", ReadOptions())

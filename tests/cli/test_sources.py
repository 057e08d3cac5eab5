"""Files, folders, patterns and stdin as sources of pages."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from broadsheet.cli.sources import SourceError, find_sources, read_source
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


def test_file_whose_name_looks_like_a_pattern(folder: Path) -> None:
    (folder / "page[1].html").write_text("<p>")
    assert [source.name for source in find_sources(["page[1].html"]).pages] == ["page[1].html"]


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("empty", "no pages in empty; looked for *.html"),
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
    assert read_source("pages/old/ferry.html.gz").html == (folder / "pages" / "ferry.html").read_bytes()


@pytest.mark.parametrize("name", ["pages/ferry.html", "pages/old/ferry.html.gz"])
def test_large_file_is_read_to_one_byte_beyond_the_limit(name: str, folder: Path) -> None:
    assert len(read_source(name, Limits(max_bytes=99)).html) == 100


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
        ("c.html.gz", b"<p>not packed", "cannot read c.html.gz: the file is not valid gzip"),
        ("d.html.gz", b"\x1f\x8b\x08\x00", "cannot read d.html.gz: the file is not valid gzip"),
    ],
)
def test_what_cannot_be_read(name: str, content: bytes | None, reason: str, folder: Path) -> None:
    if content is not None:
        (folder / name.partition("/")[0]).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read_source(name)
    assert str(caught.value) == reason


def test_empty_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SourceError, match="stdin is empty"):
        read_source("-")

"""Telling pages from what is plainly something else."""

from __future__ import annotations

import gzip

import pytest

from broadsheet.sniff import looks_like_html, name_foreign

PAGE = "<!DOCTYPE html><html><body><p>Überraschung am Hafen</p></body></html>"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"%PDF-1.4 ...", "a PDF"),
        (gzip.compress(b"x"), "a gzip archive"),
        (bytes(range(256)) * 2 + bytes(200), "binary data"),
        (b"", None),
        (b"just words", None),
        (PAGE.encode(), None),
        (PAGE.encode("latin-1"), None),
        (PAGE.encode("utf-16"), None),
        (PAGE.encode("utf-16-le"), None),
        (("words " + PAGE).encode("utf-16-be"), None),
        (b"<p>one\0zero byte in a page is only dirt, and browsers read on</p>", None),
    ],
)
def test_name_foreign(data: bytes, expected: str | None) -> None:
    assert name_foreign(data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PAGE.encode(), True),
        (PAGE.encode("utf-16"), True),
        (b"\xef\xbb\xbf\n <HTML lang=en>", True),
        (b"<!-- saved -->\n<p>", True),
        (b"once upon a time", False),
        (b'{"html": 1}', False),
        (b"", False),
    ],
)
def test_looks_like_html(data: bytes, expected: bool) -> None:
    assert looks_like_html(data) is expected

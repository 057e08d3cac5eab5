"""File types by content."""

from __future__ import annotations

import gzip

import pytest

from broadsheet.page.file_type import detect_file_type, is_html

PAGE = "<!DOCTYPE html><html><body><p>Überraschung am Hafen</p></body></html>"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"%PDF-1.4 ...", "a PDF"),
        (gzip.compress(b"x", mtime=0), "a gzip archive"),
        (bytes(range(256)) * 2 + bytes(200), "binary data"),
        (bytes(number * number * 7 % 251 for number in range(900)), "binary data"),  # without many NUL bytes
        (b"", None),
        (b"just words", None),
        ("<p>港のニュース</p>".encode("iso-2022-jp"), None),
        ("<p>港のニュース</p>".encode("shift-jis"), None),
        (PAGE.encode(), None),
        (PAGE.encode("latin-1"), None),
        (PAGE.encode("utf-16"), None),
        (PAGE.encode("utf-16-le"), None),
        (("words " + PAGE).encode("utf-16-be"), None),
        (b"<title>NUL bytes in place of spaces</title><p>a text of short words".replace(b" ", b"\0"), None),
        (b"<p>one\0NUL byte in a page is ignored, as browsers do</p>", None),
    ],
)
def test_detect_file_type(data: bytes, expected: str | None) -> None:
    assert detect_file_type(data) == expected


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
def test_is_html(data: bytes, expected: bool) -> None:
    assert is_html(data) is expected

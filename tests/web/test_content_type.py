"""The Content-Type header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.web.body import ContentType, parse_content_type


@pytest.mark.parametrize(
    ("header", "media_type", "charset"),
    [
        (None, "", None),
        ("", "", None),
        ("text/html", "text/html", None),
        ("Text/HTML; Charset=UTF-8", "text/html", "utf-8"),
        ('text/html;charset="iso-8859-1"', "text/html", "iso-8859-1"),
        ("html", "text/plain", None),
    ],
)
def test_parse_content_type(header: str | None, media_type: str, charset: str | None) -> None:
    assert parse_content_type(header) == ContentType(media_type, charset)


@given(st.text(st.characters(max_codepoint=255)))
def test_any_header(text: str) -> None:
    parse_content_type(text)
    parse_content_type(f"text/html; charset={text}")
    parse_content_type(f"text/html; charset*={text}'en'{text}")

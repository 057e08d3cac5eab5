from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.output.safe import check_href, check_uri, clean_text


@pytest.mark.parametrize(
    ("href", "checked"),
    [
        ("http://example.org", "http://example.org"),
        ("HTTPS://example.org/a?b=1&c=2#d", "HTTPS://example.org/a?b=1&c=2#d"),
        ("mailto:desk@example.org", "mailto:desk@example.org"),
        ("  https://example.org/ \n", "https://example.org/"),
        ("https://example.org/a b\u00a0c", "https://example.org/a%20b%C2%A0c"),
        ('https://example.org/"><script>', "https://example.org/%22%3E%3Cscript%3E"),
        ("https://example.org/a\\b|c`d", "https://example.org/a%5Cb%7Cc%60d"),
        ("https://example.org/\ud800", "https://example.org/\ufffd"),
        ("https://[::1]/a_(b)", "https://[::1]/a_(b)"),
    ],
)
def test_safe_links(href: str, checked: str) -> None:
    assert check_href(href) == checked


@pytest.mark.parametrize(
    "href",
    [
        None,
        "",
        "#top",
        "/a/b",
        "//example.org",
        "http:",
        "http:example.org",
        "https:///",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "\ufeffjavascript:alert(1)",
        "javascript\x00:alert(1)",
        "javascript&colon;alert(1)",
        "&#106;avascript:alert(1)",
        "javascript://http://x%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox",
        "view-source:http://a",
        "blob:https://a/b",
        "file:///etc/passwd",
        "feed:javascript:alert(1)",
        "ht\ntp://a.b",
        "http://a.b/\x07",
    ],
)
def test_unsafe_links(href: str | None) -> None:
    assert check_href(href) is None


@pytest.mark.parametrize(
    ("address", "uri"),
    [
        ("https://x.example", "https://x.example"),
        ("https://x.example/a[1]?b=]#c#d", "https://x.example/a%5B1%5D?b=%5D#c%23d"),
        ("https://x.example/100%", "https://x.example/100%25"),
        ("https://x.example/a%20b", "https://x.example/a%20b"),
        ("http://u:p@[::1]:80/a", "http://u:p@[::1]:80/a"),
        ("mailto:a@[b]", "mailto:a@%5Bb%5D"),
        ("https://x]y/", None),
        ("https://x@y@z/", None),
        ("https://x.example:999999/", None),
        ("javascript:x", None),
    ],
)
def test_addresses_in_xml(address: str, uri: str | None) -> None:
    assert check_uri(address) == uri


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\x00b\x08c\x1bd", "abcd"),
        ("a\x0cb\x1fc", "a b c"),  # these two separate words
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\ufffeb\uffffc", "abc"),
        ("half \ud83d, whole \ud83d\ude00, \U0001f600", "half \ufffd, whole \U0001f600, \U0001f600"),
    ],
)
def test_clean_text(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@given(st.text(st.characters(codec=None)))
def test_cleaned_text_can_be_written_as_utf8(raw: str) -> None:
    clean = clean_text(raw)
    assert clean.encode("utf-8").decode("utf-8") == clean
    assert clean_text(clean) == clean

from __future__ import annotations

import pytest

from broadsheet.page import host_of, resolve_address, strip_www


@pytest.mark.parametrize(
    ("href", "base", "link"),
    [
        ("b", "https://x.example/a/", "https://x.example/a/b"),
        ("//y.example/", "https://x.example/", "https://y.example/"),
        ("b", None, None),
        ("#top", "https://x.example/a", None),
        (" /a b/c\nd.html ", "https://x.example/", "https://x.example/a%20b/cd.html"),
        ("https://y.example/", None, "https://y.example/"),
        ("mailto:a@x.example", None, "mailto:a@x.example"),
        ("java\nscript:alert(1)", "https://x.example/", None),
        ("\x01javascript:alert(1)", None, None),
        ("data:text/html,x", "https://x.example/", None),
        ("//[", "https://x.example/", None),
        ("http://[", "https://x.example/", None),
        ("/a/../b", "https://x.example/c/", "https://x.example/b"),
        ("/b?c", "https://x.example:8080/a/d?e", "https://x.example:8080/b?c"),
        ("/b", "http://[", None),
        ("x" * 3000, "https://x.example/", None),
        ("http://", None, None),
        ("", "https://x.example/", None),
    ],
)
def test_resolve_address(href: str, base: str | None, link: str | None) -> None:
    assert resolve_address(href, base) == link


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.X.example:8080/a", "x.example"),
        ("https://news.x.example/", "news.x.example"),
        ("x.example/a", ""),
        ("http://[", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_host_of(url: str | None, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("host", "stripped"),
    [("www.x.example", "x.example"), ("x.example", "x.example"), ("WWW.x.example", "WWW.x.example")],
)
def test_strip_www(host: str, stripped: str) -> None:
    assert strip_www(host) == stripped

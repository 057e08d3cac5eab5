"""Addresses that can be fetched."""

from __future__ import annotations

import pytest

from broadsheet.web import find_fault, is_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a.example/", True),
        ("HTTPS://a.example", True),
        ("page.html", False),
        ("httpd.html", False),
        ("", False),
    ],
)
def test_is_address(text: str, expected: bool) -> None:
    assert is_address(text) is expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://a.example/b?c#d", None),
        ("http://[::1]:8080/", None),
        ("http://bücher.example/", None),
        ("file:///etc/hostname", "only http and https addresses can be fetched; write https://..."),
        ("http://a.example:port/", "not a valid address"),
        ("http://[::1/", "not a valid address"),
        ("http://", "the address has no host; write https://host/path"),
        ("http://:80/", "the address has no host; write https://host/path"),
    ],
)
def test_find_fault(address: str, expected: str | None) -> None:
    assert find_fault(address) == expected

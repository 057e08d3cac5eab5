"""Addresses of a page's links and pictures, made absolute."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin

_ABSOLUTE = re.compile(r"(?:https?://[^\s/?#<>\"'\[\]]+(?:[/?#]|$)|mailto:[^\s])", re.IGNORECASE)
_LINE_BREAK = re.compile(r"[\t\r\n]")
_MAX_ADDRESS = 2_000  # characters; longer ones are data or mistakes


def resolve_address(address: str, base: str | None) -> str | None:
    """Make an address absolute; None unless it comes out as http, https or mailto."""
    address = address.strip()
    if not address.isprintable() or " " in address:  # what browsers make of it
        address = _LINE_BREAK.sub("", address).replace(" ", "%20")
    if not 0 < len(address) <= _MAX_ADDRESS or address[0] == "#":  # a place on the same page leads nowhere else
        return None
    if base and not address.startswith(("http://", "https://")):
        joined = _join(address, base)
        if joined is None:
            return None
        address = joined
    return address if _ABSOLUTE.match(address) else None


def _join(address: str, base: str) -> str | None:
    # The standard library's way takes ten times as long; most addresses of a page begin with a slash.
    if address[0] == "/" and address[1:2] != "/" and "/." not in address:
        return _find_origin(base) + address
    try:
        return urljoin(base, address)
    except ValueError:  # such as a broken IPv6 host
        return None


@lru_cache(maxsize=64)
def _find_origin(base: str) -> str:
    try:
        return urljoin(base, "/").removesuffix("/")
    except ValueError:
        return ""

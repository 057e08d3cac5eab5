"""Addresses of pages, links and images: make them absolute, and read their host."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

_ABSOLUTE = re.compile(r"(?:https?://[^\s/?#<>\"'\[\]]+(?:[/?#]|$)|mailto:[^\s])", re.IGNORECASE)
_PLAIN_HOST = re.compile(r"https?://([a-z0-9.-]+)(?:/|$)", re.ASCII)
_LINE_BREAK = re.compile(r"[\t\r\n]")
_MAX_ADDRESS_CHARS = 2_000  # longer addresses contain data or are mistakes


def resolve_address(address: str, base: str | None) -> str | None:
    """Return the absolute form of an address, or None if that is not http, https or mailto.

    Fragments of the same page ("#top") give None as well.
    """
    address = address.strip()
    if not address.isprintable() or " " in address:  # as browsers do
        address = _LINE_BREAK.sub("", address).replace(" ", "%20")
    if not 0 < len(address) <= _MAX_ADDRESS_CHARS or address[0] == "#":
        return None
    if base and not address.startswith(("http://", "https://")):
        joined = _join(address, base)
        if joined is None:
            return None
        address = joined
    return address if _ABSOLUTE.match(address) else None


def host_of(url: str | None) -> str:
    """Return the host name of an address without "www."; "" if it has none."""
    if match := _PLAIN_HOST.match(url or ""):  # most addresses; urlsplit takes ten times as long
        return strip_www(match[1])
    try:
        return strip_www(urlsplit(url or "").hostname or "")
    except ValueError:  # for example, a broken IPv6 host
        return ""


def strip_www(host: str) -> str:
    """Remove a leading "www." (lower case only) from a host name."""
    return host.removeprefix("www.")


def _join(address: str, base: str) -> str | None:
    # Most addresses begin with a slash. Joining those here is ten times as fast as urljoin.
    if address[0] == "/" and address[1:2] != "/" and "/." not in address:
        return _find_origin(base) + address
    try:
        return urljoin(base, address)
    except ValueError:  # for example, a broken IPv6 host
        return None


@lru_cache(maxsize=64)
def _find_origin(base: str) -> str:
    try:
        return urljoin(base, "/").removesuffix("/")
    except ValueError:
        return ""

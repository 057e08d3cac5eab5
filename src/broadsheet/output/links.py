"""Addresses that are safe to link to."""

from __future__ import annotations

import re

from broadsheet.output.characters import clean_text
from broadsheet.text.patterns import compile_later

_SAFE_SCHEME = compile_later(r"https?://[^\s/]|mailto:[^\s]", re.IGNORECASE)
# Browsers remove some of these before they read the scheme of an address. Valid addresses contain none.
_CONTROL = compile_later(r"[\x00-\x1f\x7f-\x9f]")
# Not allowed in an address; each of them ends an address or a cell in one of the formats.
_UNENCODED = compile_later(r"[\s<>\"`\\|]")

# Scheme and authority (user, host and port), then the rest.
_URI = compile_later(
    r"(mailto:|https?://(?:[^@:\[\]%/?#]*(?::[^@:\[\]%/?#]*)?@)?(?:\[[0-9a-f:.]+\]|[^@:\[\]%/?#]+)(?::\d{0,5})?(?=[/?#]|\Z))"
    r"(.*)",
    re.IGNORECASE | re.DOTALL,
)
_INVALID_IN_URI = compile_later(r"[\[\]#]|%(?![0-9a-f]{2})", re.IGNORECASE)


def check_href(href: str | None) -> str | None:
    """Return an address that is safe to link to, or None. Only http, https and mailto are safe."""
    if href is None:
        return None
    address = href.strip()
    if _CONTROL.search(address) or not _SAFE_SCHEME.match(address):
        return None
    return _UNENCODED.sub(_percent_encode, clean_text(address))


def check_uri(href: str | None) -> str | None:
    """Return an address that is safe to link to and valid in XML (xs:anyURI), or None."""
    address = check_href(href)
    match = _URI.fullmatch(address) if address else None
    if match is None:
        return None
    start, rest = match.groups()
    path, mark, fragment = rest.partition("#")
    return start + _INVALID_IN_URI.sub(_percent_encode, path) + mark + _INVALID_IN_URI.sub(_percent_encode, fragment)


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())

"""Addresses that are safe to link to."""

from __future__ import annotations

import re

from broadsheet.output.characters import clean_text

_SAFE_SCHEME = re.compile(r"https?://[^\s/]|mailto:[^\s]", re.IGNORECASE)
# Browsers remove some of these before they read the scheme of an address. Valid addresses contain none.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Not allowed in an address; each of them ends an address or a cell in one of the formats.
_UNENCODED = re.compile(r"[\s<>\"`\\|]")


def check_href(href: str | None) -> str | None:
    """Return an address that is safe to link to, or None. Only http, https and mailto are safe."""
    if href is None:
        return None
    address = href.strip()
    if _CONTROL.search(address) or not _SAFE_SCHEME.match(address):
        return None
    return _UNENCODED.sub(_percent_encode, clean_text(address))


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())

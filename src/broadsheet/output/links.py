"""Addresses that may be linked to."""

from __future__ import annotations

import re

from broadsheet.output.characters import clean_text

_ALLOWED = re.compile(r"https?://[^\s/]|mailto:[^\s]", re.IGNORECASE)
# Browsers drop some of these from an address before they read its scheme; in an honest address there are none.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Never allowed raw in an address; each of them ends something in one of the formats.
_TO_ENCODE = re.compile(r"[\s<>\"`\\|]")


def check_href(href: str | None) -> str | None:
    """Give back an address that is safe to link to, or None: only http, https and mailto pass."""
    if href is None:
        return None
    address = href.strip()
    if _CONTROL.search(address) or not _ALLOWED.match(address):
        return None
    return _TO_ENCODE.sub(_percent_encode, clean_text(address))


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())

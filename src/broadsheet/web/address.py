"""Addresses that can be fetched: http and https, with a host."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_PASSWORD = re.compile(r"(?<=://)([^/?#@\s:]*):[^/?#\s]*@")


def is_address(text: str) -> bool:
    """Return whether a text is an http or https address, as opposed to a file name."""
    return text[:8].lower().startswith(("http://", "https://"))


def find_fault(address: str) -> str | None:
    """Return why an address cannot be fetched, or None if it can."""
    if not is_address(address):
        return "only http and https addresses can be fetched; write https://..."
    try:
        parts = urlsplit(address.strip())
        _ = parts.port  # raises ValueError if it is not a number
    except ValueError:
        return "not a valid address"
    return None if parts.hostname else "the address has no host; write https://host/path"


def hide_passwords(text: str) -> str:
    """Replace the passwords of addresses in a text: `https://user:***@host/`."""
    return _PASSWORD.sub(r"\1:***@", text) if "@" in text else text

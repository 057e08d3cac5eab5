"""Characters and addresses that are safe to write: no control characters, no scripts in links."""

from __future__ import annotations

import re

from broadsheet.text import compile_later

# Not allowed in XML 1.0 and not wanted in HTML; halves of surrogate pairs cannot be written as UTF-8.
FORBIDDEN = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff\\ud800-\\udfff"
_FORBIDDEN_OR_CR = compile_later(f"[{FORBIDDEN}\r]")
_FORBIDDEN = compile_later(f"[{FORBIDDEN}]")
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


def clean_text(text: str) -> str:
    """Remove control characters and repair surrogates, so that a text fits every format and encoding."""
    if text.isprintable() or _FORBIDDEN_OR_CR.search(text) is None:  # isprintable is much faster, and mostly enough
        return text
    # UTF-16 joins two adjacent halves of a pair into their character.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _FORBIDDEN.sub(_replace_control, joined.replace("\r\n", "\n").replace("\r", "\n"))


def _replace_control(match: re.Match[str]) -> str:
    return " " if match[0].isspace() else ""  # control characters that separate words become spaces


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

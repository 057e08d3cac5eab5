"""Characters that an output cannot contain."""

from __future__ import annotations

import re

from broadsheet.text.patterns import compile_later

# Not allowed in XML 1.0 and not wanted in HTML; halves of surrogate pairs cannot be written as UTF-8.
FORBIDDEN = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff\\ud800-\\udfff"
_FORBIDDEN_OR_CR = compile_later(f"[{FORBIDDEN}\r]")
_FORBIDDEN = compile_later(f"[{FORBIDDEN}]")


def clean_text(text: str) -> str:
    """Remove control characters and repair surrogates, so that a text fits every format and encoding."""
    if text.isprintable() or _FORBIDDEN_OR_CR.search(text) is None:  # isprintable is much faster, and mostly enough
        return text
    # UTF-16 joins two adjacent halves of a pair into their character.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _FORBIDDEN.sub(_replace_control, joined.replace("\r\n", "\n").replace("\r", "\n"))


def _replace_control(match: re.Match[str]) -> str:
    return " " if match[0].isspace() else ""  # control characters that separate words become spaces

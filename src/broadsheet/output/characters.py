"""Characters that no output can carry."""

from __future__ import annotations

import re

# Not allowed in XML 1.0, not wanted in HTML, and halves of surrogate pairs cannot be written as UTF-8 at all.
UNFIT = "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff\\ud800-\\udfff"
_UNFIT = re.compile(f"[{UNFIT}\r]")
_CONTROL = re.compile(f"[{UNFIT}]")


def clean_text(text: str) -> str:
    """Take out control characters and mend broken surrogates, so that text fits every format and encoding."""
    if text.isprintable() or _UNFIT.search(text) is None:  # the first is much faster, and mostly enough
        return text
    # Through UTF-16, two halves that stand together become the character that they are.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub(_replace_control, whole.replace("\r\n", "\n").replace("\r", "\n"))


def _replace_control(match: re.Match[str]) -> str:
    return " " if match[0].isspace() else ""  # Python splits words at some of them: they must stay apart

"""Errors as one line on stderr: "broadsheet: what failed; what to do"."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType

# Names and addresses may hold anything; a terminal should see no control characters of theirs.
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), " ")
_OTHER_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # those that do not stand for a byte


def complain(message: str, code: int = 1) -> int:
    """Print an error and give its exit code back."""
    print(f"broadsheet: {flatten(message)}", file=sys.stderr)
    return code


def flatten(text: str) -> str:
    """Put a text on one line, without control characters."""
    return " ".join(show_name(text).translate(_CONTROLS).split())


def show_name(name: str) -> str:
    """Make a file name fit for output. Python keeps bytes that the locale has no letters for as lone surrogates."""
    if name.isascii():
        return name
    data = _OTHER_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", name).encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "replace")  # most such bytes are UTF-8 after all


def suggest(kind: str, name: str, known: Iterable[str], aliases: Mapping[str, str] = MappingProxyType({})) -> str:
    """Say that there is no such thing, what there is, and what may have been meant: other names for it, or a slip."""
    known = list(known)
    message = f"unknown {kind} {name!r}; known: {', '.join(known)}"
    meant = aliases.get(name.lower(), name.lower())
    close = difflib.get_close_matches(meant, known, n=1)
    return f"{message}; did you mean {close[0]!r}?" if close else message

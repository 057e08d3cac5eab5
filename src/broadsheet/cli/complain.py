"""Errors as one line on stderr: "broadsheet: what failed; what to do"."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable

# Names and addresses may hold anything; a terminal should see no control characters of theirs.
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), " ")


def complain(message: str, code: int = 1) -> int:
    """Print an error and give its exit code back."""
    print(f"broadsheet: {flatten(message)}", file=sys.stderr)
    return code


def flatten(text: str) -> str:
    """Put a text on one line, without control characters."""
    return " ".join(text.translate(_CONTROLS).split())


def suggest(kind: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no such thing, what there is, and what may have been meant."""
    known = list(known)
    message = f"unknown {kind} {name!r}; known: {', '.join(known)}"
    close = difflib.get_close_matches(name.lower(), known, n=1)
    return f"{message}; did you mean {close[0]!r}?" if close else message

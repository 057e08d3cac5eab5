"""Find commas and closing brackets in CSS text."""

from __future__ import annotations

import re

_BRACKET = re.compile(r"[()]")
_STRING_OR_BRACKET = re.compile(r"\"[^\"]*\"?|'[^']*'?|[(),\[\]]")


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that are outside brackets and strings."""
    parts, depth, start = [], 0, 0
    for match in _STRING_OR_BRACKET.finditer(text):
        char = match[0]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def find_closing_bracket(text: str, start: int) -> int:
    """Return the index of the `)` that closes a bracket opened before `start`; the end of the text without one."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)

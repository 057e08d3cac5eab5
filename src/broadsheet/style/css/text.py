"""Scan CSS text: mask comments, strings and URLs, find commas and closing brackets."""

from __future__ import annotations

import re

# The tokens in which braces and semicolons have no meaning. Each alternative begins with a distinct literal character:
# the regex engine skips to the next of these, which is several times as fast.
_OPAQUE_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|\\.(?:\\.)*+"  # escapes in names, as in `.content-\[\'\'\]`
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
    r"|\((?<=url\()\s*+(?![\"'])[^)]*+\)?",
    re.DOTALL,
)
_PUNCTUATION = re.compile(r"[{};]")
_BRACKET = re.compile(r"[()]")
_STRING_OR_BRACKET = re.compile(r"\"[^\"]*\"?|'[^']*'?|[(),\[\]]")


def mask_tokens(css: str) -> str:
    """Replace comments by spaces, and strings and URLs that contain braces or semicolons by empty ones."""
    return _OPAQUE_TOKEN.sub(_mask_token, css)


def _mask_token(match: re.Match[str]) -> str:
    token = match[0]
    if token[0] == "/":
        return " "
    if not _PUNCTUATION.search(token):
        return token
    return "()" if token[0] == "(" else '""'


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that are outside brackets and strings."""
    if "(" not in text and "[" not in text:
        return text.split(",")
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

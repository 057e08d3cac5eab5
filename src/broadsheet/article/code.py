"""Preformatted text: its characters, and the language it is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from broadsheet.page import TEXT, Nodes, tags

_LANGUAGE_ATTRIBUTES = ("data-lang", "data-language")
_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?-|brush:\s?|highlight-(?:source-|text-)?|sourceCode\s)([A-Za-z][A-Za-z0-9+#._-]{0,29})"
)
_OLD_HIGHLIGHT_CLASS = re.compile(r"^hljs\s+([A-Za-z][A-Za-z0-9+#]{0,29})$")  # of older versions of highlight.js
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#._-]{0,29}")
_NO_LANGUAGES = frozenset(
    ("none", "plain", "plaintext", "text", "highlight", "nohighlight", "source", "code", "copy", "undefined")
)
_MAX_INNER_ROWS = 3  # inside the block: <pre><code>


def find_preformatted(nodes: Nodes, container: int) -> int:
    """Return the row of the `<pre>` (or the like) around a container."""
    for row in (container, *nodes.ancestors(container)):
        if tags.CONTEXT.get(nodes.tag[row]) == tags.CODE:
            return row
    return container


def read_code(nodes: Nodes, rows: Sequence[int]) -> str:
    """Return the characters of text nodes and breaks."""
    return "".join([nodes.text[row] if nodes.tag[row] == TEXT else "\n" for row in rows])


def find_language(nodes: Nodes, preformatted: int) -> str:
    """Return the language that the elements around or inside preformatted text name; "" if none does."""
    parent = nodes.parent[preformatted]
    inner = range(preformatted, min(preformatted + _MAX_INNER_ROWS, nodes.end[preformatted]))
    for row in (*inner, parent, nodes.parent[parent] if parent >= 0 else -1):
        if row < 0 or nodes.tag[row] == TEXT:
            continue
        for name in _LANGUAGE_ATTRIBUTES:
            if _LANGUAGE.fullmatch(value := nodes.attr(row, name)):
                return value.lower()
        names = nodes.attr(row, "class")
        match = _LANGUAGE_CLASS.search(names) or _OLD_HIGHLIGHT_CLASS.match(names)
        if match and match[1].lower() not in _NO_LANGUAGES:
            return match[1].lower()
    return ""

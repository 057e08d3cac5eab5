"""The text of a block as runs (bold, italic, code, deleted, superscript, subscript and links) or as code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, islice
from typing import NamedTuple

from broadsheet.article.parts import Run, Script
from broadsheet.blocks import Span, cut_text
from broadsheet.page import TEXT, Nodes, resolve_address, tags
from broadsheet.text import drop_invisible

_BOLD_TAGS = frozenset(("b", "strong"))
_ITALIC_TAGS = frozenset(("i", "em", "cite", "dfn", "var"))
_CODE_TAGS = frozenset(("code", "kbd", "samp", "tt"))
_DELETED_TAGS = frozenset(("del", "s", "strike"))
_SCRIPT_TAGS = frozenset(("sup", "sub"))
_FORMATTING_TAGS = _BOLD_TAGS | _ITALIC_TAGS | _CODE_TAGS | _DELETED_TAGS | _SCRIPT_TAGS | {"a"}
_LANGUAGE_ATTRIBUTES = ("data-lang", "data-language")
_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?-|brush:\s?|highlight-(?:source-|text-)?|sourceCode\s)([A-Za-z][A-Za-z0-9+#._-]{0,29})"
)
_OLD_HIGHLIGHT_CLASS = re.compile(r"^hljs\s+([A-Za-z][A-Za-z0-9+#]{0,29})$")  # of older versions of highlight.js
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#._-]{0,29}")
_NO_LANGUAGES = frozenset(
    ("none", "plain", "plaintext", "text", "highlight", "nohighlight", "source", "code", "copy", "undefined")
)
_LINE_NUMBER_CLASS = re.compile(
    r"(?:^|[\s_-])(?:line-?(?:num|number)s?|linenos?|linenumbers?|gutter|blob-num|hljs-ln-n|ln)(?:$|[\s_-])",
    re.IGNORECASE,
)
_NUMBERED_LINE = re.compile(r"[ \t]*(\d{1,5})[.:|]?(?:[ \t](.*))?[ \t\r]*")
_MIN_NUMBERED_LINES = 3
_MAX_NUMBER_LEVELS = 3  # from a number up to the element that is named for it
# The notes of links for screen readers.
_LINK_NOTE = re.compile(
    r"\s*[,(\[–-]?\s*\b(?:this link )?opens? (?:in )?(?:an? )?(?:new|external) (?:browser )?(?:tab|window)"
    r"(?: or (?:tab|window))?[)\].]?"
    r"(?=$|[\s,.;:!?)])",
    re.IGNORECASE,
)
_MAX_INNER_ROWS = 3  # inside the block: <pre><code>


class _Format(NamedTuple):
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False
    href: str | None = None
    is_deleted: bool = False
    script: Script = ""


_UNFORMATTED = _Format()


class RunReader:
    """Reads the runs of blocks, with their formatting."""

    def __init__(self, nodes: Nodes, base: str | None) -> None:
        self._nodes = nodes
        self._base = base  # the address that links are relative to
        self._formats: dict[int, _Format] = {-1: _UNFORMATTED}  # of the text directly in an element, by its row

    def read(self, rows: Sequence[int], text: str) -> tuple[Run, ...]:
        """Return the runs of a block, given its rows and its text."""
        nodes = self._nodes
        if len(rows) == 1:  # most blocks
            return (_make_run(text, self._find_format(nodes.parent[rows[0]])),)
        parents, node_tags, find_format = nodes.parent, nodes.tag, self._find_format
        formats = [find_format(parents[row]) if node_tags[row] == TEXT else None for row in rows]
        if formats.count(formats[0]) + formats.count(None) == len(formats):  # one format; the first row is text
            return (_make_run(text, formats[0]),) if formats[0] else ()
        return _make_runs([nodes.text[row] for row in rows], formats)

    def _find_format(self, row: int) -> _Format:
        """Return the format of the text in an element: its own and that of the elements up to the container."""
        formats = self._formats
        if (result := formats.get(row)) is not None:
            return result
        node_tags, parents = self._nodes.tag, self._nodes.parent
        path = []
        while (result := formats.get(row)) is None:
            if node_tags[row] in tags.CONTAINERS:
                result = formats[row] = _UNFORMATTED
                break
            path.append(row)
            row = parents[row]
        for row in reversed(path):
            if node_tags[row] in _FORMATTING_TAGS:
                result = self._add_format(row, result)
            formats[row] = result
        return result

    def _add_format(self, row: int, outer: _Format) -> _Format:
        tag = self._nodes.tag[row]
        is_bold, is_italic, is_code, href, is_deleted, script = outer
        if tag == "a":
            href = resolve_address(self._nodes.attr(row, "href"), self._base) or href
            script = "note" if script == "sup" else script
        elif tag in _SCRIPT_TAGS:
            script = self._find_script(row, tag)
        return _Format(
            is_bold or tag in _BOLD_TAGS,
            is_italic or tag in _ITALIC_TAGS,
            is_code or tag in _CODE_TAGS,
            href,
            is_deleted or tag in _DELETED_TAGS,
            script,
        )

    def _find_script(self, row: int, tag: str) -> Script:
        if tag == "sub":
            return "sub"
        is_linked = self._nodes.tag[self._nodes.parent[row]] == "a"
        return "note" if is_linked else "sup"


def _make_run(text: str, run_format: _Format) -> Run:
    # Most text is not formatted, and the short form takes half the time.
    text = drop_link_notes(text)
    return Run(text) if run_format is _UNFORMATTED else Run(text, *run_format)


def _make_runs(texts: Sequence[str], formats: Sequence[_Format | None]) -> tuple[Run, ...]:
    """Join pieces of text of equal format, collapsing white space between them. A piece without format is a break."""
    runs: list[Run] = []
    pieces: list[str] = []  # of the current run
    current: _Format | None = None
    gap = ""  # before the next piece
    for text, piece_format in zip(texts, formats, strict=True):
        if piece_format is None:
            gap = "\n"
            continue
        visible = drop_link_notes(drop_invisible(text))
        piece = " ".join(visible.split())
        if not gap and visible[:1].isspace():
            gap = " "
        if not piece:
            continue
        if gap and pieces:
            pieces.append(gap)
        if piece_format != current:
            if current is not None:
                runs.append(_make_run("".join(pieces), current))
            pieces, current = [], piece_format
        pieces.append(piece)
        gap = " " if visible[-1].isspace() else ""
    if current is not None:
        runs.append(_make_run("".join(pieces), current))
    return tuple(runs)


def cut_runs(runs: Sequence[Run], text: str, spans: Sequence[Span]) -> tuple[Run, ...]:
    """Return the runs of the kept ranges of a block's text, with a space between the ranges."""
    if "".join(run.text for run in runs) != text:  # the positions are those of the text
        return (Run(cut_text(text, spans)),)
    starts = [0, *accumulate(len(run.text) for run in runs[:-1])]
    cut: list[Run] = []
    for start, end in spans:
        pieces = [
            replace(run, text=run.text[max(start - run_start, 0) : end - run_start])
            for run, run_start in zip(runs, starts, strict=True)
            if start < run_start + len(run.text) and run_start < end
        ]
        cut += [Run(" "), *pieces] if cut else pieces
    return tuple(cut)


def drop_link_notes(text: str) -> str:
    """Remove ", opens new tab" and its like, which pages hide beside links."""
    if "pens " not in text or ("tab" not in text and "window" not in text):
        return text
    return _LINK_NOTE.sub("", text)


def find_preformatted(nodes: Nodes, container: int) -> int:
    """Return the row of the `<pre>` (or the like) around a container."""
    for row in (container, *nodes.ancestors(container)):
        if tags.CONTEXT.get(nodes.tag[row]) == tags.CODE:
            return row
    return container


def read_code(nodes: Nodes, rows: Sequence[int]) -> str:
    """Return the characters of text nodes and breaks, without the numbers of lines."""
    numbers = {row for row in rows if nodes.tag[row] == TEXT and _is_line_number(nodes, row)}
    kept = [row for row in rows if row not in numbers]
    return _drop_line_numbers("".join([nodes.text[row] if nodes.tag[row] == TEXT else "\n" for row in kept]))


def _is_line_number(nodes: Nodes, row: int) -> bool:
    """Tell whether a text node is digits in an element that is named for the numbers of lines."""
    if not nodes.text[row].strip().isdigit():
        return False
    ancestors = islice(nodes.ancestors(row), _MAX_NUMBER_LEVELS)
    return any(_LINE_NUMBER_CLASS.search(nodes.attr(element, "class")) for element in ancestors)


def _drop_line_numbers(text: str) -> str:
    """Remove consecutive numbers from the starts of all lines, if there are at least three lines."""
    lines = text.strip("\r\n").split("\n")
    matches = [_NUMBERED_LINE.fullmatch(line) for line in lines]
    has_code = any(match and match[2] for match in matches)
    if len(lines) < _MIN_NUMBERED_LINES or not has_code or not all(matches):
        return text
    numbers = [int(match[1]) for match in matches if match]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return text
    return "\n".join(match[2] or "" for match in matches if match)


def find_code_language(nodes: Nodes, preformatted: int) -> str:
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

"""The one place that knows the parser (turbohtml): HTML in, node table out.

The parser builds the WHATWG tree, as a browser does, and reports it as events; no parser object outlives the call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from turbohtml import detect as _detect
from turbohtml.saxparse import SaxHandler, sax_parse

from broadsheet.page.limits import DEFAULT_LIMITS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.nodes import TEXT, Nodes

_LOOK_EVERY = 4096  # rows between two looks at the clock

_Attributes = tuple[tuple[str, str | None], ...]


def parse_nodes(html: str, *, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_DEADLINE) -> Nodes:
    """Parse once, walk once, and return the table."""
    recorder = _record(limits, deadline)
    is_cut = False
    try:
        sax_parse(html, cast("SaxHandler", recorder.events))
    except _TooManyNodes:
        is_cut = True
    return recorder.finish(is_cut)


def detect_encoding(data: bytes) -> str:
    """Guess the character set of undeclared bytes, as a codec name for `bytes.decode`."""
    return _detect.detect(data).codec or "utf-8"


def detect_language(text: str) -> str | None:
    """Guess the language of a text, as an ISO 639-3 code; None when it is too short or unclear."""
    match = _detect.detect_language(text)
    return match.language if match.confidence >= _MIN_LANGUAGE_CONFIDENCE else None


_MIN_LANGUAGE_CONFIDENCE = 0.5


class _TooManyNodes(Exception):  # noqa: N818  a signal to stop the parser, not an error
    """The table is full."""


@dataclass(frozen=True, slots=True)
class _Events:
    """The callbacks of a SaxHandler as plain functions: closures are faster than methods here."""

    start_element: Callable[[str, _Attributes], None]
    end_element: Callable[[str], None]
    characters: Callable[[str], None]
    comment: Callable[[str], None]
    doctype: Callable[[str, str | None, str | None], None]
    processing_instruction: Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class _Recorder:
    events: _Events
    finish: Callable[[bool], Nodes]


def _record(limits: Limits, deadline: Deadline) -> _Recorder:  # one closure: the hot loop of the whole program
    tags: list[str] = []
    parents: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    attrs: dict[int, dict[str, str | None]] = {}
    open_rows: list[int] = [-1]
    deepest = 0
    next_look = 0

    def look_around(row: int) -> None:
        nonlocal next_look
        if row >= limits.max_nodes:
            raise _TooManyNodes
        deadline.check()
        next_look = min(row + _LOOK_EVERY, limits.max_nodes)

    def start(tag: str, attributes: _Attributes) -> None:
        nonlocal deepest
        row = len(tags)
        if row >= next_look:
            look_around(row)
        if attributes:
            attrs[row] = dict(attributes)
        tags.append(tag)
        parents.append(open_rows[-1])
        ends.append(0)
        texts.append("")
        open_rows.append(row)
        if len(open_rows) > deepest:
            deepest = len(open_rows)

    def end(_tag: str) -> None:
        ends[open_rows.pop()] = len(tags)

    def characters(data: str) -> None:
        row = len(tags)
        if row >= next_look:
            look_around(row)
        parent = open_rows[-1]
        if tags[parent] == "script" and "json" not in (attrs.get(parent, _NONE).get("type") or ""):
            data = ""  # program text is long and nobody reads it
        tags.append(TEXT)
        parents.append(parent)
        ends.append(row + 1)
        texts.append(data)

    def finish(is_cut: bool) -> Nodes:
        for row in open_rows[1:]:
            ends[row] = len(tags)
        if deepest > limits.max_depth:
            _flatten(parents, ends, limits.max_depth)
        return Nodes(tags, parents, ends, texts, attrs, is_cut)

    return _Recorder(_Events(start, end, characters, _ignore, _ignore, _ignore), finish)


_NONE: dict[str, str | None] = {}


def _ignore(*_: object) -> None: ...


def _flatten(parents: list[int], ends: list[int], max_depth: int) -> None:
    """Make every node at or below `max_depth` a childless child of its ancestor just above that depth."""
    depths: list[int] = []
    above = -1
    for row, parent in enumerate(parents):
        depth = depths[parent] + 1 if parent >= 0 else 0
        depths.append(depth)
        if depth == max_depth - 1:
            above = row
        elif depth >= max_depth:
            parents[row], ends[row] = above, row + 1

"""The text of a block as runs: where it is bold, italic, code, or a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from broadsheet.article.parts import Run
from broadsheet.blocks import drop_invisible, tags
from broadsheet.page import TEXT, Nodes, resolve_address

_BOLD = frozenset(("b", "strong"))
_ITALIC = frozenset(("i", "em", "cite", "dfn", "var"))
_CODE = frozenset(("code", "kbd", "samp", "tt"))
_LOOKS = _BOLD | _ITALIC | _CODE | {"a"}


class _Look(NamedTuple):
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False
    href: str | None = None


_PLAIN = _Look()


class RunReader:
    """Reads blocks again, this time with their looks."""

    def __init__(self, nodes: Nodes, base: str | None) -> None:
        self._nodes = nodes
        self._base = base  # what links are relative to
        self._looks: dict[int, _Look] = {-1: _PLAIN}  # of what is directly in an element, by its row

    def read(self, rows: Sequence[int], text: str) -> tuple[Run, ...]:
        """Read the runs of a block, given its rows and its text, which is theirs together."""
        nodes = self._nodes
        if len(rows) == 1:  # most blocks
            return (_make_run(text, self._find_look(nodes.parent[rows[0]])),)
        parents = nodes.parent
        looks = [self._find_look(parents[row]) if nodes.tag[row] == TEXT else None for row in rows]
        if looks.count(looks[0]) + looks.count(None) == len(looks):  # all of one look: the first row is text
            return (_make_run(text, looks[0]),) if looks[0] else ()
        return _write_runs([nodes.text[row] for row in rows], looks)

    def _find_look(self, row: int) -> _Look:
        """Look of the text in an element: that of the elements around it, up to the container, and its own."""
        nodes, looks = self._nodes, self._looks
        path = []
        while row not in looks:
            if nodes.tag[row] in tags.CONTAINERS:
                looks[row] = _PLAIN
                break
            path.append(row)
            row = nodes.parent[row]
        look = looks[row]
        for row in reversed(path):
            if nodes.tag[row] in _LOOKS:
                look = self._add_look(row, look)
            looks[row] = look
        return look

    def _add_look(self, row: int, outer: _Look) -> _Look:
        tag = self._nodes.tag[row]
        is_bold, is_italic, is_code, href = outer
        if tag == "a":
            href = resolve_address(self._nodes.attr(row, "href"), self._base) or href
        return _Look(is_bold or tag in _BOLD, is_italic or tag in _ITALIC, is_code or tag in _CODE, href)


def _make_run(text: str, look: _Look) -> Run:
    return Run(text) if look is _PLAIN else Run(text, *look)  # the short way takes half the time, and most are plain


def _write_runs(texts: Sequence[str], looks: Sequence[_Look | None]) -> tuple[Run, ...]:
    """Gather pieces of text into runs, folding white space across their borders; a piece without a look is a break."""
    runs: list[Run] = []
    pieces: list[str] = []  # of the run under construction
    current: _Look | None = None
    gap = ""  # that the next piece wants before it
    for raw, look in zip(texts, looks, strict=True):
        if look is None:
            gap = "\n"
            continue
        visible = drop_invisible(raw)
        text = " ".join(visible.split())
        if not gap and visible[:1].isspace():
            gap = " "
        if not text:
            continue
        if gap and pieces:
            pieces.append(gap)
        if look != current:
            if current is not None:
                runs.append(_make_run("".join(pieces), current))
            pieces, current = [], look
        pieces.append(text)
        gap = " " if visible[-1].isspace() else ""
    if current is not None:
        runs.append(_make_run("".join(pieces), current))
    return tuple(runs)

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
            return (Run(text, *self._find_look(nodes.parent[rows[0]])),)
        writer = _RunWriter()
        for row in rows:
            if nodes.tag[row] == TEXT:
                writer.add(nodes.text[row], self._find_look(nodes.parent[row]))
            else:
                writer.break_line()
        return writer.finish()

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
        if tag in _BOLD:
            return outer._replace(is_bold=True)
        if tag in _ITALIC:
            return outer._replace(is_italic=True)
        if tag in _CODE:
            return outer._replace(is_code=True)
        return outer._replace(href=resolve_address(self._nodes.attr(row, "href"), self._base) or outer.href)


class _RunWriter:
    """Gathers pieces of text into runs, folding white space across their borders."""

    def __init__(self) -> None:
        self.pieces: list[list[str]] = []  # of each run
        self.looks: list[_Look] = []
        self.wants_space = False
        self.wants_break = False

    def add(self, raw: str, look: _Look) -> None:
        raw = drop_invisible(raw)
        text = " ".join(raw.split())
        self.wants_space = self.wants_space or raw[:1].isspace()
        if not text:
            return
        if self.pieces:
            if self.wants_break:
                self.pieces[-1].append("\n")
            elif self.wants_space:
                self.pieces[-1].append(" ")
        if self.looks and self.looks[-1] == look:
            self.pieces[-1].append(text)
        else:
            self.pieces.append([text])
            self.looks.append(look)
        self.wants_space, self.wants_break = raw[-1:].isspace(), False

    def break_line(self) -> None:
        self.wants_break = True

    def finish(self) -> tuple[Run, ...]:
        return tuple(Run("".join(pieces), *look) for pieces, look in zip(self.pieces, self.looks, strict=True))

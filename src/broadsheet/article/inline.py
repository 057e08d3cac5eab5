"""The text of a block as runs: where it is bold, italic, code, or a link."""

from __future__ import annotations

from typing import NamedTuple

from broadsheet.article.parts import Run
from broadsheet.blocks import Blocks, fold_text
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


def read_runs(nodes: Nodes, blocks: Blocks, block: int, base: str | None) -> tuple[Run, ...]:
    """Read a block again, this time with its looks. The runs' text is the block's text."""
    first, last = blocks.first[block], blocks.last[block]
    looks = _open_looks(nodes, first, blocks.container[block], base)
    if first == last:  # most blocks are one text node
        return (Run(blocks.text[block], *looks[-1][1]),)
    writer = _RunWriter()
    row = first
    while row <= last:
        while row >= looks[-1][0]:
            looks.pop()
        tag = nodes.tag[row]
        if tag == TEXT:
            writer.add(nodes.text[row], looks[-1][1])
        elif tag == "br":
            writer.break_line()
        elif tag in nodes.dropped or row in nodes.hidden:
            row = nodes.end[row]
            continue
        elif tag in _LOOKS:
            looks.append((nodes.end[row], _look_of(nodes, row, looks[-1][1], base)))
        row += 1
    return writer.finish()


def _open_looks(nodes: Nodes, first: int, container: int, base: str | None) -> list[tuple[int, _Look]]:
    """Collect the looks that are on where the block begins, outermost first, each with the row where it ends."""
    around = []
    row = nodes.parent[first]
    while row > container:
        around.append(row)
        row = nodes.parent[row]
    looks = [(len(nodes), _PLAIN)]
    for row in reversed(around):
        if nodes.tag[row] in _LOOKS:
            looks.append((nodes.end[row], _look_of(nodes, row, looks[-1][1], base)))
    return looks


def _look_of(nodes: Nodes, row: int, outer: _Look, base: str | None) -> _Look:
    tag = nodes.tag[row]
    if tag in _BOLD:
        return outer._replace(is_bold=True)
    if tag in _ITALIC:
        return outer._replace(is_italic=True)
    if tag in _CODE:
        return outer._replace(is_code=True)
    return outer._replace(href=resolve_address(nodes.attr(row, "href"), base) or outer.href)


class _RunWriter:
    """Gathers pieces of text into runs, folding white space across their borders."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.looks: list[_Look] = []
        self.wants_space = False
        self.wants_break = False

    def add(self, raw: str, look: _Look) -> None:
        text = fold_text(raw)
        self.wants_space = self.wants_space or raw[:1].isspace()
        if not text:
            return
        if self.texts:
            if self.wants_break:
                self.texts[-1] += "\n"
            elif self.wants_space:
                self.texts[-1] += " "
        if self.looks and self.looks[-1] == look:
            self.texts[-1] += text
        else:
            self.texts.append(text)
            self.looks.append(look)
        self.wants_space, self.wants_break = raw[-1:].isspace(), False

    def break_line(self) -> None:
        self.wants_break = True

    def finish(self) -> tuple[Run, ...]:
        return tuple(Run(text, *look) for text, look in zip(self.texts, self.looks, strict=True))

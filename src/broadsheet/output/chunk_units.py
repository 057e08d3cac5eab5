"""The text of a body as units: headings, paragraphs, lists with their items, tables with their rows.

A unit is a range of lines of the text, and smaller units are inside it. The lines are counted, not searched, so that
units and text always agree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from broadsheet.article.parts import (
    Cell,
    Code,
    Definition,
    Definitions,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Part,
    Quote,
    Run,
    Table,
    text_of_runs,
)
from broadsheet.output.as_text import render_caption, render_part, render_term, render_text
from broadsheet.output.inline import fold_spaces
from broadsheet.output.safe import check_href
from broadsheet.text import CLOSING_QUOTES, RARE_ENDS, SENTENCE_ENDS, WIDE_ENDS

_CLOSING = re.escape(CLOSING_QUOTES + ")]）」』")
# After the end of a sentence: white space; none in Chinese and Japanese.
_SENTENCE_BORDER = re.compile(
    rf"[{re.escape(SENTENCE_ENDS + RARE_ENDS)}][{_CLOSING}]{{0,3}}(\s+)|[{WIDE_ENDS}][{_CLOSING}]{{0,3}}()"
)
_WORD_BORDER = re.compile(r"(\s+)")
_JOINER = "\u200d"  # joins the characters of one emoji


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the text that should stay in one chunk. If it is too long, it is cut between its inner units."""

    start: int
    end: int
    inner: tuple[Unit, ...] = ()  # () for running text, which is cut between sentences
    level: int = 0  # of a heading
    title: str = ""  # of a heading
    has_heading: bool = False  # it is one, or one is inside


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a chunk."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class TextLink:
    """A link, and where its text starts."""

    start: int
    link: Link


@dataclass(frozen=True, slots=True)
class TextUnits:
    """The text of a body, its units and its links, in order."""

    text: str
    units: tuple[Unit, ...]
    parts: tuple[Part, ...]  # one for each unit
    links: tuple[TextLink, ...]


def read_units(body: tuple[Part, ...]) -> TextUnits:
    """Return the units of a body."""
    reader = _Reader(render_text(body))
    units = {at: unit for at, part in enumerate(body) if (unit := reader.read_part(part))}
    parts = tuple(body[at] for at in units)
    return TextUnits(
        reader.text, tuple(units.values()), parts, tuple(sorted(reader.links, key=lambda placed: placed.start))
    )


class _Reader:
    """Walks through the parts and the lines of their text together."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.links: list[TextLink] = []
        self._line = 0  # the next one
        lines = text.split("\n")
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def read_parts(self, parts: Iterable[Part]) -> list[Unit]:
        return [unit for part in parts if (unit := self.read_part(part))]

    def read_part(self, part: Part) -> Unit | None:  # noqa: PLR0911 - one for each kind of part
        match part:
            case Paragraph(runs=runs):
                return self._read_text(len(render_part(part)), runs)
            case Heading(level=level, runs=runs):
                return self._read_heading(len(render_part(part)), level, runs)
            case Code():
                return self._read_lines(len(render_part(part)))
            case Quote(parts=inner):
                return _enclose(self.read_parts(inner))
            case Table():
                return self._read_table(part)
            case Listing():
                return _enclose(self._read_items(part))
            case Definitions(items=items):
                return _enclose([unit for item in items if (unit := self._read_definition(item))])
            case Figure():
                return None

    def _read_text(self, lines: int, runs: Iterable[Run]) -> Unit | None:
        unit = self._read_lines(lines)
        if unit:
            self._place_links(runs, unit)
        return unit

    def _read_heading(self, lines: int, level: int, runs: tuple[Run, ...]) -> Unit | None:
        unit = self._read_text(lines, runs)
        title = " ".join(fold_spaces(text_of_runs(runs)).split())
        return unit and Unit(unit.start, unit.end, level=level, title=title, has_heading=True)

    def _read_lines(self, lines: int) -> Unit | None:
        """Return the next lines as one unit; each of them is an inner one."""
        first, self._line = self._line, self._line + lines
        spans = [(self._starts[line], self._starts[line + 1] - 1) for line in range(first, self._line)]
        if len(spans) <= 1:
            return Unit(*spans[0]) if spans else None
        return Unit(spans[0][0], spans[-1][1], tuple(Unit(start, end) for start, end in spans if start < end))

    def _read_table(self, table: Table) -> Unit | None:
        caption = self._read_text(len(render_caption(table)), table.caption)
        rows = self._read_text(len(render_part(table)) - len(render_caption(table)), _list_runs(table.rows))
        return _enclose([unit for unit in (caption, *(rows.inner or (rows,) if rows else ())) if unit])

    def _read_items(self, listing: Listing) -> list[Unit]:
        units = (_enclose(list(self._read_item(item, is_ordered=listing.is_ordered))) for item in listing.items)
        return [unit for unit in units if unit]

    def _read_item(self, item: tuple[Part, ...], *, is_ordered: bool) -> Iterator[Unit]:
        is_first = True
        for part in item:
            # The number of an item that starts with a list has a line of its own.
            if is_first and is_ordered and isinstance(part, Listing) and _is_shown(part):
                mark = self._read_lines(1)
                if mark:
                    yield mark
            if unit := self.read_part(part):
                is_first = False
                yield unit

    def _read_definition(self, item: Definition) -> Unit | None:
        term = self._read_text(len(render_term(item)), item.term)
        details = [unit for parts in item.details for unit in self.read_parts(parts)]
        return _enclose([term, *details] if term else details)

    def _place_links(self, runs: Iterable[Run], unit: Unit) -> None:
        at = unit.start
        for address, group in groupby(runs, key=lambda run: run.href):
            text = " ".join(fold_spaces(text_of_runs(tuple(group))).split())
            place = self.text.find(text, at, unit.end)
            if place < 0:  # marks or line breaks are inside; its first word is near enough
                place = max(at, self.text.find(text.partition(" ")[0], at, unit.end))
            else:
                at = place + len(text)
            if text and (url := check_href(address)):
                self.links.append(TextLink(place, Link(text, url)))


def _is_shown(part: Part) -> bool:
    """Return whether a part has lines. A list is not rendered for that: it may be the whole text, at every level."""
    if isinstance(part, Listing):
        return any(_is_shown(inner) for item in part.items for inner in item)
    return bool(render_part(part))


def _enclose(units: Sequence[Unit]) -> Unit | None:
    """Return one unit around others."""
    if len(units) <= 1:
        return units[0] if units else None
    has_heading = any(unit.has_heading for unit in units)
    return Unit(units[0].start, units[-1].end, tuple(units), has_heading=has_heading)


def _list_runs(rows: Iterable[tuple[Cell, ...]]) -> Iterator[Run]:
    return (run for row in rows for cell in row for run in cell.runs)


def split_sentences(text: str, unit: Unit) -> tuple[Unit, ...]:
    """Return the sentences of a unit."""
    return tuple(_split(text, unit, _SENTENCE_BORDER))


def split_words(text: str, unit: Unit) -> tuple[Unit, ...]:
    """Return the words of a unit, each with its punctuation."""
    return tuple(_split(text, unit, _WORD_BORDER))


def split_characters(text: str, unit: Unit) -> tuple[Unit, ...]:
    """Return the characters of a unit, each with its accents."""
    borders = [at for at in range(unit.start + 1, unit.end) if not _is_joined(text, at)]
    return tuple(Unit(*span) for span in zip((unit.start, *borders), (*borders, unit.end), strict=True))


def _split(text: str, unit: Unit, border: re.Pattern[str]) -> Iterator[Unit]:
    start = unit.start
    for match in border.finditer(text, unit.start, unit.end):
        gap_start, gap_end = match.span(match.lastindex or 0)
        if start < gap_start:
            yield Unit(start, gap_start)
        start = gap_end
    if start < unit.end:
        yield Unit(start, unit.end)


def _is_joined(text: str, at: int) -> bool:
    """Return whether a character belongs to the one before it."""
    is_mark = unicodedata.category(text[at]) in ("Mn", "Mc", "Me") or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    return is_mark or text[at] == _JOINER or text[at - 1] == _JOINER

"""The body of an article: a tuple of parts, from which all output formats are written.

All text is in runs, so that all formats have the same words. Captions of figures are not part of the text. Parts
contain plain text and addresses; no markup of the page gets into them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from broadsheet.fields import Figure as Figure  # a part like the others

_UNFORMATTED = (False, False, False, None, False, "")  # the values of a run beside its text
Script = Literal["", "sup", "sub", "note"]  # "note": the superscript mark of a footnote


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one format. White space is collapsed; a newline is a line break of the page."""

    text: str
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False
    href: str | None = None  # absolute; http, https or mailto
    is_deleted: bool = False
    script: Script = ""

    def __reduce__(self) -> tuple[type[Run], tuple[object, ...]]:
        """Pickle a call of the class. The default of dataclasses takes twice as long."""
        formatting = self.is_bold, self.is_italic, self.is_code, self.href, self.is_deleted, self.script
        return Run, (self.text,) if formatting == _UNFORMATTED else (self.text, *formatting)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    runs: tuple[Run, ...]

    def __reduce__(self) -> tuple[type[Paragraph], tuple[object, ...]]:
        """Pickle a call of the class, as for runs."""
        return Paragraph, (self.runs,)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside the article; level 1 to 6 as on the page."""

    level: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text. White space is kept."""

    text: str
    language: str = ""  # as the page names it: letters, digits and "+#._-"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list. An item consists of parts, which may be lists again."""

    is_ordered: bool
    items: tuple[tuple[Part, ...], ...]
    start: int = 1  # number of the first item of an ordered list


@dataclass(frozen=True, slots=True)
class Definition:
    """A term and its descriptions."""

    term: tuple[Run, ...]
    details: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class Definitions:
    """A list of terms with their descriptions."""

    items: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quotation."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    runs: tuple[Run, ...]
    is_header: bool = False
    columns: int = 1  # that it extends over
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A data table. Tables that lay out the page become separate parts."""

    rows: tuple[tuple[Cell, ...], ...]
    caption: tuple[Run, ...] = ()


Part = Paragraph | Heading | Code | Listing | Definitions | Quote | Table | Figure


def text_of_runs(runs: tuple[Run, ...]) -> str:
    """Return the text of runs without formatting."""
    return "".join(run.text for run in runs)


def drop_figures(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return parts without figures, and without lists and quotes that consist of figures only."""
    kept: list[Part] = []
    for part in parts:
        match part:
            case Figure():
                continue
            case Quote(parts=inner):
                if inner := drop_figures(inner):
                    kept.append(Quote(inner))
            case Listing(items=items):
                if items := tuple(filter(None, map(drop_figures, items))):
                    kept.append(replace(part, items=items))
            case Definitions(items=definitions):
                kept.append(Definitions(tuple(map(_drop_figures_of_definition, definitions))))
            case _:
                kept.append(part)
    return tuple(kept)


def _drop_figures_of_definition(item: Definition) -> Definition:
    return replace(item, details=tuple(filter(None, map(drop_figures, item.details))))

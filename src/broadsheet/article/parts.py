"""The body of an article: a tuple of parts, from which all output formats are written.

All text is in runs, so that all formats have the same words. Parts contain plain text and link addresses; no markup of
the page gets into them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one format. White space is collapsed; a newline is a line break of the page."""

    text: str
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False
    href: str | None = None  # absolute; http, https or mailto


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside the article; level 1 to 6 as on the page."""

    level: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text. White space is kept."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list. An item consists of parts, which may be lists again."""

    is_ordered: bool
    items: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A block quotation."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    runs: tuple[Run, ...]
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A data table. Tables that lay out the page become separate parts."""

    rows: tuple[tuple[Cell, ...], ...]


Part = Paragraph | Heading | Code | Listing | Quote | Table


def text_of_runs(runs: tuple[Run, ...]) -> str:
    """Return the text of runs without formatting."""
    return "".join(run.text for run in runs)

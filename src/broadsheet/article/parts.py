"""The body of an article as a small tree: what every output is made of.

Body = a tuple of parts. Text lives in runs only, so that all outputs have the same words. Nothing of the page's own
markup gets in here but plain text and link addresses.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text of one look. White space is folded; a newline is a line break that the author made."""

    text: str
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False
    href: str | None = None  # absolute where the page's address is known; http, https or mailto only


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside the article; level 1 to 6 as the page has it."""

    level: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text: white space counts."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list; an item holds parts, among them lists."""

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
    """A table of data (tables that only lay out the page are taken apart)."""

    rows: tuple[tuple[Cell, ...], ...]


Part = Paragraph | Heading | Code | Listing | Quote | Table


def text_of_runs(runs: tuple[Run, ...]) -> str:
    """Text of runs without their looks."""
    return "".join(run.text for run in runs)

"""Labelled pages of any known layout, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, cast

from broadsheet.corpora import article_benchmark, cleaneval, dragnet, html_and_txt, json_lines, wcxb
from broadsheet.corpora.page_files import find_pages
from broadsheet.corpora.record import Record
from broadsheet.errors import UsageError


class Layout(Protocol):
    """One way of putting pages and their labels on disk: a module with these three names."""

    NAME: str

    def matches(self, path: Path) -> bool:
        """Tell whether the path has this layout."""
        ...

    def read(self, path: Path) -> Iterator[Record]:
        """Read its records, one at a time."""
        ...


# The first that matches is taken, so the particular ones stand before the general one.
LAYOUTS = tuple(
    cast("Layout", module) for module in (json_lines, cleaneval, article_benchmark, wcxb, dragnet, html_and_txt)
)


def read_corpus(path: str | Path) -> Iterator[Record]:
    """Read labelled pages from a file or folder, streaming: only the page at hand is in memory."""
    return find_layout(Path(path)).read(Path(path))


def count_records(path: str | Path) -> int:
    """Number of pages, for a progress bar: for folders, at most so many (a page without a label is not read)."""
    path = Path(path)
    layout = find_layout(path)
    if layout.NAME == json_lines.NAME:
        return json_lines.count(path)
    return sum(1 for folder in path.iterdir() if folder.is_dir() for _ in find_pages(folder))


def find_layout(path: Path) -> Layout:
    """The layout of a path. Raises UsageError with all known ones."""
    if not path.exists():
        raise UsageError(f"no such file or folder: {path}")
    for layout in LAYOUTS:
        if layout.matches(path):
            return layout
    known = "; ".join(layout.NAME for layout in LAYOUTS)
    raise UsageError(f"{path} is in no layout of labelled pages that Broadsheet knows; it reads {known}")

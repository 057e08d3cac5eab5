"""Read labelled pages of any supported layout, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, cast

from broadsheet.corpora import article_benchmark, cleaneval, dragnet, html_and_txt, json_lines, wcxb
from broadsheet.corpora.page_files import list_pages
from broadsheet.corpora.record import Record
from broadsheet.errors import UsageError


class Layout(Protocol):
    """How pages and labels are stored on disk: a module with these four names."""

    NAME: str

    def matches(self, path: Path) -> bool:
        """Return whether the path has this layout."""
        ...

    def read(self, path: Path) -> Iterator[Record]:
        """Yield its records."""
        ...

    def describe_skipped(self, path: Path) -> list[str]:
        """Return a line for each kind of page or label that `read` skips."""
        ...


# The first match is used, so the specific layouts come before html_and_txt.
LAYOUTS = tuple(
    cast("Layout", module) for module in (json_lines, cleaneval, article_benchmark, wcxb, dragnet, html_and_txt)
)


def read_corpus(path: str | Path) -> Iterator[Record]:
    """Yield the labelled pages of a file or folder. Only one page is in memory at a time."""
    return find_layout(Path(path)).read(Path(path))


def describe_skipped(path: str | Path) -> list[str]:
    """Return a line for each kind of page or label that is skipped: pages without labels, labels without a page."""
    return find_layout(Path(path)).describe_skipped(Path(path))


def count_records(path: str | Path) -> int:
    """Return the number of pages, for a progress bar. For folders it is an upper bound: unlabelled pages count."""
    path = Path(path)
    layout = find_layout(path)
    if layout.NAME == json_lines.NAME:
        return json_lines.count_records(path)
    return sum(len(list_pages(folder)) for folder in path.iterdir() if folder.is_dir())


def find_layout(path: Path) -> Layout:
    """Return the layout of a path. Raises UsageError, which lists the supported layouts."""
    if not path.exists():
        raise UsageError(f"no such file or folder: {path}")
    for layout in LAYOUTS:
        if layout.matches(path):
            return layout
    if path.is_dir() and any(layout.matches(child) for child in path.iterdir() for layout in LAYOUTS):
        raise UsageError(f"{path} contains folders of labelled pages; name them: {path}/*")
    supported = "; ".join(layout.NAME for layout in LAYOUTS)
    raise UsageError(f"{path} does not have a supported layout of labelled pages; supported: {supported}")

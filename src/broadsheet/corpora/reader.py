"""Read labelled pages of any supported layout, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from broadsheet.corpora.layouts import LAYOUTS, Layout
from broadsheet.corpora.record import Record
from broadsheet.errors import UsageError


def read_corpus(path: str | Path) -> Iterator[Record]:
    """Yield the labelled pages of a file or folder. Only one page is in memory at a time."""
    return find_layout(Path(path)).read(Path(path))


def describe_skipped(path: str | Path) -> list[str]:
    """Return a line for each kind of page or label that is skipped: pages without labels, labels without a page."""
    return find_layout(Path(path)).describe_skipped(Path(path))


def count_records(path: str | Path) -> int:
    """Return the number of pages, for a progress bar. For folders it is an upper bound: unlabelled pages count."""
    return find_layout(Path(path)).count(Path(path))


def find_layout(path: Path) -> Layout:
    """Return the layout of a path. Raises UsageError, which lists the supported layouts."""
    if not path.exists():
        raise UsageError(f"no such file or folder: {path}")
    for layout in LAYOUTS:
        if layout.matches(path):
            return layout
    if path.is_dir() and any(layout.matches(child) for child in path.iterdir() for layout in LAYOUTS):
        raise UsageError(f"{path} contains folders of labelled pages; name them: {path}/*")
    supported = "; ".join(layout.name for layout in LAYOUTS)
    raise UsageError(f"{path} does not have a supported layout of labelled pages; supported: {supported}")

"""dragnet (Peters and Lecocq 2013): pages and gold files with reader comments.

    dragnet/
      HTML/R102.html
      Corrected/R102.html.corrected.txt

In a gold file, the reader comments follow the text after a marker line:

    The harbour opened on Monday.
    !@#$%^&*()  COMMENTS
    First!
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from broadsheet.corpora.page_files import (
    describe_unpaired,
    find_folder,
    list_gold,
    name_dataset,
    pair_with_gold,
    read_text,
)
from broadsheet.corpora.record import Record

NAME = "dragnet: HTML/ID.html and Corrected/ID.html.corrected.txt"
_GOLD_SUFFIX = ".html.corrected.txt"
_COMMENTS_MARKER = re.compile(r"!@#\$%\^&\*\(\)\s{0,9}COMMENTS")


def matches(path: Path) -> bool:
    """Return whether both folders exist."""
    return find_folder(path, "HTML") is not None and find_folder(path, "Corrected") is not None


def read(path: Path) -> Iterator[Record]:
    """Yield the pages that have a gold file."""
    dataset = name_dataset(path)
    for page, gold in pair_with_gold(find_folder(path, "HTML"), find_folder(path, "Corrected"), _GOLD_SUFFIX):
        text, *comments = _COMMENTS_MARKER.split(read_text(gold), maxsplit=1)
        yield Record(
            id=f"{dataset}/{page.name}",
            dataset=dataset,
            html=page.read(),
            text=_normalize_lines(text),
            comments=_normalize_lines(comments[0]) if comments else None,
        )


def describe_skipped(path: Path) -> list[str]:
    """Describe the pages without a gold file, and the gold files without a page."""
    labelled = list_gold(find_folder(path, "Corrected"), _GOLD_SUFFIX)
    return describe_unpaired(find_folder(path, "HTML"), labelled, path)


def _normalize_lines(text: str) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))

"""dragnet's layout (Peters and Lecocq 2013): `HTML/ID.html` and `Corrected/ID.html.corrected.txt`.

In a gold file the reader comments follow the text, after a line `!@#$%^&*()  COMMENTS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from broadsheet.corpora.page_files import find_folder, find_pairs, name_dataset, read_bytes, read_text
from broadsheet.corpora.record import Record

NAME = "dragnet: HTML/ID.html and Corrected/ID.html.corrected.txt"
_ENDING = ".html.corrected.txt"
_COMMENTS = re.compile(r"!@#\$%\^&\*\(\)\s{0,9}COMMENTS")


def matches(path: Path) -> bool:
    """Tell by the names of the two folders."""
    return find_folder(path, "HTML") is not None and find_folder(path, "Corrected") is not None


def read(path: Path) -> Iterator[Record]:
    """Read the pages that have a gold file."""
    dataset = name_dataset(path)
    for name, page, gold in find_pairs(find_folder(path, "HTML"), find_folder(path, "Corrected"), _ENDING):
        text, *comments = _COMMENTS.split(read_text(gold), maxsplit=1)
        yield Record(
            id=f"{dataset}/{name}",
            dataset=dataset,
            html=read_bytes(page),
            text=_tidy(text),
            comments=_tidy(comments[0]) if comments else None,
        )


def _tidy(text: str) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))

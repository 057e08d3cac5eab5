"""A folder with `html/` and `txt/`: pages and their gold texts under the same names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from broadsheet.corpora.page_files import find_folder, find_pairs, name_dataset, read_bytes, read_text
from broadsheet.corpora.record import Record

NAME = "a folder with html/NAME.html and txt/NAME.txt"
_GOLD = ("txt", "text", "gold")


def matches(path: Path) -> bool:
    """Tell whether the folder has both halves."""
    return find_folder(path, "html") is not None and find_folder(path, *_GOLD) is not None


def read(path: Path) -> Iterator[Record]:
    """Read the pages that have a gold text."""
    dataset = name_dataset(path)
    for name, page, gold in find_pairs(find_folder(path, "html"), find_folder(path, *_GOLD), ".txt"):
        yield Record(id=f"{dataset}/{name}", dataset=dataset, html=read_bytes(page), text=read_text(gold))

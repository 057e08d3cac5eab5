"""A folder of pages and a folder of gold texts.

    my-pages/
      html/ferry.html       or .htm, .html.gz, .htm.gz
      txt/ferry.txt         the gold text, one paragraph per line; the folder may be called text or gold

Pages without a gold text are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from broadsheet.corpora.page_files import find_folder, name_dataset, pair_with_gold, read_text
from broadsheet.corpora.record import Record

NAME = "a folder with html/NAME.html and txt/NAME.txt"
_GOLD_FOLDERS = ("txt", "text", "gold")


def matches(path: Path) -> bool:
    """Return whether the folder has both subfolders."""
    return find_folder(path, "html") is not None and find_folder(path, *_GOLD_FOLDERS) is not None


def read(path: Path) -> Iterator[Record]:
    """Yield the pages that have a gold text."""
    dataset = name_dataset(path)
    for page, gold in pair_with_gold(find_folder(path, "html"), find_folder(path, *_GOLD_FOLDERS), ".txt"):
        yield Record(id=f"{dataset}/{page.name}", dataset=dataset, html=page.read(), text=read_text(gold))

"""CleanEval (Baroni, Chantree, Kilgarriff, Sharoff 2008): pages and gold files with segment marks.

    cleaneval/
      en_original/12.html
      en_cleaned/12-cleaned.txt     the folder may be called GoldStandard

A gold file may begin with a line `URL: ...`. `<p>`, `<h>` and `<l>` mark the start of a paragraph, a heading or a list
item:

    URL: http://example.org/12
    <h>Harbour opens
    <p>The harbour opened on Monday.

The pages were distributed inside an element `<text id=... title=... encoding=...>`, which is removed.
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

NAME = "CleanEval: en_original/N.html and en_cleaned/N-cleaned.txt (or GoldStandard/)"
_PAGE_FOLDERS = ("en_original", "original", "input", "html")
_GOLD_FOLDERS = ("en_cleaned", "cleaned", "GoldStandard", "gold", "txt")
_GOLD_SUFFIX = "-cleaned.txt"

_URL_LINE = re.compile(r"\s*URL:[ \t]*((?:https?://|www\.)\S+)[^\n]*\n?", re.IGNORECASE)
_SEGMENT_MARK = re.compile(r"<[phl]>", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")
_WRAPPER = re.compile(rb"\A\s*<text\b[^<>]{0,2000}>", re.IGNORECASE)
_WRAPPER_END = re.compile(rb"</text>\s*\Z", re.IGNORECASE)


def matches(path: Path) -> bool:
    """Return whether there are gold files named `-cleaned.txt`: no other layout has them."""
    gold = find_folder(path, *_GOLD_FOLDERS)
    return find_folder(path, *_PAGE_FOLDERS) is not None and gold is not None and any(gold.glob(f"*{_GOLD_SUFFIX}"))


def read(path: Path) -> Iterator[Record]:
    """Yield the pages that have a gold file."""
    dataset = name_dataset(path)
    folders = find_folder(path, *_PAGE_FOLDERS), find_folder(path, *_GOLD_FOLDERS)
    for page, gold in pair_with_gold(*folders, _GOLD_SUFFIX):
        text, url = parse_gold(read_text(gold))
        yield Record(id=f"{dataset}/{page.name}", dataset=dataset, html=_unwrap(page.read()), text=text, url=url)


def describe_skipped(path: Path) -> list[str]:
    """Describe the pages without a gold file, and the gold files without a page."""
    labelled = list_gold(find_folder(path, *_GOLD_FOLDERS), _GOLD_SUFFIX)
    return describe_unpaired(find_folder(path, *_PAGE_FOLDERS), labelled, path)


def parse_gold(raw: str) -> tuple[str, str | None]:
    """Return the text of a gold file, one segment per line, and its URL, if any."""
    url = None
    if match := _URL_LINE.match(raw):
        url = match[1]
        raw = raw[match.end() :]
    # Annotators broke long lines by hand: inside a segment only an empty line separates paragraphs.
    paragraphs = (part for segment in _SEGMENT_MARK.split(raw) for part in _EMPTY_LINE.split(segment))
    lines = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return "\n".join(filter(None, lines)), url


def _unwrap(page: bytes) -> bytes:
    if match := _WRAPPER.match(page):
        page = _WRAPPER_END.sub(b"", page[match.end() :])
    return page

"""CleanEval (Baroni, Chantree, Kilgarriff, Sharoff 2008): pages, and gold files with segment marks.

`en_original/12.html` belongs to `en_cleaned/12-cleaned.txt` (or GoldStandard/). A gold file may begin with a line
`URL: ...`; `<p>`, `<h>` and `<l>` mark where a paragraph, a heading or a list item begins. The pages were shipped
inside a `<text id=... title=... encoding=...>` element, which is taken off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from broadsheet.corpora.page_files import find_folder, find_pairs, name_dataset, read_bytes, read_text
from broadsheet.corpora.record import Record

NAME = "CleanEval: en_original/N.html and en_cleaned/N-cleaned.txt (or GoldStandard/)"
_PAGES = ("en_original", "original", "input", "html")
_GOLD = ("en_cleaned", "cleaned", "GoldStandard", "gold", "txt")
_ENDING = "-cleaned.txt"

_ADDRESS = re.compile(r"\s*URL:[ \t]*((?:https?://|www\.)\S+)[^\n]*\n?", re.IGNORECASE)
_MARK = re.compile(r"<[phl]>", re.IGNORECASE)
_WRAPPER = re.compile(rb"\A\s*<text\b[^<>]{0,2000}>", re.IGNORECASE)
_WRAPPER_END = re.compile(rb"</text>\s*\Z", re.IGNORECASE)


def matches(path: Path) -> bool:
    """Tell by the gold files: no other layout calls them `-cleaned.txt`."""
    gold = find_folder(path, *_GOLD)
    return find_folder(path, *_PAGES) is not None and gold is not None and any(gold.glob(f"*{_ENDING}"))


def read(path: Path) -> Iterator[Record]:
    """Read the pages that have a gold file."""
    dataset = name_dataset(path)
    for name, page, gold in find_pairs(find_folder(path, *_PAGES), find_folder(path, *_GOLD), _ENDING):
        text, url = parse_gold(read_text(gold))
        yield Record(id=f"{dataset}/{name}", dataset=dataset, html=_unwrap(read_bytes(page)), text=text, url=url)


def parse_gold(raw: str) -> tuple[str, str | None]:
    """Text of a gold file, one segment a line, and the address that it names, if any."""
    url = None
    if found := _ADDRESS.match(raw):
        url = found[1]
        raw = raw[found.end() :]
    segments = (" ".join(segment.split()) for part in _MARK.split(raw) for segment in _paragraphs(part))
    return "\n".join(filter(None, segments)), url


def _paragraphs(part: str) -> list[str]:
    # Annotators broke long lines by hand: inside a segment only an empty line counts as a border.
    return re.split(r"\n[ \t\r]*\n", part)


def _unwrap(page: bytes) -> bytes:
    if found := _WRAPPER.match(page):
        page = _WRAPPER_END.sub(b"", page[found.end() :])
    return page

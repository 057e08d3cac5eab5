"""Labelled pages for training: parsed, segmented, and with the gold text aligned to their blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from broadsheet.blocks import Blocks, segment
from broadsheet.corpora import Record, align_text, read_corpus
from broadsheet.errors import LimitReached, UsageError
from broadsheet.page import Limits, Page, read_page

NO_CLOCK = Limits(max_seconds=math.inf)  # no clock: on a busy machine, too, the same pages give the same weights


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPage:
    """A page and which of its blocks are in its gold text."""

    record: Record
    page: Page
    blocks: Blocks
    in_text: list[bool]  # all False where the record has no text


def find_sets(data: Path, split: str, *, only: frozenset[str] | None = None) -> list[Path]:
    """Files of a split, in the order of their names. Raises UsageError when there are none."""
    files = [path for path in sorted(data.glob(f"*.{split}.*")) if only is None or path.name.split(".")[0] in only]
    if not files:
        raise UsageError(f"no {split} pages in {data} (<dataset>.{split}.jsonl.xz); name their folder with --data")
    return files


def read_records(files: list[Path], limit: int | None = None) -> Iterator[Record]:
    """All records of some files, at most so many of each."""
    for path in files:
        yield from islice(read_corpus(path), limit)


def label_page(record: Record) -> LabelledPage | None:
    """Parse a labelled page and align its gold text; None for one that is over the limits."""
    try:
        page = read_page(record.html, url=record.url, limits=NO_CLOCK)
        blocks = segment(page)
    except LimitReached:
        return None
    return LabelledPage(record, page, blocks, align_text(blocks.text, record.text or ""))

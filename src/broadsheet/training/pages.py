"""Read labelled pages for training: one reader for all models.

A page is skipped if it exceeds the limits of bytes, nodes or depth, or if the model's `PageFilter` does not accept it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from broadsheet.blocks import Blocks, segment
from broadsheet.corpora import Record, align_text, describe_skipped
from broadsheet.corpora.record import SILVER
from broadsheet.fields.written_dates import find_written_date
from broadsheet.page import Limits, Page, read_page
from broadsheet.training.datasets import DEV, TRAIN, Dataset, describe_unused, find_datasets
from broadsheet.training.options import TrainingOptions

__all__ = [
    "GOLD_TEXT",
    "Dataset",
    "LabelledPage",
    "PageFilter",
    "find_datasets",
    "has_gold_text",
    "label_page",
    "read_pages",
]
MIN_GOLD_RECALL = 0.8  # with fewer words of the gold text on the page, the labels of its blocks are doubtful
NO_TIME_LIMIT = Limits(max_seconds=math.inf)  # the weights must not depend on the load of the machine


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which labelled pages a model learns from. The default accepts every page that has blocks."""

    labels: tuple[str, ...] = ()  # fields of Record, of which a page needs at least one
    page_types: frozenset[str] | None = None  # None: all. Pages of unknown type are always accepted
    accepts_silver: bool = True  # labels that are the output of another extractor
    min_gold_recall: float = 0.0  # where the recall is stated
    min_blocks: int = 1
    max_blocks: float = math.inf

    def accepts_record(self, record: Record) -> bool:
        """Return whether the labels of a page suffice."""
        return (
            (not self.labels or any(getattr(record, label) for label in self.labels))
            and (self.page_types is None or record.page_type is None or record.page_type in self.page_types)
            and (self.accepts_silver or record.label_quality != SILVER)
            and (record.gold_recall is None or record.gold_recall >= self.min_gold_recall)
        )

    def accepts_blocks(self, blocks: Blocks) -> bool:
        """Return whether a page has a suitable number of blocks."""
        return self.min_blocks <= len(blocks) <= self.max_blocks


GOLD_TEXT = PageFilter(labels=("text",), min_gold_recall=MIN_GOLD_RECALL)


@dataclass(frozen=True, eq=False)  # without slots, for the cached property
class LabelledPage:
    """A page and its labels."""

    record: Record
    page: Page
    blocks: Blocks

    @cached_property
    def in_text(self) -> list[bool]:
        """For each block, whether the gold text contains it. All False for a page without gold text."""
        return align_text(self.blocks.text, self.record.text or "")


LABELS = {"text": "a gold text", "title": "a title", "date": "a date", "page_type": "a page type"}


def describe_data(options: TrainingOptions) -> list[str]:
    """Describe the pages of both splits, and the labels that no training page has."""
    counts = {split: Counter[str]() for split in (TRAIN, DEV)}
    paths: dict[Path, None] = {}
    for split, labels in counts.items():
        for dataset in find_datasets(options.data, split, skipped=options.skipped):
            paths[dataset.path] = None
            for record in islice(dataset.read(), options.limit):
                labels["page"] += 1
                labels.update(name for name in LABELS if getattr(record, name))
    train = counts[TRAIN]
    lines = [line for path in paths for line in describe_skipped(path)] + describe_unused(options.data)
    lines.append(f"{train['page']} pages to learn from, {counts[DEV]['page']} held out")
    missing = [name for name in LABELS if not train[name]]
    if missing:
        lines.append(f"no page has {', '.join(LABELS[name] for name in missing)}; what needs it is skipped")
    return lines


def read_pages(datasets: Sequence[Dataset], accepted: PageFilter, options: TrainingOptions) -> Iterator[LabelledPage]:
    """Yield the accepted pages of some datasets, in order. The limit of the options applies to each dataset.

    A record that another one replaces (`origin`) is skipped.
    """
    replaced = find_replaced_ids(datasets)
    for dataset in datasets:
        records = islice(dataset.read(), options.limit)
        for record in options.progress(records, f"reading {dataset.path.name}"):
            is_accepted = record.id not in replaced and accepted.accepts_record(record)
            labelled = label_page(record) if is_accepted else None
            if labelled is not None and accepted.accepts_blocks(labelled.blocks):
                yield labelled


def find_replaced_ids(datasets: Sequence[Dataset]) -> frozenset[str]:
    """Return the ids of the records that records of other datasets replace.

    A dataset whose first record has no origin is not read any further.
    """
    ids: set[str] = set()
    for dataset in datasets:
        records = iter(dataset.read())
        first = next(records, None)
        if first is not None and first.origin:
            ids.add(first.origin)
            ids.update(record.origin for record in records if record.origin)
    return frozenset(ids)


def label_page(record: Record) -> LabelledPage:
    """Parse and segment a labelled page. A page that exceeds the limits is cut, as at run time."""
    page = read_page(record.html, url=record.url, limits=NO_TIME_LIMIT)
    return LabelledPage(record, page, segment(page))


def has_gold_text(record: Record, min_recall: float = MIN_GOLD_RECALL) -> bool:
    """Return whether a page has a gold text that is visible on it."""
    return bool(record.text) and (record.gold_recall is None or record.gold_recall >= min_recall)


def states_day(text: str, day: str) -> bool:
    """Return whether a text states a day, given as YYYY-MM-DD. 3/4/2021 states both possible days."""
    readings = (find_written_date(text, is_month_first=is_month_first) for is_month_first in (False, True))
    return any(moment is not None and moment.date().isoformat() == day for moment in readings)

"""Read labelled pages for training: one reader for all models.

A page is skipped if it exceeds the limits of bytes, nodes or depth, or if the model's `PageFilter` does not accept it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from broadsheet.blocks import Blocks, segment
from broadsheet.corpora import Record, align_text, describe_skipped
from broadsheet.corpora.record import SILVER
from broadsheet.fields.written_dates import find_written_date
from broadsheet.page import Limits, Page, read_page
from broadsheet.training.datasets import DEV, TRAIN, Dataset, describe_path, describe_unused, find_datasets
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
ARTICLE = "article"  # page type
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


def read_pages(
    datasets: Sequence[Dataset],
    accepted: PageFilter,
    options: TrainingOptions,
    *,
    beside: Sequence[Dataset] = (),
) -> Iterator[LabelledPage]:
    """Yield the accepted pages of some datasets, in order. The limit of the options applies to each dataset.

    A page that another one of these datasets, or of those beside them, labels anew (`origin`) is used once.
    """
    relabelled = find_relabelled([*datasets, *beside])
    for dataset in datasets:
        records = islice(dataset.read(), options.limit)
        for record in options.progress(records, f"reading {dataset.path.name}"):
            chosen = relabelled.choose(record)
            labelled = label_page(chosen) if chosen is not None and accepted.accepts_record(chosen) else None
            if labelled is not None and accepted.accepts_blocks(labelled.blocks):
                yield labelled


@dataclass(frozen=True, slots=True)
class RelabelledPages:
    """Pages that two datasets label, and which of the two records is used.

    It is the newer one. But a page that the newer one calls no article has no text there, and often has one in the old
    record: then the old record is used, with the page type of the newer one.
    """

    replaced: frozenset[str]  # ids of old records that are not used
    unused: frozenset[str]  # ids of newer records that are not used
    page_types: Mapping[str, str]  # id of an old record -> page type in the newer one

    def choose(self, record: Record) -> Record | None:
        """Return the record as it is used; None if the other record of the page is used."""
        if record.id in self.replaced or record.id in self.unused:
            return None
        page_type = self.page_types.get(record.id)
        if page_type is None or record.page_type not in {None, ARTICLE}:
            return record  # an old type such as forum says more than "other"
        return replace(record, page_type=page_type)


def find_relabelled(datasets: Iterable[Dataset]) -> RelabelledPages:
    """Find the records that label pages of other datasets anew."""
    described = [(dataset, describe_path(dataset.path)) for dataset in dict.fromkeys(datasets)]
    newer = {old_id: label for dataset, files in described for old_id, label in _read_newer(dataset, files).items()}
    others = frozenset(old_id for old_id, label in newer.items() if label.other_type)
    with_text = frozenset().union(*(_find_texts(dataset, files, others) for dataset, files in described if others))
    return RelabelledPages(
        replaced=frozenset(newer.keys() - with_text),
        unused=frozenset(newer[old_id].id for old_id in with_text),
        page_types={old_id: newer[old_id].other_type for old_id in with_text},
    )


class _NewerLabel(NamedTuple):
    id: str
    other_type: str  # page type, if the page has no text because it is not an article


@cache
def _read_newer(dataset: Dataset, _files: object) -> dict[str, _NewerLabel]:
    """Return the newer labels by the ids of the old records. A dataset whose first record has no origin has none.

    The description of the file is part of the cache's key.
    """
    records = iter(dataset.read())
    first = next(records, None)
    if first is None or not first.origin:
        return {}
    return {
        record.origin: _NewerLabel(
            record.id, "" if record.text or record.page_type == ARTICLE else record.page_type or ""
        )
        for record in chain([first], records)
        if record.origin
    }


@cache
def _find_texts(dataset: Dataset, _files: object, ids: frozenset[str]) -> frozenset[str]:
    """Return those of some records that are in a dataset and have a text."""
    return frozenset(record.id for record in dataset.read() if record.id in ids and record.text)


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

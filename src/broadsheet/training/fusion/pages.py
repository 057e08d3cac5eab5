"""Labelled pages as arrays, for the block network: read once, kept between runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.errors import LimitReached
from broadsheet.methods.fusion.inputs import read_input
from broadsheet.methods.fusion.network import POOLED_LEVELS, BlockInput
from broadsheet.methods.fusion.page_features import compute_head_features
from broadsheet.page import read_page
from broadsheet.training.fusion.labels import label_blocks
from broadsheet.training.pages import NO_CLOCK

_MAX_BLOCKS = 4_000  # of a page; longer ones would fill a batch by themselves


@dataclass(frozen=True, slots=True, eq=False)
class FusionPages:
    """Pages one after the other: b blocks, p places, m words of names in all."""

    values: NDArray[np.float16]  # (b, measures)
    first: NDArray[np.int32]  # (b, pooled levels), counted from the page's first block
    after: NDArray[np.int32]
    place: NDArray[np.int32]  # (b,), counted from the page's first place
    labels: NDArray[np.int8]  # (b, roles)
    block_starts: NDArray[np.int64]  # (pages + 1,)
    outer: NDArray[np.int32]  # (p,), counted from the page's first place
    tags: NDArray[np.str_]  # (p,)
    place_starts: NDArray[np.int64]  # (pages + 1,)
    names: NDArray[np.uint32]  # (m,) hashes
    name_starts: NDArray[np.int64]  # (p + 1,)
    ids: NDArray[np.str_]  # (pages,)
    datasets: NDArray[np.str_]  # (pages,)
    sites: NDArray[np.str_]  # (pages,)
    kinds: NDArray[np.str_]  # (pages,) article, forum, ...; "" where nobody said
    heads: NDArray[np.float32]  # (pages, measures of the page's head and address)

    def __len__(self) -> int:
        return len(self.datasets)


def load_or_gather(path: Path, records: Iterable[Record]) -> FusionPages:
    """Read pages, or what was kept of them in an earlier run."""
    if not path.exists():
        pages = gather_pages(records)
        draft = path.with_suffix(".part.npz")
        np.savez(draft, **{field.name: getattr(pages, field.name) for field in fields(pages)})
        draft.rename(path)
        return pages
    with np.load(path) as kept:
        return FusionPages(**{field.name: kept[field.name] for field in fields(FusionPages)})


def gather_pages(records: Iterable[Record]) -> FusionPages:
    """Measure and label all pages that have blocks."""
    pages = [page for record in records for page in _read(record)]
    inputs = [page.input for page in pages]
    names = [words for each in inputs for words in each.names]
    return FusionPages(
        values=np.concatenate([each.features.T.astype(np.float16) for each in inputs]),
        first=np.concatenate([each.first_block[each.enclosing[POOLED_LEVELS]].T.astype(np.int32) for each in inputs]),
        after=np.concatenate([each.end_block[each.enclosing[POOLED_LEVELS]].T.astype(np.int32) for each in inputs]),
        place=np.concatenate([each.position.astype(np.int32) for each in inputs]),
        labels=np.concatenate([page.labels for page in pages]),
        block_starts=_starts(len(each.position) for each in inputs),
        outer=np.concatenate([np.array(each.outer, np.int32) for each in inputs]),
        tags=np.array([tag for each in inputs for tag in each.tags]),
        place_starts=_starts(len(each.outer) for each in inputs),
        names=np.array([word for words in names for word in words], np.uint32),
        name_starts=_starts(map(len, names)),
        ids=np.array([page.record.id for page in pages]),
        datasets=np.array([page.record.dataset for page in pages]),
        sites=np.array([page.record.site or page.record.id for page in pages]),
        kinds=np.array([page.record.page_type or "" for page in pages]),
        heads=np.stack([page.head for page in pages]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    record: Record
    input: BlockInput
    labels: NDArray[np.int8]
    head: NDArray[np.float32]


def _read(record: Record) -> Iterator[_Measured]:
    try:
        page = read_page(record.html, url=record.url, limits=NO_CLOCK)
        blocks = segment(page)
    except LimitReached:
        return
    if 0 < len(blocks) <= _MAX_BLOCKS:
        found = read_input(page, blocks)
        yield _Measured(record, found, label_blocks(page, blocks, record), compute_head_features(page))


def _starts(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.fromiter(lengths, np.int64))))

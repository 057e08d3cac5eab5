"""Features and labels of pages as arrays, for the block network. They are cached between runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.corpora import Record
from broadsheet.html.names import TAG_NAMES
from broadsheet.methods.fusion.method import MODEL
from broadsheet.methods.fusion.network import POOLED_LEVELS, BlockInput, read_input
from broadsheet.methods.fusion.page_features import compute_head_features
from broadsheet.methods.fusion.train_compose import COMPOSED_SUFFIX, Composer
from broadsheet.methods.fusion.train_labels import UNKNOWN, has_all_roles, label_blocks
from broadsheet.page import host_of
from broadsheet.training.cache import describe_data, hash_code, list_columns, load_or_compute, make_key
from broadsheet.training.datasets import TRAIN, is_held_out
from broadsheet.training.options import TrainingOptions, require_pages
from broadsheet.training.pages import LabelledPage, PageFilter, find_datasets, read_pages

PAGES = PageFilter(max_blocks=4_000)  # a longer page would fill a batch alone


@dataclass(frozen=True, slots=True, eq=False)
class FusionPages:
    """Pages, concatenated: b blocks, p positions and n name words in total."""

    values: NDArray[np.float16]  # (b, features)
    words: NDArray[np.uint32]  # (b, words): hashes of the first words of each block
    first: NDArray[np.int32]  # (b, pooled levels): first block of each container, counted from the page's first block
    after: NDArray[np.int32]  # (b, pooled levels): block after its last one
    position: NDArray[np.int32]  # (b,), counted from the page's first position
    labels: NDArray[np.int8]  # (b, roles)
    block_starts: NDArray[np.int64]  # (pages + 1,)
    outer: NDArray[np.int32]  # (p,): enclosing position, counted from the page's first position
    tags: NDArray[np.str_]  # (p,)
    position_starts: NDArray[np.int64]  # (pages + 1,)
    names: NDArray[np.uint32]  # (n,): hashes
    name_starts: NDArray[np.int64]  # (p + 1,)
    ids: NDArray[np.str_]  # (pages,)
    datasets: NDArray[np.str_]  # (pages,)
    sites: NDArray[np.str_]  # (pages,)
    has_all_roles: NDArray[np.bool_]  # (pages,): whether all roles are labelled
    page_types: NDArray[np.str_]  # (pages,): article, forum, ...; "" if unknown
    heads: NDArray[np.float32]  # (pages, features of the page's head and address)

    def __len__(self) -> int:
        return len(self.datasets)

    @property
    def is_composed(self) -> NDArray[np.bool_]:
        """For each page, whether parts of other pages were inserted into it."""
        return np.char.endswith(self.ids, COMPOSED_SUFFIX)

    def rows(self, page: int) -> slice:
        """The blocks of a page."""
        return slice(*self.block_starts[page : page + 2].tolist())


def load_pages(options: TrainingOptions, split: str, composed: int = 0) -> FusionPages:
    """Measure the pages of a split, or load them from the cache. Raises UsageError if there are too few."""
    datasets = find_datasets(options.data, split, skipped=options.skipped)
    key = make_key(hash_code(__name__), describe_data(datasets), options.limit, composed, options.seed)

    def compute() -> dict[str, Any]:
        return list_columns(join_pages(measure_pages(options, split, composed)))

    pages = FusionPages(**load_or_compute(options.work / f"fusion-{split}-{key}", compute))
    if split != TRAIN or not options.is_tenth_held_out:
        return pages
    return select_pages(pages, [page for page, site in enumerate(pages.sites.tolist()) if not is_held_out(site)])


def select_pages(pages: FusionPages, chosen: Sequence[int]) -> FusionPages:
    """Return some of the pages."""
    block_rows, position_rows = (_list_rows(starts, chosen) for starts in (pages.block_starts, pages.position_starts))
    name_rows = _list_rows(pages.name_starts, position_rows)
    starts = {"block_starts": chosen, "position_starts": chosen, "name_starts": position_rows}
    rows_of = {
        **dict.fromkeys(("values", "words", "first", "after", "position", "labels"), block_rows),
        **dict.fromkeys(("outer", "tags"), position_rows),
        **dict.fromkeys(("ids", "datasets", "sites", "has_all_roles", "page_types", "heads"), chosen),
        "names": name_rows,
    }
    columns: dict[str, Any] = {name: getattr(pages, name)[rows] for name, rows in rows_of.items()}
    columns |= {name: _count_starts(np.diff(getattr(pages, name))[rows]) for name, rows in starts.items()}
    return FusionPages(**columns)


def _list_rows(starts: NDArray[np.int64], chosen: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """List the rows of the chosen groups, of which `starts` has the first rows."""
    ranges = [np.arange(starts[group], starts[group + 1]) for group in np.asarray(chosen, np.int64).tolist()]
    return np.concatenate([np.zeros(0, np.int64), *ranges])


def measure_pages(options: TrainingOptions, split: str, composed: int = 0) -> list[MeasuredPage]:
    """Compute the features and labels of a split and of some composed pages.

    Raises UsageError if too few training pages have gold text, or if there are no dev pages.
    """
    labelled_pages = read_pages(find_datasets(options.data, split, skipped=options.skipped), PAGES, options)
    if composed:
        labelled_pages = _add_composed(labelled_pages, Composer(composed, options.seed))
    pages = [_measure_page(labelled) for labelled in labelled_pages]
    if split == TRAIN:
        require_pages(MODEL, "a visible gold text (`text`)", sum(page.is_labelled for page in pages), options)
    else:
        require_pages(MODEL, "visible text", len(pages), options, split=split)
    return pages


def _add_composed(labelled_pages: Iterable[LabelledPage], composer: Composer) -> Iterator[LabelledPage]:
    for labelled in labelled_pages:
        composer.collect(labelled)
        yield labelled
    yield from (labelled for labelled in composer.compose() if PAGES.accepts_blocks(labelled.blocks))


def gather_pages(labelled_pages: Iterable[LabelledPage]) -> FusionPages:
    """Compute the features and labels of some pages."""
    return join_pages([_measure_page(labelled) for labelled in labelled_pages])


def join_pages(pages: Sequence[MeasuredPage]) -> FusionPages:
    """Concatenate pages."""
    inputs = [page.input for page in pages]
    name_counts = np.concatenate([np.diff(block_input.name_ends, prepend=0) for block_input in inputs])
    return FusionPages(
        values=np.concatenate([block_input.features.T.astype(np.float16) for block_input in inputs]),
        words=np.concatenate([block_input.words for block_input in inputs]),
        first=np.concatenate([_take_levels(block_input, block_input.first_block) for block_input in inputs]),
        after=np.concatenate([_take_levels(block_input, block_input.end_block) for block_input in inputs]),
        position=np.concatenate([block_input.position.astype(np.int32) for block_input in inputs]),
        labels=np.concatenate([page.labels for page in pages]),
        block_starts=_count_starts(len(block_input.position) for block_input in inputs),
        outer=np.concatenate([np.array(block_input.outer, np.int32) for block_input in inputs]),
        tags=np.array([TAG_NAMES[tag] if tag else "" for block_input in inputs for tag in block_input.tags.tolist()]),
        position_starts=_count_starts(len(block_input.outer) for block_input in inputs),
        names=np.concatenate([block_input.name_hashes for block_input in inputs]),
        name_starts=_count_starts(name_counts),
        ids=np.array([page.record.id for page in pages]),
        datasets=np.array([page.record.dataset for page in pages]),
        sites=np.array([_find_site(page.record) for page in pages]),
        has_all_roles=np.array([page.has_all_roles for page in pages]),
        page_types=np.array([page.record.page_type or "" for page in pages]),
        heads=np.stack([page.head for page in pages]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredPage:
    """Features and labels of one page, without the page: thousands of pages do not fit into memory."""

    record: Record
    has_all_roles: bool
    input: BlockInput
    labels: NDArray[np.int8]
    head: NDArray[np.float32]

    @property
    def is_labelled(self) -> bool:
        """Whether the page has gold text, and is not composed of labelled pages."""
        return bool((self.labels[:, 0] != UNKNOWN).any()) and not self.record.id.endswith(COMPOSED_SUFFIX)


def _find_site(record: Record) -> str:
    """Return the site of a page; the page itself if its site is unknown."""
    return record.site or host_of(record.url or "") or record.id


def _measure_page(labelled: LabelledPage) -> MeasuredPage:
    block_input = read_input(labelled.page, labelled.blocks)
    record = replace(labelled.record, html="", text=None)
    return MeasuredPage(
        record,
        has_all_roles(labelled.record),
        block_input,
        label_blocks(labelled),
        compute_head_features(labelled.page),
    )


def _take_levels(block_input: BlockInput, column: NDArray[np.intp]) -> NDArray[np.int32]:
    return column[block_input.enclosing[POOLED_LEVELS]].T.astype(np.int32)


def _count_starts(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.fromiter(lengths, np.int64))))

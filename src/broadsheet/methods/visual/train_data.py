"""Samples of the visual method: text nodes that are title or date, and blocks that are body. Cached between runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.corpora import Record
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.body_features import BODY_FEATURES, compute_body_features, stack_columns
from broadsheet.methods.visual.date_features import compute_date_features, find_date_candidates
from broadsheet.methods.visual.features import VisualInput, compute_attributes, read_input
from broadsheet.methods.visual.nce import TextNodes
from broadsheet.text import fold_words
from broadsheet.training.cache import describe_data, hash_code, load_or_compute, make_key
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import (
    Dataset,
    LabelledPage,
    PageFilter,
    find_datasets,
    has_gold_text,
    read_pages,
    states_day,
)

Array = NDArray[Any]
PAGES = PageFilter(labels=("title", "date", "text"))
MAX_LINK_SHARE = 0.5  # of a headline's block; above it, the block is a link to the article
MAX_DATE_CHARS = 200  # of a block whose text nodes together state the date


@dataclass(frozen=True, slots=True, eq=False)
class PageSamples:
    """The samples of one page: n visible text nodes, c date candidates, b blocks. b is 0 without gold text."""

    fold: Array  # (1,): hash of the site, for predictions by forests that have not seen it
    nodes: Array  # (n, attributes)
    positions: Array  # (n,): index among all text nodes
    block_of: Array  # (n,)
    is_examined: Array  # (n,): by the published rule
    is_title: Array  # (n,)
    is_date: Array  # (n,)
    clues: Array  # (c, clues)
    clue_positions: Array  # (c,)
    is_clue_date: Array  # (c,)
    blocks: Array  # (b, features)
    kin: Array  # (b,)
    holder: Array  # (b,)
    is_body: Array  # (b,)
    is_headline: Array  # (b,): these are ignored, because only some gold texts include the headline

    @property
    def has_title(self) -> bool:
        """Whether the title is labelled and visible."""
        return bool(self.is_title.any())

    @property
    def has_date(self) -> bool:
        """Whether the date is labelled and visible."""
        return bool(self.is_clue_date.any())

    @property
    def has_body(self) -> bool:
        """Whether the body is labelled and visible."""
        return bool(self.is_body.any())


_NAMES = tuple(field.name for field in fields(PageSamples))


def load_samples(
    options: TrainingOptions, split: str, names: frozenset[str] | None = None
) -> dict[str, list[PageSamples]]:
    """Return the samples of a split by dataset, from the cache where possible. `names` selects datasets."""
    datasets = find_datasets(options.data, split, names, options.skipped)
    samples: dict[str, list[PageSamples]] = {}
    for dataset in datasets:  # several files may be of the same dataset
        samples.setdefault(dataset.name, []).extend(_load_dataset(dataset, datasets, options))
    return samples


def _load_dataset(dataset: Dataset, beside: Sequence[Dataset], options: TrainingOptions) -> list[PageSamples]:
    key = make_key(hash_code(__name__), describe_data(beside), options.limit)
    columns = load_or_compute(
        options.work / f"visual-{dataset.path.name}-{key}",
        lambda: _join_pages([sample_page(page) for page in read_pages([dataset], PAGES, options, beside=beside)]),
    )
    return list(_split_pages(columns))


def sample_page(labelled: LabelledPage) -> PageSamples:
    """Make the samples of a page."""
    record, blocks = labelled.record, labelled.blocks
    reading = read_input(labelled.page, blocks, VisualConfig())
    text = reading.text
    nodes = reading.list_examined(all_nodes=True)
    examined = set(reading.list_examined())
    candidates = find_date_candidates(reading, VisualConfig().max_date)
    titles = find_title_nodes(blocks, text, record.title)
    dates = find_date_nodes(text, record.date, candidates)
    return PageSamples(
        fold=np.array([_hash_site(record)]),
        nodes=compute_attributes(text, nodes, reading.style, reading.page_title),
        positions=np.array(nodes, np.int32),
        block_of=np.array([text.blocks[node] for node in nodes], np.int32),
        is_examined=np.array([node in examined for node in nodes], bool),
        is_title=np.array([node in titles for node in nodes], bool),
        is_date=np.array([node in dates for node in nodes], bool),
        clues=compute_date_features(reading, candidates),
        clue_positions=np.array(candidates, np.int32),
        is_clue_date=np.array([node in dates for node in candidates], bool),
        **(_sample_blocks(labelled, reading) if has_gold_text(record) else _make_no_blocks()),
    )


def find_title_nodes(blocks: Blocks, text: TextNodes, title: str | None) -> set[int]:
    """Find the text nodes of the title: those of a block with its words, else single nodes. Headings are preferred."""
    words = fold_words(title or "")
    if not words:
        return set()
    is_title = [words == fold_words(block_text) for block_text in blocks.text]
    nodes = [node for node, block in enumerate(text.blocks) if is_title[block]]
    nodes = nodes or [node for node, node_text in enumerate(text.texts) if fold_words(node_text) == words]
    nodes = [node for node in nodes if blocks.has(text.blocks[node], tags.HEADING)] or nodes
    return set([node for node in nodes if blocks.link_share(text.blocks[node]) < MAX_LINK_SHARE] or nodes)


def find_date_nodes(text: TextNodes, date: str | None, candidates: Sequence[int]) -> set[int]:
    """Find the candidates that state the day; if none does, those in blocks whose nodes together state it (3.3)."""
    if not date:
        return set()
    day = date[:10]
    nodes = {node for node in candidates if states_day(text.texts[node], day)}
    if nodes:
        return nodes
    by_block: dict[int, list[str]] = {}
    for node, block in enumerate(text.blocks):
        by_block.setdefault(block, []).append(text.texts[node])
    dated_blocks = {
        block
        for block, texts in by_block.items()
        if len(texts) > 1 and states_day(" ".join(texts)[:MAX_DATE_CHARS], day)
    }
    return {node for node in candidates if text.blocks[node] in dated_blocks}


def _sample_blocks(labelled: LabelledPage, reading: VisualInput) -> dict[str, Array]:
    measured = compute_body_features(reading)
    blocks, nodes = labelled.blocks, labelled.page.nodes
    headlines = {fold_words(labelled.record.title or ""), fold_words(reading.page_title)} - {""}
    is_headline = [
        nodes.tag[blocks.container[block]] == "h1" or fold_words(text) in headlines
        for block, text in enumerate(blocks.text)
    ]
    return {
        "blocks": stack_columns(measured.columns, BODY_FEATURES),
        "kin": measured.groups.position.astype(np.int32),
        "holder": measured.groups.container.astype(np.int32),
        "is_body": np.array(labelled.in_text, bool),
        "is_headline": np.array(is_headline),
    }


def _make_no_blocks() -> dict[str, Array]:
    dtypes = {"kin": np.int32, "holder": np.int32, "is_body": bool, "is_headline": bool}
    return {
        "blocks": np.zeros((0, 0), np.float32),
        **{name: np.zeros(0, dtype) for name, dtype in dtypes.items()},
    }


def _hash_site(record: Record) -> int:
    """Return a number that all pages of a site share."""
    return int(hashlib.sha256((record.site or record.id).encode()).hexdigest()[:8], 16)


def _join_pages(pages: Sequence[PageSamples]) -> dict[str, Array]:
    """Concatenate the samples of pages, and add the number of rows of each page."""
    arrays: dict[str, Array] = {}
    for name in _NAMES:
        columns = [getattr(page, name) for page in pages]
        arrays[f"{name}.count"] = np.array([len(column) for column in columns], np.int64)
        not_empty = [column for column in columns if len(column)]
        arrays[name] = np.concatenate(not_empty) if not_empty else np.zeros(0)
    return arrays


def _split_pages(arrays: Mapping[str, Array]) -> Iterator[PageSamples]:
    starts = {name: np.concatenate(([0], arrays[f"{name}.count"].cumsum())) for name in _NAMES}
    for page in range(len(arrays["fold.count"])):
        yield PageSamples(**{name: arrays[name][starts[name][page] : starts[name][page + 1]] for name in _NAMES})

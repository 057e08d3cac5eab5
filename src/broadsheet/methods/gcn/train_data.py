"""Labelled pages as graphs: features and labels of the nodes of many pages, concatenated and cached on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.corpora import align_text
from broadsheet.errors import UsageError
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import NodeFeatures, read_features
from broadsheet.methods.gcn.method import find_vertical_edges
from broadsheet.models.weights import hash_weights
from broadsheet.models.words import WordVectors, load_words
from broadsheet.page import Page
from broadsheet.style import Boxes, compute_styles, find_boxes
from broadsheet.text import fold_words, split_words
from broadsheet.training.cache import describe_data, hash_code, list_columns, load_or_compute, make_key
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import GOLD_TEXT, Dataset, LabelledPage, find_datasets, read_pages, states_day

# A network that uses fewer features takes some of the columns.
ALL_FEATURES = GcnConfig(reads_names=True, has_extra_numbers=True)
MAX_DATE_WORDS = 12  # a longer block that contains the date is text


@dataclass(frozen=True, slots=True, eq=False)
class Graphs:
    """Many pages. Page p has nodes node_start[p] to node_start[p + 1]; texts, names and blocks likewise."""

    ids: list[str]  # of pages, as the next three
    datasets: list[str]
    sites: list[str]  # "" if unknown
    languages: list[str]  # "" if unknown
    node_start: NDArray[np.int64]
    tag: NDArray[np.int16]  # index in `tags`
    parent: NDArray[np.int32]  # row in all nodes, -1 for a root
    numbers: NDArray[np.float32]  # (nodes, 12)
    label: NDArray[np.uint8]  # (nodes, classes)
    counts: NDArray[np.uint8]  # 0 if the node is not part of the loss
    text_start: NDArray[np.int64]
    text_row: NDArray[np.int32]  # row in all nodes
    text_vector: NDArray[np.float16]  # (texts, 200)
    text_block: NDArray[np.int32]  # row in all blocks, -1 for none
    text_length: NDArray[np.int32]  # characters
    name_start: NDArray[np.int64]
    name_row: NDArray[np.int32]  # row in all nodes
    name_index: NDArray[np.int32]  # row of `name_vector`
    name_vector: NDArray[np.float16]  # (distinct names, 200)
    block_start: NDArray[np.int64]
    block_words: NDArray[np.int32]  # 0 for a headline
    block_label: NDArray[np.uint8]  # (blocks, classes)
    block_extent: NDArray[np.float32]  # (blocks, 3): top and bottom in pixels, characters
    tags: list[str]

    def __len__(self) -> int:
        return len(self.ids)


def load_graphs(
    options: TrainingOptions, split: str, classes: Sequence[str], *, names: frozenset[str] | None = None
) -> list[Graphs]:
    """Return the graphs of a split, one for each dataset that has gold texts, from the cache where possible."""
    datasets = find_datasets(options.data, split, names, options.skipped)
    loaded = [_load_dataset(dataset, datasets, options, tuple(classes)) for dataset in datasets]
    return [graphs for graphs in loaded if graphs is not None]


def _load_dataset(
    dataset: Dataset, beside: Sequence[Dataset], options: TrainingOptions, classes: tuple[str, ...]
) -> Graphs | None:
    key = make_key(hash_code(__name__), hash_weights("words"), describe_data(beside), options.limit, classes)
    folder = options.work / f"graphs-{dataset.path.name}-{key}"

    def compute() -> dict[str, Any]:
        pages = read_pages([dataset], GOLD_TEXT, options, beside=beside)
        first = next(pages, None)
        if first is None:
            return {}
        graphs = make_graphs(chain([first], pages), classes)
        options.report(f"{dataset.path.name}: {len(graphs)} pages, {len(graphs.tag)} nodes")
        return list_columns(graphs)

    # Memory-mapped: the vectors of all texts do not fit into memory.
    columns = load_or_compute(folder, compute, is_mapped=True)
    return Graphs(**columns) if columns else None


def make_graphs(pages: Iterable[LabelledPage], classes: Sequence[str]) -> Graphs:
    """Make graphs of labelled pages."""
    builder = _Builder(load_words(), tuple(classes))
    for labelled in pages:
        builder.add(labelled)
    return builder.build()


PAGE_COLUMNS = ("ids", "datasets", "sites", "languages")
COLUMNS = {
    "node": ("tag", "parent", "numbers", "label", "counts"),
    "text": ("text_row", "text_vector", "text_block", "text_length"),
    "name": ("name_row", "name_index"),
    "block": ("block_words", "block_label", "block_extent"),
}


class _Builder:
    """Collects pages column by column."""

    def __init__(self, words: WordVectors, classes: tuple[str, ...]) -> None:
        self.words = words
        self.classes = classes
        self.pages: dict[str, list[str]] = {name: [] for name in PAGE_COLUMNS}
        self.columns: dict[str, list[NDArray[Any]]] = {}
        self.tags: dict[str, int] = {}
        self.names: dict[tuple[str, ...], int] = {}
        self.counts: dict[str, list[int]] = {kind: [0] for kind in COLUMNS}

    def add(self, labelled: LabelledPage) -> None:
        page, record = labelled.page, labelled.record
        styles = compute_styles(page)
        boxes = find_boxes(page, styles)
        features = read_features(page, styles, boxes, ALL_FEATURES)
        first_node = self.counts["node"][-1]
        page_values = (record.id, record.dataset, record.site or "", record.lang or "")
        for name, value in zip(PAGE_COLUMNS, page_values, strict=True):
            self.pages[name].append(value)
        self._add_nodes(features, first_node)
        self._add_texts(page, features, labelled, first_node)
        self._add_labels(labelled, len(features))
        self._add_blocks(labelled, boxes)
        self._count("node", len(features))
        self._count("text", len(features.text_rows))
        self._count("name", 0 if features.name_rows is None else len(features.name_rows))
        self._count("block", len(labelled.blocks))

    def _add_nodes(self, features: NodeFeatures, first_node: int) -> None:
        tags, names = self.tags, self.names
        self._put("tag", np.array([tags.setdefault(tag, len(tags)) for tag in features.tags], np.int16))
        self._put("parent", np.where(features.parent < 0, -1, features.parent + first_node).astype(np.int32))
        self._put("numbers", features.numbers)
        if features.name_rows is not None and features.name_index is not None:
            indices = np.array([names.setdefault(tuple(words), len(names)) for words in features.names], np.int32)
            self._put("name_row", (features.name_rows + first_node).astype(np.int32))
            self._put("name_index", indices[features.name_index])

    def _add_texts(self, page: Page, features: NodeFeatures, labelled: LabelledPage, first_node: int) -> None:
        first_block = self.counts["block"][-1]
        block_of = {row: block for block, rows in enumerate(labelled.blocks.rows, first_block) for row in rows}
        rows = features.text_rows.tolist()
        self._put("text_row", (features.text_rows + first_node).astype(np.int32))
        self._put("text_vector", self.words.sif(features.texts).astype(np.float16))
        self._put("text_block", np.array([block_of.get(row, -1) for row in rows], np.int32))
        self._put("text_length", np.array([len(page.nodes.text[row]) for row in rows], np.int32))

    def _add_labels(self, labelled: LabelledPage, nodes: int) -> None:
        """Give text nodes the labels of their block. Headlines do not count unless titles are a class."""
        blocks = labelled.blocks
        block_labels = np.array([label_class(name, labelled) for name in self.classes], np.uint8).T
        label = np.zeros((nodes, len(self.classes)), np.uint8)
        counts = np.ones(nodes, np.uint8)
        for block, rows in enumerate(blocks.rows):
            text_rows = [row for row in rows if labelled.page.nodes.text[row].strip()]
            label[text_rows] = block_labels[block]
            if "title" not in self.classes and is_headline(labelled, block):
                counts[text_rows] = 0
        self._put("label", label)
        self._put("counts", counts)
        self._put("block_label", block_labels)

    def _add_blocks(self, labelled: LabelledPage, boxes: Boxes) -> None:
        blocks = labelled.blocks
        top, bottom = find_vertical_edges(blocks, boxes, list(range(len(blocks))))
        lengths = np.array([len(text) for text in blocks.text], np.float32)
        self._put("block_extent", np.stack((top, bottom, lengths), axis=1).astype(np.float32))
        words = [
            0 if is_headline(labelled, block) else len(split_words(text)) for block, text in enumerate(blocks.text)
        ]
        self._put("block_words", np.array(words, np.int32))

    def _put(self, name: str, values: NDArray[Any]) -> None:
        self.columns.setdefault(name, []).append(values)

    def _count(self, kind: str, rows: int) -> None:
        self.counts[kind].append(self.counts[kind][-1] + rows)

    def build(self) -> Graphs:
        names = list(self.names) or [()]
        columns: dict[str, Any] = {name: np.concatenate(parts) for name, parts in self.columns.items()}
        columns |= {f"{kind}_start": np.array(counts, np.int64) for kind, counts in self.counts.items()}
        columns |= self.pages
        columns["name_vector"] = self.words.sif(names).astype(np.float16)
        return Graphs(**columns, tags=list(self.tags))


def label_class(name: str, labelled: LabelledPage) -> list[bool]:
    """Return for each block whether it belongs to a class. Raises UsageError for a class without labels."""
    if name not in LABELLERS:
        raise UsageError(f"unknown class {name!r}; classes that have labels: {', '.join(LABELLERS)}")
    return LABELLERS[name](labelled)


def is_headline(labelled: LabelledPage, block: int) -> bool:
    """Return whether a block shows the headline. Some gold texts include it, others do not."""
    if labelled.page.nodes.tag[labelled.blocks.container[block]] == "h1":
        return True
    title = labelled.record.title
    return bool(title) and fold_words(labelled.blocks.text[block]) == fold_words(title or "")


def _label_body(labelled: LabelledPage) -> list[bool]:
    return labelled.in_text


def _label_title(labelled: LabelledPage) -> list[bool]:
    title = fold_words(labelled.record.title or "")
    return [bool(title) and fold_words(text) == title for text in labelled.blocks.text]


def _label_date(labelled: LabelledPage) -> list[bool]:
    """Label short blocks that state the day of publication."""
    try:
        day = date.fromisoformat((labelled.record.date or "")[:10])
    except ValueError:
        return [False] * len(labelled.blocks)
    return [
        str(day.year) in text and text.count(" ") < MAX_DATE_WORDS and states_day(text, day.isoformat())
        for text in labelled.blocks.text
    ]


def _label_comment(labelled: LabelledPage) -> list[bool]:
    return align_text(labelled.blocks.text, labelled.record.comments or "")


LABELLERS: dict[str, Callable[[LabelledPage], list[bool]]] = {
    "body": _label_body,
    "title": _label_title,
    "date": _label_date,
    "comment": _label_comment,
}

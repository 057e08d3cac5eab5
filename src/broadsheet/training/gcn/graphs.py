"""Labelled pages as graphs: features and labels of all nodes of many pages, one after the other, kept on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.corpora import Record
from broadsheet.embeddings import WordVectors, load_words
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import NodeFeatures, read_features
from broadsheet.methods.gcn.refine import find_vertical_edges
from broadsheet.page import Page
from broadsheet.style import Boxes, compute_styles, find_boxes
from broadsheet.text import split_words
from broadsheet.training.gcn.labels import is_headline, label_class
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, find_sets, label_page, read_records

MIN_RECALL = 0.8  # of the gold text in the visible page
ALL_FEATURES = GcnConfig(reads_names=True, has_extra_numbers=True)  # networks that use fewer take a part of the columns
_VERSION = 2  # of what is kept on disk


@dataclass(frozen=True, slots=True, eq=False)
class Graphs:
    """Many pages; page p has nodes node_start[p] to node_start[p + 1], and texts, names and blocks likewise."""

    pages: list[dict[str, Any]]  # id, dataset, site, language
    node_start: NDArray[np.int64]
    tag: NDArray[np.int16]  # place in `tags`
    parent: NDArray[np.int32]  # row in all nodes, -1 for a root
    numbers: NDArray[np.float32]  # (nodes, 12)
    label: NDArray[np.uint8]  # (nodes, classes)
    counts: NDArray[np.uint8]  # 0: the node has no part in the loss
    text_start: NDArray[np.int64]
    text_row: NDArray[np.int32]
    text_vector: NDArray[np.float16]  # (texts, 200)
    text_block: NDArray[np.int32]  # row in all blocks, -1 for none
    text_length: NDArray[np.int32]
    name_start: NDArray[np.int64]
    name_row: NDArray[np.int32]
    name_place: NDArray[np.int32]  # row of `name_vector`
    name_vector: NDArray[np.float16]  # (different names, 200)
    block_start: NDArray[np.int64]
    block_words: NDArray[np.int32]
    block_label: NDArray[np.uint8]  # (blocks, classes)
    block_place: NDArray[np.float32]  # (blocks, 3): top, bottom, characters
    tags: list[str]

    def __len__(self) -> int:
        return len(self.pages)


def load_graphs(
    options: TrainingOptions, split: str, classes: Sequence[str], *, only: frozenset[str] | None = None
) -> list[Graphs]:
    """Read the graphs of a split, one for each file with gold texts; what was read before is taken from disk."""
    found = [_load_file(path, options, tuple(classes)) for path in find_sets(options.data, split, only=only)]
    return [graphs for graphs in found if graphs is not None]


def _load_file(path: Path, options: TrainingOptions, classes: tuple[str, ...]) -> Graphs | None:
    key = hashlib.blake2b(f"{_VERSION} {options.limit} {classes} {_words_key()}".encode(), digest_size=4).hexdigest()
    folder = options.work / f"graphs-{key}" / path.name
    if not folder.exists():
        records = [record for record in read_records([path], options.limit) if is_usable(record)]
        if not records:
            return None
        graphs = make_graphs(options.progress(records, path.name), classes)
        options.report(f"{path.name}: {len(graphs)} pages, {len(graphs.tag)} nodes")
        _save(graphs, folder)
    return _open(folder)


def _words_key() -> str:
    component = load_words().component
    return hashlib.blake2b(component.tobytes(), digest_size=4).hexdigest()


def is_usable(record: Record) -> bool:
    """Tell whether a page's gold text can be trusted."""
    return bool(record.text) and (record.gold_recall is None or record.gold_recall >= MIN_RECALL)


def make_graphs(records: Iterable[Record], classes: Sequence[str]) -> Graphs:
    """Make graphs of labelled pages; those over the limits are left out."""
    builder = _Builder(load_words(), tuple(classes))
    for record in records:
        labelled = label_page(record)
        if labelled is not None and len(labelled.blocks):
            builder.add(labelled)
    return builder.build()


def take_pages(graphs: Graphs, pages: Sequence[int]) -> Graphs:
    """Some of the pages, in the order given."""
    values: dict[str, Any] = {"pages": [graphs.pages[page] for page in pages], "tags": graphs.tags}
    shifts: dict[str, NDArray[np.int64]] = {}  # for every row that is taken: how far it moves
    for kind, columns in _COLUMNS.items():
        start = getattr(graphs, f"{kind}_start")
        spans = [np.arange(start[page], start[page + 1]) for page in pages]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        values[f"{kind}_start"] = np.cumsum([0, *(len(span) for span in spans)])
        shifts[kind] = np.arange(len(rows)) - rows
        values |= {column: getattr(graphs, column)[rows] for column in columns}
    values["name_vector"] = graphs.name_vector
    for column, kind, own in _ROW_COLUMNS:  # a row that another row names moves as far as that one's page
        starts = values[f"{own}_start"]
        moved = shifts[kind][np.minimum(values[f"{kind}_start"][:-1], max(len(shifts[kind]) - 1, 0))]
        by_page = np.repeat(moved, np.diff(starts))
        values[column] = np.where(values[column] < 0, -1, values[column] + by_page).astype(np.int32)
    return Graphs(**values)


_COLUMNS = {
    "node": ("tag", "parent", "numbers", "label", "counts"),
    "text": ("text_row", "text_vector", "text_block", "text_length"),
    "name": ("name_row", "name_place"),
    "block": ("block_words", "block_label", "block_place"),
}
_ROW_COLUMNS = (  # column, the kind of row that it names, the kind that it is a column of
    ("parent", "node", "node"),
    ("text_row", "node", "text"),
    ("text_block", "block", "text"),
    ("name_row", "node", "name"),
)


class _Builder:
    """Gathers pages, column by column."""

    def __init__(self, words: WordVectors, classes: tuple[str, ...]) -> None:
        self.words = words
        self.classes = classes
        self.pages: list[dict[str, Any]] = []
        self.columns: dict[str, list[NDArray[Any]]] = {}
        self.tags: dict[str, int] = {}
        self.names: dict[tuple[str, ...], int] = {}
        self.counts = {"node": [0], "text": [0], "name": [0], "block": [0]}

    def add(self, labelled: LabelledPage) -> None:
        page, blocks, record = labelled.page, labelled.blocks, labelled.record
        styles = compute_styles(page)
        boxes = find_boxes(page, styles)
        features = read_features(page, styles, boxes, ALL_FEATURES)
        first = self.counts["node"][-1]
        self.pages.append({"id": record.id, "dataset": record.dataset, "site": record.site, "language": record.lang})
        self._add_nodes(features, first)
        self._add_texts(page, features, labelled, first)
        self._add_labels(labelled, len(features))
        self._add_blocks(labelled, boxes)
        for kind, count in (
            ("node", len(features)),
            ("text", len(features.text_rows)),
            ("name", 0 if features.name_rows is None else len(features.name_rows)),
            ("block", len(blocks)),
        ):
            self.counts[kind].append(self.counts[kind][-1] + count)

    def _add_nodes(self, features: NodeFeatures, first: int) -> None:
        tags, names = self.tags, self.names
        self._put("tag", np.array([tags.setdefault(tag, len(tags)) for tag in features.tags], np.int16))
        self._put("parent", np.where(features.parent < 0, -1, features.parent + first).astype(np.int32))
        self._put("numbers", features.numbers)
        if features.name_rows is not None and features.name_index is not None:
            places = np.array([names.setdefault(tuple(own), len(names)) for own in features.names], np.int32)
            self._put("name_row", (features.name_rows + first).astype(np.int32))
            self._put("name_place", places[features.name_index])

    def _add_texts(self, page: Page, features: NodeFeatures, labelled: LabelledPage, first: int) -> None:
        first_block = self.counts["block"][-1]
        block_of = {row: block for block, rows in enumerate(labelled.blocks.rows, first_block) for row in rows}
        rows = features.text_rows.tolist()
        self._put("text_row", (features.text_rows + first).astype(np.int32))
        self._put("text_vector", self.words.sif(features.texts).astype(np.float16))
        self._put("text_block", np.array([block_of.get(row, -1) for row in rows], np.int32))
        self._put("text_length", np.array([len(page.nodes.text[row]) for row in rows], np.int32))

    def _add_labels(self, labelled: LabelledPage, nodes: int) -> None:
        """A block's text nodes are of its class. Headlines have no part where they are neither text nor title."""
        blocks = labelled.blocks
        of_blocks = np.array([label_class(kind, labelled) for kind in self.classes], np.uint8).T
        label = np.zeros((nodes, len(self.classes)), np.uint8)
        counts = np.ones(nodes, np.uint8)
        for block, rows in enumerate(blocks.rows):
            own = [row for row in rows if labelled.page.nodes.text[row].strip()]
            label[own] = of_blocks[block]
            if "title" not in self.classes and is_headline(labelled, block):
                counts[own] = 0
        self._put("label", label)
        self._put("counts", counts)
        self._put("block_label", of_blocks)

    def _add_blocks(self, labelled: LabelledPage, boxes: Boxes) -> None:
        blocks = labelled.blocks
        top, bottom = find_vertical_edges(blocks, boxes, list(range(len(blocks))))
        lengths = np.array([len(text) for text in blocks.text], np.float32)
        self._put("block_place", np.stack((top, bottom, lengths), axis=1).astype(np.float32))
        words = [0 if is_headline(labelled, at) else len(split_words(text)) for at, text in enumerate(blocks.text)]
        self._put("block_words", np.array(words, np.int32))

    def _put(self, name: str, values: NDArray[Any]) -> None:
        self.columns.setdefault(name, []).append(values)

    def build(self) -> Graphs:
        names = list(self.names) or [()]
        columns: dict[str, Any] = {name: np.concatenate(parts) for name, parts in self.columns.items()}
        columns |= {f"{kind}_start": np.array(counts, np.int64) for kind, counts in self.counts.items()}
        columns["name_vector"] = self.words.sif(names).astype(np.float16)
        return Graphs(pages=self.pages, tags=list(self.tags), **columns)


def _save(graphs: Graphs, folder: Path) -> None:
    draft = folder.with_name(folder.name + ".part")
    draft.mkdir(parents=True, exist_ok=True)
    for field in fields(graphs):
        value = getattr(graphs, field.name)
        if isinstance(value, list):
            (draft / f"{field.name}.json").write_text(json.dumps(value), "utf-8")
        else:
            np.save(draft / f"{field.name}.npy", value)
    draft.rename(folder)


def _open(folder: Path) -> Graphs:
    values: dict[str, Any] = {}
    for field in fields(Graphs):
        stored = folder / f"{field.name}.json"
        if stored.exists():
            values[field.name] = json.loads(stored.read_text("utf-8"))
        else:
            values[field.name] = np.load(folder / f"{field.name}.npy", mmap_mode="r")
    return Graphs(**values)

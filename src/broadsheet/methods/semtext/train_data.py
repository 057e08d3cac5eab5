"""Labelled pages as columns for SemText: word strings as numbers, features and labels of units, cached; and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.corpora.align import find_headlines
from broadsheet.errors import UsageError
from broadsheet.methods.semtext.config import STRINGS, SemtextConfig
from broadsheet.methods.semtext.features import compute_features
from broadsheet.methods.semtext.words import find_units, read_strings
from broadsheet.text import fold_words, split_words
from broadsheet.training.cache import describe_data, hash_code, load_or_compute, make_key
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import GOLD_TEXT, LabelledPage, find_datasets, read_pages

MAIN = 1  # label of main text
UNKNOWN = -1  # label of a headline: some gold texts include it, others do not


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths, concatenated."""

    values: NDArray[np.int32]
    starts: NDArray[np.int64]  # start of each row, and the total length

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each row."""
        return np.diff(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """All pages of a split as columns. The network labels units; the scores are those of blocks."""

    vocabulary: Sequence[str]
    strings: Mapping[str, Ragged]  # kind -> distinct strings, as word numbers
    of_unit: Mapping[str, NDArray[np.int32]]  # kind -> string of each unit
    features: NDArray[np.float32]  # (units, features)
    gold: NDArray[np.int8]  # (units,): 1 main, 0 boilerplate, UNKNOWN
    page_starts: NDArray[np.int64]  # first unit of each page, and the number of units
    block_starts: NDArray[np.int64]  # first block of each page, and the number of blocks
    unit_of_block: NDArray[np.int32]  # counted over all pages
    gold_of_block: NDArray[np.int8]
    words_of_block: NDArray[np.int32]
    datasets: Sequence[str]  # of pages
    page_types: Sequence[str]  # of pages; "" if unknown

    def __len__(self) -> int:
        return len(self.page_starts) - 1

    def count_visible(self) -> int:
        """Return the number of pages that show their gold text."""
        pages = np.repeat(np.arange(len(self)), np.diff(self.page_starts))
        return len(np.unique(pages[self.gold == MAIN]))


def load_examples(
    options: TrainingOptions, split: str, config: SemtextConfig, names: frozenset[str] | None
) -> Examples:
    """Read the labelled pages of a split, from the cache where possible. `names` selects datasets."""
    datasets = find_datasets(options.data, split, names, options.skipped)
    # The strings depend on these settings; the sizes of the network do not matter.
    settings = (config.max_words, config.combines, config.drops_stop_words, config.has_ids, config.keeps_path_end)
    key = make_key(hash_code(__name__), describe_data(datasets), settings, options.limit)
    columns = load_or_compute(
        options.work / f"semtext-{split}-{key}",
        lambda: _to_columns(make_examples(read_pages(datasets, GOLD_TEXT, options), config, split)),
    )
    return _from_columns(columns)


def make_examples(pages: Iterable[LabelledPage], config: SemtextConfig, split: str = "train") -> Examples:
    """Turn labelled pages into columns."""
    builder = _Builder(config)
    for labelled in pages:
        builder.add(labelled)
    if not builder.datasets:
        raise UsageError(f"semtext needs {split} pages with a gold text (`text`), and none of them has one: label more")
    return builder.build()


class _Builder:
    """Collects pages column by column."""

    def __init__(self, config: SemtextConfig) -> None:
        self.config = config
        self.string_numbers: dict[str, dict[tuple[str, ...], int]] = {kind: {} for kind in STRINGS}
        self.of_unit: dict[str, list[int]] = {kind: [] for kind in STRINGS}
        self.features: list[NDArray[np.float32]] = []
        self.gold: list[NDArray[np.int8]] = []
        self.unit_of_block: list[NDArray[np.intp]] = []
        self.gold_of_block: list[int] = []
        self.words_of_block: list[int] = []
        self.page_starts, self.block_starts = [0], [0]
        self.datasets: list[str] = []
        self.page_types: list[str] = []

    def add(self, labelled: LabelledPage) -> None:
        blocks = labelled.blocks
        units = np.asarray(find_units(blocks, self.config), np.intp)
        strings = read_strings(labelled.page, blocks, self.config)
        for kind, unit_strings in strings.items():
            kind_numbers = self.string_numbers[kind]
            numbers = [kind_numbers.setdefault(words, len(kind_numbers)) for words in unit_strings.words]
            self.of_unit[kind] += [numbers[string] for string in unit_strings.of_unit]
        self.features.append(compute_features(labelled.page, blocks, units, strings))
        labels = label_blocks(labelled)
        sizes = [len(split_words(text)) for text in blocks.text]
        self.gold.append(_label_units(np.array(labels), np.array(sizes), units))
        self.unit_of_block.append(units + self.page_starts[-1])
        self.gold_of_block += labels
        self.words_of_block += sizes
        self.page_starts.append(self.page_starts[-1] + int(units[-1]) + 1)
        self.block_starts.append(len(self.gold_of_block))
        self.datasets.append(labelled.record.dataset)
        self.page_types.append(labelled.record.page_type or "")

    def build(self) -> Examples:
        word_numbers: dict[str, int] = {}
        strings = {kind: _number_words(list(words), word_numbers) for kind, words in self.string_numbers.items()}
        return Examples(
            vocabulary=list(word_numbers),
            strings=strings,
            of_unit={kind: np.array(rows, np.int32) for kind, rows in self.of_unit.items()},
            features=np.concatenate(self.features),
            gold=np.concatenate(self.gold),
            page_starts=np.array(self.page_starts, np.int64),
            block_starts=np.array(self.block_starts, np.int64),
            unit_of_block=np.concatenate(self.unit_of_block).astype(np.int32),
            gold_of_block=np.array(self.gold_of_block, np.int8),
            words_of_block=np.array(self.words_of_block, np.int32),
            datasets=self.datasets,
            page_types=self.page_types,
        )


def label_blocks(labelled: LabelledPage) -> list[int]:
    """Label the blocks of a page: 1 main, 0 boilerplate, UNKNOWN for a headline."""
    headlines = find_headlines(labelled.page, labelled.record.title)
    return [
        UNKNOWN if fold_words(text) in headlines else int(is_main)
        for text, is_main in zip(labelled.blocks.text, labelled.in_text, strict=True)
    ]


def _label_units(labels: NDArray[np.int64], sizes: NDArray[np.int64], units: NDArray[np.intp]) -> NDArray[np.int8]:
    """Label units by the majority of their words. Headlines do not count."""
    weight = np.maximum(sizes, 1) * (labels != UNKNOWN)
    main_words = np.bincount(units, weight * (labels == 1))
    labelled_words = np.bincount(units, weight)
    return np.where(labelled_words == 0, UNKNOWN, 2 * main_words > labelled_words).astype(np.int8)


def _number_words(strings: list[tuple[str, ...]], word_numbers: dict[str, int]) -> Ragged:
    values = [word_numbers.setdefault(word, len(word_numbers)) for words in strings for word in words]
    starts = np.cumsum([0, *map(len, strings)])
    return Ragged(np.array(values, np.int32), starts.astype(np.int64))


_ARRAYS = ("features", "gold", "page_starts", "block_starts", "unit_of_block", "gold_of_block", "words_of_block")
_LISTS = ("vocabulary", "datasets", "page_types")


def _to_columns(examples: Examples) -> dict[str, Any]:
    columns = {name: getattr(examples, name) for name in (*_ARRAYS, *_LISTS)}
    for kind, ragged in examples.strings.items():
        columns |= {f"{kind}.values": ragged.values, f"{kind}.starts": ragged.starts}
        columns[f"{kind}.of_unit"] = examples.of_unit[kind]
    return columns


def _from_columns(columns: Mapping[str, Any]) -> Examples:
    return Examples(
        **{name: columns[name] for name in (*_ARRAYS, *_LISTS)},
        strings={kind: Ragged(columns[f"{kind}.values"], columns[f"{kind}.starts"]) for kind in STRINGS},
        of_unit={kind: columns[f"{kind}.of_unit"] for kind in STRINGS},
    )


@dataclass(frozen=True, slots=True)
class DatasetScores:
    """Scores of one dataset."""

    block_f1: float
    word_f1: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a split."""

    precision: float  # of blocks, over all pages (IV-C)
    recall: float
    f1: float
    word_f1: float  # mean of datasets; that of a dataset is the mean of its pages
    by_dataset: Mapping[str, DatasetScores]


def score_units(examples: Examples, is_predicted: NDArray[np.bool_], pages: Sequence[int] | None = None) -> Scores:
    """Score predicted units on all pages, or on some."""
    chosen = range(len(examples)) if pages is None else pages
    counts = np.array([_count_page(examples, is_predicted, page) for page in chosen])  # (pages, 4)
    names = np.array([examples.datasets[page] for page in chosen])
    by_dataset = {str(name): _score_dataset(counts[names == name]) for name in np.unique(names)}
    right, predicted, gold = counts[:, :3].sum(0)
    return Scores(
        precision=float(right / max(predicted, 1)),
        recall=float(right / max(gold, 1)),
        f1=_compute_f1(counts),
        word_f1=float(np.mean([scores.word_f1 for scores in by_dataset.values()])),
        by_dataset=by_dataset,
    )


def _score_dataset(counts: NDArray[np.float64]) -> DatasetScores:
    return DatasetScores(_compute_f1(counts), float(counts[:, 3].mean()))


def _count_page(examples: Examples, is_predicted: NDArray[np.bool_], page: int) -> list[float]:
    """Return the numbers of blocks that are correct, predicted and gold, and the word F1."""
    rows = slice(examples.block_starts[page], examples.block_starts[page + 1])
    gold = examples.gold_of_block[rows]
    is_kept = is_predicted[examples.unit_of_block[rows]] & (gold != UNKNOWN)
    is_gold = gold == 1
    words = examples.words_of_block[rows]
    right = words[is_kept & is_gold].sum()
    total = words[is_kept].sum() + words[is_gold].sum()
    return [int((is_kept & is_gold).sum()), int(is_kept.sum()), int(is_gold.sum()), 2 * right / total if total else 1.0]


def _compute_f1(counts: NDArray[np.float64]) -> float:
    right, predicted, gold = counts[:, :3].sum(0)
    return float(2 * right / max(predicted + gold, 1))

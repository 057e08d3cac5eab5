"""Labelled pages as SemText's network reads them: word strings by number, labels of units; kept between runs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.corpora import Record
from broadsheet.methods.semtext.config import STRINGS, SemtextConfig
from broadsheet.methods.semtext.features import compute_features
from broadsheet.methods.semtext.strings import find_units, read_strings
from broadsheet.page import Page
from broadsheet.text import fold_words, split_words
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, find_sets, label_page, read_records

MIN_RECALL = 0.8  # of the gold text in the page; below, the labels are doubtful
UNKNOWN = -1  # label of a headline: some gold texts have it and some do not
_CACHE_VERSION = 4

_TITLE_SEPARATOR = re.compile(r"\s[-–—|:·•»«/~]+\s|[|]|:\s")


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths, one after the other."""

    values: NDArray[np.int32]
    starts: NDArray[np.int64]  # one more at the end

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of every row."""
        return np.diff(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """All pages of a split as columns. Units are what the network labels, blocks what is scored."""

    vocabulary: Sequence[str]
    strings: Mapping[str, Ragged]  # kind -> distinct strings, as numbers of words
    of_unit: Mapping[str, NDArray[np.int32]]  # kind -> string of each unit
    measures: NDArray[np.float32]  # units x measures
    gold: NDArray[np.int8]  # of units: 1 main, 0 boilerplate, UNKNOWN
    page_starts: NDArray[np.int64]  # first unit of each page; one more at the end
    block_starts: NDArray[np.int64]  # first block of each page; one more at the end
    unit_of_block: NDArray[np.int32]  # within all units
    gold_of_block: NDArray[np.int8]
    words_of_block: NDArray[np.int32]
    datasets: Sequence[str]  # of pages
    page_types: Sequence[str]

    def __len__(self) -> int:
        return len(self.page_starts) - 1


def load_examples(options: TrainingOptions, split: str, config: SemtextConfig, only: frozenset[str]) -> Examples:
    """Read the labelled pages of a split, or what an earlier run made of them."""
    files = find_sets(options.data, split, only=only)
    place = options.work / f"{split}-{_name_cache(files, config, options.limit)}.npz"
    if not place.exists():
        save_examples(place, make_examples(_read_pages(files, options, split), config))
    return read_examples(place)


def _name_cache(files: list[Path], config: SemtextConfig, limit: int | None) -> str:
    """Name what the strings depend on; sizes of a network do not count."""
    shape = (config.max_words, config.combines, config.drops_stop_words, config.has_ids, config.keeps_path_end)
    key = json.dumps([_CACHE_VERSION, [path.name for path in files], shape, limit])
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def _read_pages(files: list[Path], options: TrainingOptions, split: str) -> Iterator[LabelledPage]:
    for record in options.progress(read_records(files, options.limit), f"reading {split}"):
        if record.text and (record.gold_recall is None or record.gold_recall >= MIN_RECALL):
            labelled = label_page(record)
            if labelled is not None and len(labelled.blocks):
                yield labelled


def make_examples(pages: Iterator[LabelledPage], config: SemtextConfig) -> Examples:
    """Turn labelled pages into columns."""
    number: dict[str, int] = {}
    known: dict[str, dict[tuple[str, ...], int]] = {kind: {} for kind in STRINGS}
    of_unit: dict[str, list[int]] = {kind: [] for kind in STRINGS}
    measures, gold, unit_of_block = [], [], []
    gold_of_block: list[int] = []
    words_of_block: list[int] = []
    page_starts, block_starts, datasets, page_types = [0], [0], [], []
    for labelled in pages:
        blocks = labelled.blocks
        units = np.asarray(find_units(blocks, config), np.intp)
        strings = read_strings(labelled.page, blocks, config)
        for kind, own in strings.items():
            numbers = [known[kind].setdefault(words, len(known[kind])) for words in own.words]
            of_unit[kind] += [numbers[at] for at in own.of_unit]
        measures.append(compute_features(labelled.page, blocks, units, strings))
        labels = label_blocks(labelled)
        sizes = [len(split_words(text)) for text in blocks.text]
        gold.append(_label_units(np.array(labels), np.array(sizes), units))
        unit_of_block.append(units + page_starts[-1])
        gold_of_block += labels
        words_of_block += sizes
        page_starts.append(page_starts[-1] + int(units[-1]) + 1)
        block_starts.append(len(gold_of_block))
        datasets.append(labelled.record.dataset)
        page_types.append(labelled.record.page_type or "")
    ragged = {kind: _number_words(list(own), number) for kind, own in known.items()}
    return Examples(
        vocabulary=list(number),
        strings=ragged,
        of_unit={kind: np.array(rows, np.int32) for kind, rows in of_unit.items()},
        measures=np.concatenate(measures),
        gold=np.concatenate(gold),
        page_starts=np.array(page_starts, np.int64),
        block_starts=np.array(block_starts, np.int64),
        unit_of_block=np.concatenate(unit_of_block).astype(np.int32),
        gold_of_block=np.array(gold_of_block, np.int8),
        words_of_block=np.array(words_of_block, np.int32),
        datasets=datasets,
        page_types=page_types,
    )


def label_blocks(labelled: LabelledPage) -> list[int]:
    """Label the blocks of a page: 1 main, 0 boilerplate, UNKNOWN for what shows the headline."""
    headlines = _find_headlines(labelled.page, labelled.record)
    return [
        UNKNOWN if fold_words(text) in headlines else int(is_main)
        for text, is_main in zip(labelled.blocks.text, labelled.in_text, strict=True)
    ]


def _find_headlines(page: Page, record: Record) -> frozenset[str]:
    """Everything on the page that counts as its headline when texts are scored."""
    nodes = page.nodes
    found = {record.title or ""} | {nodes.text_of(row) for row in nodes.rows["h1"]}
    for row in nodes.rows["title"]:
        title = nodes.text_of(row)
        found |= {title, *_TITLE_SEPARATOR.split(title)}
    return frozenset(filter(None, map(fold_words, found)))


def _label_units(labels: NDArray[np.int64], sizes: NDArray[np.int64], units: NDArray[np.intp]) -> NDArray[np.int8]:
    """Label units by most of their words; headlines do not count."""
    weight = np.maximum(sizes, 1) * (labels != UNKNOWN)
    main = np.bincount(units, weight * (labels == 1))
    known = np.bincount(units, weight)
    return np.where(known == 0, UNKNOWN, 2 * main > known).astype(np.int8)


def _number_words(strings: list[tuple[str, ...]], number: dict[str, int]) -> Ragged:
    values = [number.setdefault(word, len(number)) for words in strings for word in words]
    starts = np.cumsum([0, *map(len, strings)])
    return Ragged(np.array(values, np.int32), starts.astype(np.int64))


_PLAIN = ("measures", "gold", "page_starts", "block_starts", "unit_of_block", "gold_of_block", "words_of_block")
_TEXTS = ("vocabulary", "datasets", "page_types")


def save_examples(place: Path, examples: Examples) -> None:
    """Keep columns in a file, whole or not at all."""
    arrays = {name: getattr(examples, name) for name in _PLAIN}
    for name in _TEXTS:
        joined = "\n".join(getattr(examples, name)).encode("utf-8", "surrogatepass")
        arrays[name] = np.frombuffer(joined, np.uint8)
    for kind, ragged in examples.strings.items():
        arrays |= {f"{kind}.values": ragged.values, f"{kind}.starts": ragged.starts}
        arrays[f"{kind}.of_unit"] = examples.of_unit[kind]
    draft = place.with_suffix(".part.npz")
    np.savez(draft, **arrays)
    draft.rename(place)


def read_examples(place: Path) -> Examples:
    """Read what `save_examples` wrote."""
    with np.load(place) as arrays:
        kinds = [name.removesuffix(".of_unit") for name in arrays.files if name.endswith(".of_unit")]
        return Examples(
            **{name: arrays[name] for name in _PLAIN},
            **{name: arrays[name].tobytes().decode("utf-8", "surrogatepass").split("\n") for name in _TEXTS},
            strings={kind: Ragged(arrays[f"{kind}.values"], arrays[f"{kind}.starts"]) for kind in kinds},
            of_unit={kind: arrays[f"{kind}.of_unit"] for kind in kinds},
        )

"""Labelled pages to samples of the visual method: text nodes that are title or date, blocks that are body.

What a page gives does not depend on any forest, so it is worked out once and kept: a file for each dataset, named after
the code that made it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import broadsheet
from broadsheet.blocks import Blocks, tags
from broadsheet.corpora import Record
from broadsheet.fields.written_dates import find_written_date
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.body_features import BODY_FEATURES, compute_body_features, stack_columns
from broadsheet.methods.visual.date_features import compute_date_features, find_date_candidates
from broadsheet.methods.visual.features import compute_attributes
from broadsheet.methods.visual.inputs import VisualInput, read_input
from broadsheet.methods.visual.nce import TextNodes
from broadsheet.text import fold_words
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, find_sets, label_page, read_records

Array = NDArray[Any]
_MIN_RECALL = 0.8  # of the gold text in the page; with less, blocks cannot be labelled
_MANY_LINKS = 0.5  # of a block that is a link to the article, not its headline
_MADE_BY = (
    "methods/visual",
    "style",
    "page",
    "blocks",
    "corpora/align.py",
    "fields/written_dates.py",
    "fields/months.py",
)


@dataclass(frozen=True, slots=True, eq=False)
class PageSamples:
    """One page: text nodes under examination, those that may be dates, and blocks. Empty where it has no such label."""

    fold: Array  # (1,), of the page's site: for predictions on pages that a forest has not seen
    nodes: Array  # (nodes, attributes); all that are shown
    places: Array  # (nodes,), in the list of all text nodes
    owners: Array  # (nodes,), block of each
    is_examined: Array  # (nodes,), by the published rule
    is_title: Array  # (nodes,)
    is_date: Array  # (nodes,)
    clues: Array  # (candidates, clues)
    clue_places: Array  # (candidates,)
    is_clue_date: Array  # (candidates,)
    blocks: Array  # (blocks, features)
    kin: Array  # (blocks,)
    holder: Array  # (blocks,)
    is_body: Array  # (blocks,)
    is_headline: Array  # (blocks,): nobody's right or wrong, since gold texts differ in having it

    @property
    def has_title(self) -> bool:
        """Tell whether the title is known, and shown."""
        return bool(self.is_title.any())

    @property
    def has_date(self) -> bool:
        """Tell whether the date is known, and shown."""
        return bool(self.is_clue_date.any())

    @property
    def has_body(self) -> bool:
        """Tell whether the body is known."""
        return bool(self.is_body.any())


_NAMES = tuple(field.name for field in fields(PageSamples))


def gather_samples(options: TrainingOptions, split: str) -> dict[str, list[PageSamples]]:
    """Samples of all pages of a split, by dataset."""
    found: dict[str, list[PageSamples]] = {}
    mark = _mark_code()
    for path in find_sets(options.data, split):
        kept = options.work / f"{path.name}-{options.limit or 'all'}-{mark}.npz"
        if not kept.exists():
            records = options.progress(read_records([path], options.limit), f"reading {path.name}")
            _save([page for record in records if (page := sample_page(record))], kept)
        found[path.name.split(".")[0]] = list(_load(kept))
    return found


def sample_page(record: Record) -> PageSamples | None:
    """Make the samples of a page; None where it has no label to learn from."""
    if not (record.title or record.date or record.text):
        return None
    labelled = label_page(record)
    if labelled is None or not len(labelled.blocks):
        return None
    reading = read_input(labelled.page, labelled.blocks, VisualConfig())
    text, blocks = reading.text, labelled.blocks
    nodes = reading.list_examined(all_nodes=True)
    examined = set(reading.list_examined())
    candidates = find_date_candidates(reading, VisualConfig().max_date)
    titles = find_title_nodes(blocks, text, record.title)
    dates = find_date_nodes(text, record.date, candidates)
    has_text = bool(record.text) and (record.gold_recall or 1.0) >= _MIN_RECALL
    body = _sample_blocks(labelled, reading) if has_text else _no_blocks()
    return PageSamples(
        fold=np.array([_fold(record)]),
        nodes=compute_attributes(text, nodes, reading.style, reading.page_title),
        places=np.array(nodes, np.int32),
        owners=np.array([text.blocks[node] for node in nodes], np.int32),
        is_examined=np.array([node in examined for node in nodes], bool),
        is_title=np.array([node in titles for node in nodes], bool),
        is_date=np.array([node in dates for node in nodes], bool),
        clues=compute_date_features(reading, candidates),
        clue_places=np.array(candidates, np.int32),
        is_clue_date=np.array([node in dates for node in candidates], bool),
        **body,
    )


def find_title_nodes(blocks: Blocks, text: TextNodes, title: str | None) -> set[int]:
    """Find the text nodes that show the title: of a block that says it, else single ones; headings before others."""
    words = fold_words(title or "")
    if not words:
        return set()
    is_shown = [words == fold_words(own) for own in blocks.text]
    nodes = [node for node, block in enumerate(text.blocks) if is_shown[block]]
    nodes = nodes or [node for node, own in enumerate(text.texts) if fold_words(own) == words]
    nodes = [node for node in nodes if blocks.has(text.blocks[node], tags.HEADING)] or nodes
    return set([node for node in nodes if blocks.link_share(text.blocks[node]) < _MANY_LINKS] or nodes)


def find_date_nodes(text: TextNodes, date: str | None, candidates: Sequence[int]) -> set[int]:
    """Find the text nodes that say the day; where it takes several, those of the block that have a digit (3.3)."""
    if not date:
        return set()
    found = {node for node in candidates if _says_day(text.texts[node], date)}
    if found:
        return found
    by_block: dict[int, list[str]] = {}
    for node, block in enumerate(text.blocks):
        by_block.setdefault(block, []).append(text.texts[node])
    dated = {block for block, own in by_block.items() if len(own) > 1 and _says_day(" ".join(own)[:200], date)}
    return {node for node in candidates if text.blocks[node] in dated}


def _says_day(text: str, date: str) -> bool:
    days = {find_written_date(text, is_month_first=is_month_first) for is_month_first in (False, True)}
    return any(day is not None and day.date().isoformat() == date[:10] for day in days)


def _sample_blocks(labelled: LabelledPage, reading: VisualInput) -> dict[str, Array]:
    measured = compute_body_features(reading)
    blocks = labelled.blocks
    headlines = {fold_words(labelled.record.title or ""), fold_words(reading.page_title)} - {""}
    h1 = {block for block in range(len(blocks)) if reading.page.nodes.tag[blocks.container[block]] == "h1"}
    return {
        "blocks": stack_columns(measured.columns, BODY_FEATURES),
        "kin": measured.groups.position.astype(np.int32),
        "holder": measured.groups.container.astype(np.int32),
        "is_body": np.array(labelled.in_text, bool),
        "is_headline": np.array([block in h1 or fold_words(own) in headlines for block, own in enumerate(blocks.text)]),
    }


def _no_blocks() -> dict[str, Array]:
    empty = np.zeros(0, bool)
    whole = np.zeros(0, np.int32)
    return {
        "blocks": np.zeros((0, 0), np.float32),
        "kin": whole,
        "holder": whole,
        "is_body": empty,
        "is_headline": empty,
    }


def _fold(record: Record) -> int:
    """A number that all pages of a site share."""
    return int(hashlib.sha256((record.site or record.id).encode()).hexdigest()[:8], 16)


def _save(pages: Sequence[PageSamples], path: Path) -> None:
    arrays: dict[str, Array] = {}
    for name in _NAMES:
        columns = [getattr(page, name) for page in pages]
        arrays[f"{name}.count"] = np.array([len(column) for column in columns], np.int64)
        filled = [column for column in columns if len(column)]
        arrays[name] = np.concatenate(filled) if filled else np.zeros(0)
    draft = path.with_suffix(".part.npz")
    np.savez(draft, **arrays)  # type: ignore[arg-type]
    draft.rename(path)


def _load(path: Path) -> Iterator[PageSamples]:
    with np.load(path) as kept:
        arrays = {name: kept[name] for name in kept.files}
    starts = {name: np.concatenate(([0], arrays[f"{name}.count"].cumsum())) for name in _NAMES}
    for at in range(len(arrays["fold.count"])):
        yield PageSamples(**{name: arrays[name][starts[name][at] : starts[name][at + 1]] for name in _NAMES})


@cache
def _mark_code() -> str:
    """Fingerprint of all code that samples depend on, as it was when the run began."""
    root = Path(broadsheet.__file__).parent
    found = hashlib.sha256()
    for part in _MADE_BY:
        for path in sorted((root / part).rglob("*.py")) or [root / part]:
            found.update(path.read_bytes())
    return found.hexdigest()[:12]

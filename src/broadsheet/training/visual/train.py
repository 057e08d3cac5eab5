"""Train the forests of the visual method: title, date, and body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.body_features import (
    SCORE_FEATURES,
    TITLE_FEATURES,
    Groups,
    compute_from_title,
    compute_score_features,
    stack_columns,
)
from broadsheet.methods.visual.choice import choose_title
from broadsheet.methods.visual.config import MODEL
from broadsheet.methods.visual.date_features import fill_from_title
from broadsheet.methods.visual.features import DATE_COLUMNS, TITLE_COLUMNS, fill_title_distance
from broadsheet.methods.visual.forests import NAMES
from broadsheet.models import Forest, save_weights
from broadsheet.training.card import Card
from broadsheet.training.options import TrainingOptions
from broadsheet.training.trees import ForestSize, fit_boosted_forest, fit_random_forest, lighten
from broadsheet.training.visual.samples import PageSamples, gather_samples

Samples = NDArray[np.float32]

# Weka's default is 100 trees without a limit: no better on dev (from a third of the pages: 0.905 of the titles
# right, with 30 trees of 100 leaves 0.917), and many times the size.
NODE_FOREST = ForestSize(trees=50, leaves=150, depth=14, min_leaf=3)
CLUE_FOREST = ForestSize(trees=40, leaves=31, min_leaf=10, rate=0.1)
BODY_FOREST = ForestSize(trees=100, leaves=31, min_leaf=100, rate=0.1)
FOLDS = 3  # for scores of pages that the first body forest has not seen
_CHARS = 0  # column of a block's length
_LIGHTEST = 15  # characters that every block weighs, besides its own
_LIGHT_SHARE = 0.8  # of all blocks, which are learned from in part
_LEAST_TEXT = 500  # characters of body that a page counts with, at least


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A page with the title that the title forest sees in it."""

    page: PageSamples
    title: int | None  # among the nodes under examination

    @property
    def title_place(self) -> int | None:
        """Its number among all text nodes."""
        return None if self.title is None else int(self.page.places[self.title])

    @property
    def title_block(self) -> int | None:
        """Its block."""
        return None if self.title is None else int(self.page.owners[self.title])


def train_visual(options: TrainingOptions) -> None:
    """Train all forests and write their weights."""
    train, dev = gather_samples(options, "train"), gather_samples(options, "dev")
    pages = [page for own in train.values() for page in own]
    forests: dict[str, Forest] = {}
    report = options.report
    forests["title"] = _train_title(pages, options.seed)
    known = find_titles(pages, forests["title"])
    report(f"title: learned from {sum(page.has_title for page in pages)} pages")
    forests["date"] = _train_date(known, options.seed)
    forests["date_clues"] = _train_clues(known, options.seed)
    report(f"date: learned from {sum(page.has_date for page in pages)} pages")
    forests["body"], forests["body_again"] = _train_body(known, options)
    report(f"body: learned from {sum(page.has_body for page in pages)} pages")
    figures = measure_forests(dev, forests)
    for what, figure in figures.items():
        report(f"{what}: {figure}")
    arrays: dict[str, NDArray[Any]] = {}
    for name in NAMES:
        arrays |= forests[name].arrays(name)
    config = {"forests": {name: forests[name].config() for name in NAMES}, "seed": options.seed}
    card = Card(
        model=MODEL,
        summary="Forests that tell title, date and body by looks and places (docs/methods/visual.md).",
        command=f"broadsheet train visual --seed {options.seed}",
        seed=options.seed,
        pages={name: len(own) for name, own in train.items() if own},
        figures=figures,
        notes=tuple(f"{len(forests[name].feature)} nodes in `{name}`" for name in NAMES),
    )
    save_weights(options.output, MODEL, arrays, config, card.write())


def _train_title(pages: Sequence[PageSamples], seed: int) -> Forest:
    """Learn from all pages that show their title (3.3)."""
    shown = [page for page in pages if page.has_title]
    samples = np.concatenate([page.nodes[:, TITLE_COLUMNS] for page in shown])
    marks = np.concatenate([page.is_title for page in shown])
    return lighten(fit_random_forest(samples, marks, NODE_FOREST, seed))


def find_titles(pages: Sequence[PageSamples], forest: Forest) -> list[Known]:
    """See which node the forest takes for the title of each page."""
    config = VisualConfig.shipped()
    found = []
    for page in pages:
        scores = forest.predict(page.nodes[:, TITLE_COLUMNS]) if len(page.nodes) else np.zeros(0)
        found.append(Known(page, choose_title(scores, config)))
    return found


def _train_date(known: Sequence[Known], seed: int) -> Forest:
    """Learn from all pages that show their date; nodes without a digit have lost the label before (3.3)."""
    shown = [each for each in known if each.page.is_date.any()]
    samples = np.concatenate([place_nodes(each) for each in shown])
    marks = np.concatenate([each.page.is_date for each in shown])
    return lighten(fit_random_forest(samples, marks, NODE_FOREST, seed))


def place_nodes(known: Known) -> Samples:
    """Attributes for the date forest: with the distance to the title."""
    samples = fill_title_distance(known.page.nodes, known.page.places.tolist(), known.title_place)
    return np.asarray(samples[:, DATE_COLUMNS])


def _train_clues(known: Sequence[Known], seed: int) -> Forest:
    """Learn dates from clues."""
    shown = [each for each in known if each.page.has_date]
    samples = np.concatenate(
        [fill_from_title(each.page.clues, each.page.clue_places.tolist(), each.title_place) for each in shown]
    )
    marks = np.concatenate([each.page.is_clue_date for each in shown])
    return lighten(fit_boosted_forest(samples, marks, np.ones(len(marks)), CLUE_FOREST, seed))


def _train_body(known: Sequence[Known], options: TrainingOptions) -> tuple[Forest, Forest]:
    """Learn the body twice: from blocks alone, and from what the first forest says of those around them.

    For the second, the first one must not have seen the page: its scores come from forests that other sites taught.
    """
    shown = [each for each in known if each.page.has_body]
    samples = np.concatenate([place_blocks(each) for each in shown])
    marks = np.concatenate([each.page.is_body for each in shown])
    weights = np.concatenate([weigh_blocks(each.page) for each in shown])
    folds = np.repeat([int(each.page.fold[0]) % FOLDS for each in shown], [len(each.page.blocks) for each in shown])
    drawn = _draw_blocks(weights, options.seed)
    scores = np.zeros(len(marks))
    for fold in options.progress(range(FOLDS), "body, first forest", FOLDS):
        own = folds == fold
        if own.any() and not own.all():
            scores[own] = _fit_body(samples, marks, drawn * ~own, options.seed).predict(samples[own])
    first = _fit_body(samples, marks, drawn, options.seed)
    again = np.concatenate([_rate_blocks(each, part) for each, part in zip(shown, _part(scores, shown), strict=True)])
    return first, _fit_body(np.concatenate((samples, again), axis=1), marks, drawn, options.seed)


def _fit_body(samples: Samples, marks: NDArray[np.bool_], weights: NDArray[np.float64], seed: int) -> Forest:
    used = weights > 0
    return lighten(fit_boosted_forest(samples[used], marks[used], weights[used], BODY_FOREST, seed))


def _draw_blocks(weights: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Draw blocks that weigh little, and let each stand for those that were not drawn: most are labels of menus."""
    light = np.quantile(weights, _LIGHT_SHARE)
    chances = np.minimum(weights / light, 1.0)
    is_drawn = np.random.default_rng(seed).random(len(weights)) < chances
    return np.where(is_drawn, weights / np.maximum(chances, 1e-9), 0.0)


def place_blocks(known: Known) -> Samples:
    """Numbers for the first body forest: with the distance to the title."""
    from_title = stack_columns(compute_from_title(len(known.page.blocks), known.title_block), TITLE_FEATURES)
    return np.concatenate((known.page.blocks, from_title), axis=1)


def _rate_blocks(known: Known, scores: NDArray[np.float64]) -> Samples:
    groups = Groups(known.page.kin.astype(np.int64), known.page.holder.astype(np.int64))
    return stack_columns(compute_score_features(groups, known.page.blocks[:, _CHARS], scores), SCORE_FEATURES)


def _part(scores: NDArray[np.float64], shown: Sequence[Known]) -> list[NDArray[np.float64]]:
    return np.split(scores, np.cumsum([len(each.page.blocks) for each in shown])[:-1])


def weigh_blocks(page: PageSamples) -> NDArray[np.float64]:
    """Weigh blocks as word F1 does: by their length, each page alike; a headline weighs nothing."""
    chars = page.blocks[:, _CHARS].astype(np.float64)
    text = max(float(chars[page.is_body].sum()), _LEAST_TEXT)
    return np.where(page.is_headline, 0.0, (chars + _LIGHTEST) / text)


def score_blocks(known: Known, forests: dict[str, Forest]) -> NDArray[np.float64]:
    """Score the blocks of a page as the method does."""
    samples = place_blocks(known)
    again = _rate_blocks(known, forests["body"].predict(samples))
    return forests["body_again"].predict(np.concatenate((samples, again), axis=1))


def measure_forests(sets: dict[str, list[PageSamples]], forests: dict[str, Forest]) -> dict[str, str]:
    """Measure on dev pages: titles and dates found first, and F1 of the body, blocks weighed by their length."""
    figures: dict[str, str] = {}
    everything = find_titles([page for own in sets.values() for page in own], forests["title"])
    for name, find in (("title", _has_title), ("date, nine attributes", _has_date), ("date, clues", _has_clue_date)):
        found = [right for each in everything if (right := find(each, forests)) is not None]
        if found:
            figures[f"{name}, dev: right where it is shown"] = f"{np.mean(found):.3f} of {len(found)}"
    for name, own in sets.items():
        values = [_score_body(each, forests) for each in find_titles(own, forests["title"]) if each.page.has_body]
        if values:
            figures[f"body, {name}.dev: F1 of blocks by length"] = f"{np.mean(values):.3f} of {len(values)}"
    return figures


def _has_title(known: Known, forests: dict[str, Forest]) -> bool | None:  # noqa: ARG001
    if not known.page.has_title:
        return None
    return known.title is not None and bool(known.page.is_title[known.title])


def _has_date(known: Known, forests: dict[str, Forest]) -> bool | None:
    if not known.page.is_date.any():
        return None
    return bool(known.page.is_date[forests["date"].predict(place_nodes(known)).argmax()])


def _has_clue_date(known: Known, forests: dict[str, Forest]) -> bool | None:
    if not known.page.has_date:
        return None
    samples = fill_from_title(known.page.clues, known.page.clue_places.tolist(), known.title_place)
    return bool(known.page.is_clue_date[forests["date_clues"].predict(samples).argmax()])


def _score_body(known: Known, forests: dict[str, Forest]) -> float:
    kept = score_blocks(known, forests) > VisualConfig.shipped().min_score
    return measure_f1(known.page, kept)


def measure_f1(page: PageSamples, kept: NDArray[np.bool_]) -> float:
    """F1 of the kept characters, without the headline."""
    chars = page.blocks[:, _CHARS] * ~page.is_headline
    right, all_kept, gold = (float(chars[mark].sum()) for mark in (kept & page.is_body, kept, page.is_body))
    return 2 * right / max(all_kept + gold, 1.0)

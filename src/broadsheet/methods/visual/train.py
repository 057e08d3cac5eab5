"""`broadsheet train visual`: the forests for title, date and body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import UsageError
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.body_features import (
    SCORE_FEATURES,
    TITLE_FEATURES,
    Groups,
    compute_from_title,
    compute_score_features,
    stack_columns,
)
from broadsheet.methods.visual.config import MODEL
from broadsheet.methods.visual.date_features import fill_from_title
from broadsheet.methods.visual.features import DATE_COLUMNS, TITLE_COLUMNS, fill_title_distance
from broadsheet.methods.visual.forests import NAMES, SECTION, choose_title, load_forests
from broadsheet.methods.visual.train_data import PageSamples, load_samples
from broadsheet.models import Forest
from broadsheet.training.datasets import choose_datasets
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import SHIPPED_START, TrainingOptions, has_pages, require_pages
from broadsheet.training.trees import (
    ForestSize,
    convert_forest,
    extend_forest,
    fit_boosted_forest,
    fit_random_forest,
    join_forests,
)

Samples = NDArray[np.float32]
Forests = Mapping[str, Forest]

# Weka's default is 100 trees without a size limit. They are not better on dev pages (trained on a third of the pages:
# 0.905 of the titles right; 0.917 with 30 trees of 100 leaves), and many times larger.
NODE_FOREST = ForestSize(trees=50, leaves=150, depth=14, min_leaf=3)
TUNED_NODE_FOREST = replace(NODE_FOREST, trees=25)  # trees that are added to a trained forest
WEKA_FOREST = ForestSize(trees=10, leaves=None, depth=None)  # the defaults of Weka until about 2012 (3.4.2)
CLUE_FOREST = ForestSize(trees=40, leaves=31, min_leaf=10, rate=0.1)
BODY_FOREST = ForestSize(trees=100, leaves=31, min_leaf=100, rate=0.1)
TUNED_CLUE_FOREST = ForestSize(trees=20, leaves=8, min_leaf=5, rate=0.1)  # added, as above
TUNED_BODY_FOREST = ForestSize(trees=30, leaves=8, min_leaf=10, rate=0.1)
BODY_TUNING_WEIGHT = 20.0  # the weights of a page's blocks sum to about 1; a page counts as this many samples
MIN_LEAF = 5
PUBLISHED, SHIPPED = VisualConfig(), VisualConfig.shipped()
PUBLISHED_DATASETS = frozenset("aed fundus l3s-gn1 postlight wcxb".split())  # with visible titles, and most with dates
FOLDS = 3  # of sites, for scores by body forests that have not seen the page
BASE_WEIGHT_CHARS = 15  # added to the length of every block
SAMPLED_SHARE = 0.8  # of the blocks, those of the lowest weight: only a sample of them is used
MIN_PAGE_CHARS = 500  # of body text, in the weight of a page
_CHARS_COLUMN = 0  # of a block's length


@dataclass(frozen=True, slots=True, eq=False)
class TitledPage:
    """A page and the title that the title forest predicts."""

    page: PageSamples
    title: int | None  # index among the page's nodes

    @property
    def title_position(self) -> int | None:
        """The title's index among all text nodes."""
        return None if self.title is None else int(self.page.positions[self.title])

    @property
    def title_block(self) -> int | None:
        """The title's block."""
        return None if self.title is None else int(self.page.block_of[self.title])


def train_visual(options: TrainingOptions) -> None:
    """Train all forests and write their weights."""
    train, dev = load_samples(options, "train"), load_samples(options, "dev")
    pages = [page for samples in train.values() for page in samples]
    forests = _train_forests(pages, options)
    summary = "Forests that find title, date and body by style and position (docs/methods/visual.md)."
    _save(_Model(MODEL, summary, forests, measure_forests(dev, forests)), train, options)


def train_published(options: TrainingOptions) -> None:
    """Train the forests for title and date as published: by the nodes that the method examines (3.4.1)."""
    names = choose_datasets(options, "train", PUBLISHED_DATASETS)
    train, dev = (load_examined(options, split, names) for split in ("train", "dev"))
    pages = [page for samples in train.values() for page in samples]
    for part in ("title", "date"):
        require_pages("visual-published", _PARTS[part], sum(getattr(page, f"has_{part}") for page in pages), options)
    title = fit_title(pages, WEKA_FOREST, options.seed)
    date = fit_date(find_titles(pages, title, PUBLISHED), WEKA_FOREST, options.seed)
    forests = {"title": title, "date": date}
    dev_pages = find_titles([page for samples in dev.values() for page in samples], title, PUBLISHED)
    summary = "Forests that find title and date as published, by nine attributes (docs/methods/visual.md)."
    _save(_Model("visual-published", summary, forests, measure_fields(dev_pages, forests)), train, options)


def load_examined(options: TrainingOptions, split: str, names: frozenset[str] | None) -> dict[str, list[PageSamples]]:
    """Return the samples of a split, without the nodes that the published method does not examine."""
    samples = load_samples(options, split, names)
    return {name: [keep_examined(page) for page in pages] for name, pages in samples.items()}


def keep_examined(page: PageSamples) -> PageSamples:
    """Return the page without the text nodes that the published method does not examine."""
    columns = ("nodes", "positions", "block_of", "is_title", "is_date")
    examined = page.is_examined.astype(bool)
    return replace(page, **{name: getattr(page, name)[examined] for name in columns}, is_examined=examined[examined])


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """Trained forests and their figures on dev pages."""

    name: str  # of the trainer
    summary: str
    forests: Forests
    figures: Mapping[str, str]


def _save(model: _Model, train: Mapping[str, Sequence[PageSamples]], options: TrainingOptions) -> None:
    arrays: dict[str, NDArray[Any]] = {}
    for name, forest in model.forests.items():
        arrays |= forest.arrays(name)
    forests = {name: forest.config() for name, forest in model.forests.items()}
    config = {SECTION: forests, "seed": options.seed, "method": model.name}
    card = Card(
        model=MODEL,
        summary=model.summary,
        pages={name: len(samples) for name, samples in train.items() if samples},
        figures=model.figures,
        notes=tuple(f"{len(forest.feature)} nodes in `{name}`" for name, forest in model.forests.items()),
        trainer=model.name,
    )
    finish(card, arrays, config, options)


def _train_forests(pages: Sequence[PageSamples], options: TrainingOptions) -> Forests:
    """Train the forests that have enough pages; the others are those of the weights to start from, or shipped."""
    start = load_forests(None if options.start in {None, SHIPPED_START} else options.start)
    forests: dict[str, Forest] = {name: getattr(start, name) for name in NAMES}
    is_tuned = options.start is not None
    parts = [part for part in _PARTS if _has_part(part, pages, options)]
    if not parts:
        raise UsageError(f"visual has nothing to learn from {options.data}: no part has enough labelled pages")
    if "title" in parts:
        forests["title"] = _train_title(pages, options.seed, start.title if is_tuned else None)
    titled_pages = find_titles(pages, forests["title"])
    if "date" in parts:
        forests["date"] = _train_date(titled_pages, options.seed, start.date if is_tuned else None)
        clues = start.date_clues if is_tuned else None
        forests["date_clues"] = _train_date_clues(titled_pages, options.seed, clues)
    if "body" in parts and is_tuned:
        forests["body_again"] = _tune_body(titled_pages, forests)
    elif "body" in parts:
        forests["body"], forests["body_again"] = _train_body(titled_pages, options)
    return forests


_PARTS = {"title": "a visible `title`", "date": "a visible `date`", "body": "a visible gold text (`text`)"}


def _has_part(part: str, pages: Sequence[PageSamples], options: TrainingOptions) -> bool:
    """Return whether enough pages have the labels of a part; report it either way."""
    count = sum(getattr(page, f"has_{part}") for page in pages)
    instead = "its forest is that of the weights to start from" if options.start else "its forest is the shipped one"
    if not has_pages(part, _PARTS[part], count, options, instead=instead):
        return False
    options.report(f"{part}: trained on {count} pages")
    return True


def _train_title(pages: Sequence[PageSamples], seed: int, start: Forest | None = None) -> Forest:
    """Learn titles. If there is a forest to start from, half as many trees are added to it."""
    if start is None:
        return fit_title(pages, NODE_FOREST, seed)
    return join_forests(start, fit_title(pages, TUNED_NODE_FOREST, seed))


def fit_title(pages: Sequence[PageSamples], size: ForestSize, seed: int) -> Forest:
    """Learn from all pages that show their title (3.3)."""
    used = [page for page in pages if page.has_title]
    samples = np.concatenate([page.nodes[:, TITLE_COLUMNS] for page in used])
    targets = np.concatenate([page.is_title for page in used])
    return convert_forest(fit_random_forest(samples, targets, size, seed))


def find_titles(pages: Sequence[PageSamples], forest: Forest, config: VisualConfig = SHIPPED) -> list[TitledPage]:
    """Predict the title of each page."""
    titled_pages = []
    for page in pages:
        scores = forest.predict(page.nodes[:, TITLE_COLUMNS]) if len(page.nodes) else np.zeros(0)
        titled_pages.append(TitledPage(page, choose_title(scores, config)))
    return titled_pages


def _train_date(pages: Sequence[TitledPage], seed: int, start: Forest | None = None) -> Forest:
    """Learn dates. If there is a forest to start from, half as many trees are added to it."""
    if start is None:
        return fit_date(pages, NODE_FOREST, seed)
    return join_forests(start, fit_date(pages, TUNED_NODE_FOREST, seed))


def fit_date(pages: Sequence[TitledPage], size: ForestSize, seed: int) -> Forest:
    """Learn from all pages that show their date. Nodes without a digit are not labelled as date (3.3)."""
    used = [page for page in pages if page.page.is_date.any()]
    if not used:
        raise UsageError("no date is among the nodes that the method examines: label more pages with visible dates")
    samples = np.concatenate([read_date_features(page) for page in used])
    targets = np.concatenate([page.page.is_date for page in used])
    return convert_forest(fit_random_forest(samples, targets, size, seed))


def read_date_features(titled: TitledPage) -> Samples:
    """Return the attributes for the date forest, which include the distance to the title."""
    samples = fill_title_distance(titled.page.nodes, titled.page.positions.tolist(), titled.title_position)
    return np.asarray(samples[:, DATE_COLUMNS])


def _train_date_clues(pages: Sequence[TitledPage], seed: int, start: Forest | None = None) -> Forest:
    """Learn dates from clues."""
    used = [page for page in pages if page.page.has_date]
    samples = np.concatenate([_read_clues(page) for page in used])
    targets = np.concatenate([page.page.is_clue_date for page in used])
    if start is not None:
        return extend_forest(start, samples, targets, np.ones(len(targets)), TUNED_CLUE_FOREST)
    return convert_forest(fit_boosted_forest(samples, targets, np.ones(len(targets)), CLUE_FOREST, seed))


def _read_clues(titled: TitledPage) -> Samples:
    return fill_from_title(titled.page.clues, titled.page.clue_positions.tolist(), titled.title_position)


def _train_body(pages: Sequence[TitledPage], options: TrainingOptions) -> tuple[Forest, Forest]:
    """Train two body forests: one on features of blocks, one also on the first one's scores of nearby blocks.

    The scores for the second forest come from forests that were trained on other sites.
    """
    used = [page for page in pages if page.page.has_body]
    sizes = [len(page.page.blocks) for page in used]
    samples = np.concatenate([read_block_features(page) for page in used])
    targets = np.concatenate([page.page.is_body for page in used])
    weights = np.concatenate([weigh_blocks(page.page) for page in used])
    folds = np.repeat(_choose_folds(used), sizes)
    sample_weights = _sample_blocks(weights, options.seed)
    scores = np.zeros(len(targets))
    for fold in options.progress(range(FOLDS), "first body forest", FOLDS):
        in_fold = folds == fold
        if in_fold.any() and not in_fold.all():
            forest = _fit_body(samples, targets, sample_weights * ~in_fold, options.seed)
            scores[in_fold] = forest.predict(samples[in_fold])
    first = _fit_body(samples, targets, sample_weights, options.seed)
    by_page = np.split(scores, np.cumsum(sizes)[:-1])
    score_features = [_read_score_features(page, part) for page, part in zip(used, by_page, strict=True)]
    both = np.concatenate((samples, np.concatenate(score_features)), axis=1)
    return first, _fit_body(both, targets, sample_weights, options.seed)


def _choose_folds(pages: Sequence[TitledPage]) -> list[int]:
    """Return the fold of each page: the same for all pages of a site, unless there are too few sites."""
    sites = [int(page.page.fold[0]) for page in pages]
    folds = [site % FOLDS for site in sites]
    return folds if len(set(folds)) == FOLDS else [number % FOLDS for number in range(len(pages))]


def _tune_body(pages: Sequence[TitledPage], forests: Forests) -> Forest:
    """Add trees to the second body forest. The first one, which has not seen these pages, is kept."""
    used = [page for page in pages if page.page.has_body]
    samples = [read_block_features(page) for page in used]
    scores = [
        _read_score_features(page, forests["body"].predict(features))
        for page, features in zip(used, samples, strict=True)
    ]
    return extend_forest(
        forests["body_again"],
        np.concatenate((np.concatenate(samples), np.concatenate(scores)), axis=1),
        np.concatenate([page.page.is_body for page in used]),
        np.concatenate([weigh_blocks(page.page) for page in used]) * BODY_TUNING_WEIGHT,
        TUNED_BODY_FOREST,
    )


def _fit_body(samples: Samples, targets: NDArray[np.bool_], weights: NDArray[np.float64], seed: int) -> Forest:
    is_used = weights > 0
    # A leaf has 100 blocks, or 1 % of the blocks if there are fewer than 10,000.
    size = replace(BODY_FOREST, min_leaf=int(np.clip(is_used.sum() // 100, MIN_LEAF, BODY_FOREST.min_leaf)))
    model = fit_boosted_forest(samples[is_used], targets[is_used], weights[is_used], size, seed)
    return convert_forest(model)


def _sample_blocks(weights: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Sample the blocks of low weight, most of which are menu items, and raise the weights of the sampled ones."""
    full_weight = np.quantile(weights, SAMPLED_SHARE)
    chances = np.minimum(weights / full_weight, 1.0)
    is_drawn = np.random.default_rng(seed).random(len(weights)) < chances
    return np.where(is_drawn, weights / np.maximum(chances, 1e-9), 0.0)


def read_block_features(titled: TitledPage) -> Samples:
    """Return the features for the first body forest, which include the distance to the title."""
    from_title = stack_columns(compute_from_title(len(titled.page.blocks), titled.title_block), TITLE_FEATURES)
    return np.concatenate((titled.page.blocks, from_title), axis=1)


def _read_score_features(titled: TitledPage, scores: NDArray[np.float64]) -> Samples:
    groups = Groups(titled.page.kin.astype(np.int64), titled.page.holder.astype(np.int64))
    return stack_columns(compute_score_features(groups, titled.page.blocks[:, _CHARS_COLUMN], scores), SCORE_FEATURES)


def weigh_blocks(page: PageSamples) -> NDArray[np.float64]:
    """Weigh blocks as word F1 does: by length, with the same total for each page. A headline has weight 0."""
    chars = page.blocks[:, _CHARS_COLUMN].astype(np.float64)
    body_chars = max(float(chars[page.is_body].sum()), MIN_PAGE_CHARS)
    return np.where(page.is_headline, 0.0, (chars + BASE_WEIGHT_CHARS) / body_chars)


def score_blocks(titled: TitledPage, forests: Forests) -> NDArray[np.float64]:
    """Score the blocks of a page as the method does."""
    samples = read_block_features(titled)
    score_features = _read_score_features(titled, forests["body"].predict(samples))
    return forests["body_again"].predict(np.concatenate((samples, score_features), axis=1))


def measure_forests(datasets: Mapping[str, Sequence[PageSamples]], forests: Forests) -> dict[str, str]:
    """Measure on dev pages: share of correct titles and dates, and F1 of the body by characters."""
    pages = find_titles([page for samples in datasets.values() for page in samples], forests["title"])
    figures = measure_fields(pages, forests)
    for name, samples in datasets.items():
        titled_pages = find_titles(samples, forests["title"])
        values = [_score_body(page, forests) for page in titled_pages if page.page.has_body]
        if values:
            figures[f"body, {name}.dev: F1 of characters"] = f"{np.mean(values):.3f} of {len(values)}"
    return figures


def measure_fields(pages: Sequence[TitledPage], forests: Forests) -> dict[str, str]:
    """Measure titles and dates on dev pages."""
    checks = {
        "title": [_is_title_right(page) for page in pages if page.page.has_title],
        "date by nine attributes": [_is_date_right(page, forests) for page in pages if page.page.is_date.any()],
    }
    if "date_clues" in forests:
        checks["date by clues"] = [_is_clue_date_right(page, forests) for page in pages if page.page.has_date]
    return {
        f"{name}, dev: correct where it is visible": f"{np.mean(results):.3f} of {len(results)}"
        for name, results in checks.items()
        if results
    }


def _is_title_right(titled: TitledPage) -> bool:
    return titled.title is not None and bool(titled.page.is_title[titled.title])


def _is_date_right(titled: TitledPage, forests: Forests) -> bool:
    return bool(titled.page.is_date[forests["date"].predict(read_date_features(titled)).argmax()])


def _is_clue_date_right(titled: TitledPage, forests: Forests) -> bool:
    return bool(titled.page.is_clue_date[forests["date_clues"].predict(_read_clues(titled)).argmax()])


def _score_body(titled: TitledPage, forests: Forests) -> float:
    is_predicted = score_blocks(titled, forests) > SHIPPED.min_score
    return measure_f1(titled.page, is_predicted)


def measure_f1(page: PageSamples, is_predicted: NDArray[np.bool_]) -> float:
    """Return the F1 of the predicted characters, without the headline."""
    chars = page.blocks[:, _CHARS_COLUMN] * ~page.is_headline
    common, predicted, gold = (
        float(chars[rows].sum()) for rows in (is_predicted & page.is_body, is_predicted, page.is_body)
    )
    return 2 * common / max(predicted + gold, 1.0)

"""`broadsheet train fusion`: the block network, and the forests that judge a page.

1. Compute features and labels of all pages (cached in the work folder).
2. Train teachers, each on the sites of the other folds, so that every page is predicted by a network that has not
   seen its site.
3. Train the network on all pages: on gold labels, and on the teachers' pseudo-labels for articles without them. Where
   a gold text may have stopped too early, the labels are not used.
4. Train on the teachers' predictions what judges a page: two forests, how good the text is and whether the page is an
   article, and a logistic regression, whether the text is exact.
5. Measure on dev pages, and write the weights with their card.

With few pages, the recipe is adapted, and a forest without enough labels is the shipped one. `--start` fine-tunes
trained weights instead (`tune.py`).

An interrupted run continues after its last finished epoch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.fusion.exactness import KEY as EXACTNESS_KEY
from broadsheet.methods.fusion.exactness import ExactnessModel
from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.methods.fusion.method import ALL_FEATURES, MODEL
from broadsheet.methods.fusion.page_features import (
    HEAD_NAMES,
    OUTCOME_NAMES,
    PAGE_TYPES,
    TYPE_FORESTS,
    PageForests,
    read_forests,
)
from broadsheet.methods.fusion.train_compose import COMPOSED_SUFFIX
from broadsheet.methods.fusion.train_data import FusionPages, load_pages
from broadsheet.methods.fusion.train_forests import (
    Probabilities,
    Samples,
    calibrate_exactness,
    find_complete_pages,
    find_exact_pages,
    find_labelled_pages,
    find_trained_types,
    measure_all_margins,
    measure_auc,
    measure_calibration,
    measure_dev,
    measure_pages,
    score_pages,
    train_article_forest,
    train_exactness,
    train_quality_forest,
    train_type_forest,
)
from broadsheet.methods.fusion.train_labels import UNKNOWN
from broadsheet.methods.fusion.train_recipe import FusionRecipe, adapt_recipe
from broadsheet.methods.fusion.train_tune import SUMMARY, tune_fusion
from broadsheet.models import Forest, load_weights
from broadsheet.training.cache import hash_array, make_key
from broadsheet.training.datasets import is_held_out
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import TrainingOptions, has_pages
from broadsheet.training.pages import ARTICLE

if TYPE_CHECKING:
    from broadsheet.methods.fusion.train_loop import NetworkTrainer
    from broadsheet.methods.fusion.train_network import ExportedNetwork, TrainableFusion

NO_FOLD = -1  # of a page that no teacher learns from
MEMBER_SEED_STEP = 1000  # between the seeds of the networks that are averaged
# Blocks after the end of a gold text that the teachers are this sure of are probably article text.
MIN_LATE_SCORE = 0.9
# Minimum score of an article. Below 0.5, because rejecting an article is worse than accepting a section page.
ARTICLE_THRESHOLD = 0.35
# Pages that a forest needs; with fewer, the shipped forest is better than one of a few leaves.
MIN_TYPED_PAGES = 20  # of articles, and of other pages
MIN_SCORED_PAGES = 40
MIN_HELD_OUT_SITES = 400  # of the training pages, from which a tenth of the sites is held out
MIN_COMPLETE_PAGES = 100  # of train, and of dev, for the probability that a text is exact


@dataclass(frozen=True, slots=True, eq=False)
class _TrainingSet:
    """The training pages, and which of them have labels."""

    pages: FusionPages
    labelled: NDArray[np.intp]  # pages with gold text
    unlabelled: NDArray[np.intp]  # articles without gold text

    @property
    def used(self) -> NDArray[np.intp]:
        """The pages that the network learns from."""
        return np.sort(np.concatenate((self.labelled, self.unlabelled)))


def train_fusion(options: TrainingOptions) -> None:
    """Train the network and the forests of `method="fusion"`, or fine-tune trained ones, and write their weights."""
    start = options.load_start(MODEL)
    if start is not None:
        tune_fusion(options, start)
        return
    import_extra("torch", "train")
    from broadsheet.methods.fusion.train_loop import Batcher, NetworkTrainer, fit_preprocessing, predict_roles
    from broadsheet.methods.fusion.train_network import Shape, export_networks

    pages, dev = load_pages(options, "train", FusionRecipe().composed_pages), load_pages(options, "dev")
    train = _TrainingSet(pages, find_labelled_pages(pages), find_unlabelled_articles(pages))
    options.report(f"{len(train.labelled)} pages with gold text, {len(train.unlabelled)} articles without")
    recipe = adapt_recipe(FusionRecipe(), options, pages=len(train.labelled), sites=len(np.unique(pages.sites)))
    trainer = NetworkTrainer(fit_preprocessing(pages, recipe), recipe, Shape())
    convention = find_convention(pages, trainer.preprocessing.vocabulary.datasets)
    key = _make_network_key(trainer, train, options)

    predictions = predict_by_teachers(trainer, train, options, key)
    networks = _train_members(trainer, train, predictions, options, key)
    forests = train_forests(pages, predictions, options)
    dev_batcher = Batcher(dev, trainer.preprocessing)
    dev_predictions = average_predictions(
        [predict_roles(network, dev_batcher, np.arange(len(dev)), convention) for network in networks]
    )
    exactness = fit_exactness(pages, predictions, dev, dev_predictions, options)
    figures = measure_dev(dev, dev_predictions, forests, exactness and exactness.calibrated)
    figures |= measure_held_out(pages, predictions, exactness and exactness.of_teachers)
    weights = collect_weights(export_networks(networks, trainer.preprocessing, convention), forests)
    weights.config.update({} if exactness is None else {EXACTNESS_KEY: exactness.calibrated.config()})
    card = Card(
        model=MODEL,
        summary=SUMMARY,
        pages=Counter(pages.datasets[train.used[~pages.is_composed[train.used]]].tolist()),
        figures=figures,
        notes=(
            f"{sum(array.size for array in weights.arrays.values()):,} numbers",
            f"{int(pages.is_composed.sum()):,} pages were used twice, once with parts of other pages inserted",
        ),
    )
    finish(card, weights.arrays, weights.config, options)


def _make_network_key(trainer: NetworkTrainer, train: _TrainingSet, options: TrainingOptions) -> str:
    """Return the key of the checkpoints.

    The labels of few pages are part of it: they are corrected between runs while the ids stay the same.
    """
    parts: list[object] = [trainer.recipe, trainer.shape, options.seed, train.pages.ids.tolist(), FEATURE_NAMES]
    if trainer.recipe != FusionRecipe():
        parts.append(hash_array(train.pages.labels))
    return make_key(*parts)


def _train_members(
    trainer: NetworkTrainer, train: _TrainingSet, predictions: Probabilities, options: TrainingOptions, key: str
) -> list[TrainableFusion]:
    """Train the networks that are averaged, on gold labels and on the teachers' predictions."""
    from broadsheet.methods.fusion.train_loop import Batcher, NetworkRun, NetworkTrainer

    pages, recipe = train.pages, trainer.recipe
    pseudo_labels = make_pseudo_labels(pages, train.unlabelled, predictions)
    corrected = replace(pages, labels=ignore_late_blocks(pages, predictions))
    batcher = Batcher(corrected, trainer.preprocessing, pseudo_labels[:, None])
    convention = find_convention(pages, trainer.preprocessing.vocabulary.datasets)
    batcher.set_dataset(train.unlabelled, convention)
    batcher.set_dataset(find_other_content(pages, train.labelled), convention)
    networks = []
    for number, member in enumerate(recipe.members):
        options.report(f"network {number + 1} of {len(recipe.members)}")
        seed, name = options.seed + MEMBER_SEED_STEP * number, f"fusion-network{number}-{key}"
        used = train.used if member.has_composed else train.used[~pages.is_composed[train.used]]
        run = NetworkRun(used, seed, recipe.epochs, options.work, name, options.report)
        shape = trainer.shape if member.has_names else replace(trainer.shape, name_columns=0)
        networks.append(NetworkTrainer(trainer.preprocessing, recipe, shape).train(batcher, run))
    return networks


def predict_by_teachers(
    trainer: NetworkTrainer, train: _TrainingSet, options: TrainingOptions, key: str
) -> Probabilities:
    """Train one teacher per fold of sites, and predict every page by teachers that have not learned from it."""
    from broadsheet.methods.fusion.train_loop import Batcher, NetworkRun, predict_roles

    recipe = trainer.recipe
    folds = choose_folds(train.pages, train.labelled, recipe.folds)
    batcher = Batcher(train.pages, trainer.preprocessing)
    convention = find_convention(train.pages, trainer.preprocessing.vocabulary.datasets)
    batcher.set_dataset(find_other_content(train.pages, train.labelled), convention)
    folds[find_held_out(train.pages)] = NO_FOLD
    is_learned = (folds != NO_FOLD) & ~train.pages.is_composed
    teachers: list[TrainableFusion] = []
    for fold in range(recipe.folds):
        options.report(f"teacher {fold + 1} of {recipe.folds}")
        others = train.labelled[(is_learned & (folds != fold))[train.labelled]]
        name = f"fusion-teacher{fold}-{key}"
        run = NetworkRun(others, options.seed + fold, recipe.teacher_epochs, options.work, name, options.report)
        teachers.append(trainer.train(batcher, run))
    pages = np.arange(len(train.pages))
    by_teacher = [predict_roles(teacher, batcher, pages, convention) for teacher in teachers]
    # No teacher has learned from an unlabelled page or one of a held-out site: their mean is used.
    averaged = average_predictions(by_teacher)
    is_of_fold = np.isin(pages, train.labelled) & (folds != NO_FOLD)
    return [
        by_teacher[folds[page]][page] if has_fold else averaged[page]
        for page, has_fold in enumerate(is_of_fold.tolist())
    ]


def find_held_out(pages: FusionPages) -> NDArray[np.intp]:
    """Return the pages of a tenth of the sites: no teacher learns from them, so that the exactness can be measured.

    With few sites, all are needed.
    """
    sites = np.unique(pages.sites)
    held_out = [site for site in sites.tolist() if is_held_out(site)] if len(sites) >= MIN_HELD_OUT_SITES else []
    return np.flatnonzero(np.isin(pages.sites, held_out))


def choose_folds(pages: FusionPages, labelled: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return the fold of each page: the same for all pages of a site, unless a fold would have no labelled page.

    With few sites, pages are divided; a composed page has the fold of its original.
    """
    folds = np.array([crc32(site.encode()) % count for site in pages.sites.tolist()])
    if len(np.unique(folds[labelled])) == count:
        return folds
    names = [page_id.removesuffix(COMPOSED_SUFFIX) for page_id in pages.ids.tolist()]
    ranks = {name: rank for rank, name in enumerate(sorted({names[page] for page in labelled.tolist()}))}
    return np.array([ranks.get(name, 0) % count for name in names])


def average_predictions(predictions: Sequence[Probabilities]) -> Probabilities:
    """Return the mean of the predictions of several networks, page by page."""
    return [np.mean(of_page, axis=0) for of_page in zip(*predictions, strict=True)]


def find_convention(pages: FusionPages, datasets: Sequence[str]) -> int:
    """Return the number of the dataset whose labelling convention is used at run time; 0 for none.

    It is the dataset with the most pages on which all roles are labelled.
    """
    counts = Counter(pages.datasets[pages.has_all_roles].tolist())
    return datasets.index(counts.most_common(1)[0][0]) + 1 if counts else 0


def ignore_late_blocks(pages: FusionPages, predictions: Probabilities) -> NDArray[np.int8]:
    """Return the labels without those of blocks that a gold text may have missed because it stops too early.

    These are blocks after the last gold block that teachers are sure of. Pages with labels of all roles stay as they
    are.
    """
    labels = pages.labels.copy()
    for page in np.flatnonzero(~pages.has_all_roles).tolist():
        content = labels[pages.rows(page), 0]
        gold_blocks = np.flatnonzero(content == 1)
        if len(gold_blocks):
            is_late = np.arange(len(content)) > gold_blocks[-1]
            content[is_late & (content == 0) & (predictions[page][:, 0] > MIN_LATE_SCORE)] = UNKNOWN
    return labels


def find_unlabelled_articles(pages: FusionPages) -> NDArray[np.intp]:
    """Return the articles that have no gold text."""
    return np.setdiff1d(np.flatnonzero(pages.page_types == "article"), find_labelled_pages(pages))


def find_other_content(pages: FusionPages, labelled: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the labelled pages that are not articles: products, listings, documentation and others.

    The convention of the output labels no text on them, so that they can be shown as pages of its dataset: their main
    content is extracted, too. Forums are left out: the text of a thread is its first post in our convention, and all
    posts in others.
    """
    return labelled[~np.isin(pages.page_types[labelled], ("", "article", "forum"))]


def make_pseudo_labels(
    pages: FusionPages, unlabelled: NDArray[np.intp], predictions: Probabilities
) -> NDArray[np.float16]:
    """Return the teachers' probability of content for the blocks of unlabelled pages; -1 for all other blocks."""
    pseudo_labels = np.full(len(pages.labels), -1, np.float16)
    for page in unlabelled.tolist():
        pseudo_labels[pages.rows(page)] = predictions[page][:, 0]
    return pseudo_labels


def train_forests(pages: FusionPages, predictions: Probabilities, options: TrainingOptions) -> PageForests:
    """Train the forests on predictions of teachers that have not learned from the pages.

    A forest without enough pages is the shipped one.
    """
    forests = read_forests(load_weights(MODEL), len(HEAD_NAMES) + len(OUTCOME_NAMES))
    samples = measure_pages(pages, np.arange(len(pages)), predictions)
    typed, labelled = np.flatnonzero((pages.page_types != "") & ~pages.is_composed), find_labelled_pages(pages)
    labelled = labelled[~pages.is_composed[labelled]]
    is_article = pages.page_types[typed] == "article"
    rarer = min(int(is_article.sum()), int((~is_article).sum()))
    labels, instead = "each kind of `page_type`, article and other", "the shipped forest is used"
    if has_pages("the article forest", labels, rarer, options, instead=instead, needed=MIN_TYPED_PAGES):
        article = train_article_forest(samples[typed], is_article, options.seed)
        forests = forests._replace(article=article, article_threshold=ARTICLE_THRESHOLD)
    if types := train_type_forests(pages, samples, options):
        forests = forests._replace(types=types)
    labels = "a visible gold text (`text`)"
    if has_pages("the quality forest", labels, len(labelled), options, instead=instead, needed=MIN_SCORED_PAGES):
        scores = score_pages(pages, labelled, [predictions[page] for page in labelled.tolist()])
        forests = forests._replace(quality=train_quality_forest(samples[labelled], scores, options.seed))
    return forests


def train_type_forests(pages: FusionPages, samples: Samples, options: TrainingOptions) -> dict[str, Forest]:
    """Train a forest for each page type that has enough pages."""
    types = find_trained_types(pages.page_types)
    typed = np.flatnonzero((types != "") & ~pages.is_composed)
    is_article = types[typed] == ARTICLE
    counts = Counter(types[typed[~is_article]].tolist())
    return {
        name: train_type_forest(samples[typed], types[typed] == name, is_article, options.seed)
        for name, count in sorted(counts.items())
        if count >= MIN_TYPED_PAGES
    }


class Exactness(NamedTuple):
    """The probability that a text is exact: as fitted to predictions of teachers, and to those of the networks."""

    of_teachers: ExactnessModel
    calibrated: ExactnessModel


def fit_exactness(
    pages: FusionPages,
    predictions: Probabilities,
    dev: FusionPages,
    dev_predictions: Probabilities,
    options: TrainingOptions,
) -> Exactness | None:
    """Fit the probability that a text is exact on the teachers' predictions, and calibrate it on the dev pages.

    Only pages with labels of all roles say whether a text is exact. Without enough of them there is no such model. The
    held-out sites are not used.
    """
    chosen, dev_chosen = (find_complete_pages(of_split) for of_split in (pages, dev))
    chosen = np.setdiff1d(chosen, find_held_out(pages))
    part, labels = "the probability of an exact text", "labels of all roles (`captions`)"
    count, instead = min(len(chosen), len(dev_chosen)), "articles have no `exactness`"
    if not has_pages(part, labels, count, options, instead=instead, needed=MIN_COMPLETE_PAGES):
        return None
    chosen_predictions, dev_chosen_predictions = (
        [of_split[page] for page in numbers.tolist()]
        for of_split, numbers in ((predictions, chosen), (dev_predictions, dev_chosen))
    )
    model = train_exactness(
        measure_all_margins(pages, chosen, chosen_predictions), find_exact_pages(pages, chosen, chosen_predictions)
    )
    calibrated = calibrate_exactness(
        model,
        measure_all_margins(dev, dev_chosen, dev_chosen_predictions),
        find_exact_pages(dev, dev_chosen, dev_chosen_predictions),
    )
    return Exactness(model, calibrated)


def measure_held_out(
    pages: FusionPages, predictions: Probabilities, exactness: ExactnessModel | None
) -> dict[str, str]:
    """Measure the exactness on sites that no teacher has learned from, with the mean of the teachers' predictions."""
    chosen = np.intersect1d(find_complete_pages(pages), find_held_out(pages))
    if exactness is None or not len(chosen):
        return {}
    of_chosen = [predictions[page] for page in chosen.tolist()]
    expected = exactness.predict(measure_all_margins(pages, chosen, of_chosen))
    is_exact = find_exact_pages(pages, chosen, of_chosen)
    if is_exact.all() or not is_exact.any():
        return {}
    surest = np.argsort(-expected, kind="stable")[: -(-len(chosen) // 4)]
    values = (measure_auc(expected, is_exact), measure_calibration(expected, is_exact.astype(float)))
    name = "exactness on held-out sites, teachers: pages, AUC, calibration error, exact in the most certain quarter"
    return {name: f"{len(chosen)}, {values[0]:.3f}, {values[1]:.3f}, {is_exact[surest].mean():.3f}"}


def collect_weights(exported: ExportedNetwork, forests: PageForests) -> ExportedNetwork:
    """Put the network and the forests into one set of arrays and one configuration."""
    arrays = dict(exported.arrays)
    config: dict[str, Any] = {
        "network": exported.config,
        "article_limit": forests.article_threshold,
        "measures": list(ALL_FEATURES),
        PAGE_TYPES: list(forests.types),
        TYPE_FORESTS: {},
    }
    for name, forest in (("article", forests.article), ("quality", forests.quality), *forests.types.items()):
        arrays |= forest.arrays(name)
        (config[TYPE_FORESTS] if name in forests.types else config)[name] = forest.config()
    return replace(exported, arrays=arrays, config=config)

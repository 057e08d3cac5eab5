"""`broadsheet train fusion --start`: fine-tune the networks of trained weights on own labels.

With torch and pages of many templates, all layers continue with a low learning rate. Otherwise, in NumPy, the output
layer is fitted if that helps on templates that were held out, and the places and texts of the own pages get terms. The
vocabularies, the mean and spread of the features, and the forests that judge a page stay as they are. All gold texts
are trusted: blocks after the end of a gold text are not article text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion import Fusion
from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.methods.fusion.method import MODEL
from broadsheet.methods.fusion.network import read_network
from broadsheet.methods.fusion.page_features import HEAD_NAMES, OUTCOME_NAMES, read_forests
from broadsheet.methods.fusion.site_terms import KEYS, TERMS, SiteTerms, hash_steps
from broadsheet.methods.fusion.train_data import FusionPages, MeasuredPage, join_pages, load_pages
from broadsheet.methods.fusion.train_data import measure_pages as measure_split
from broadsheet.methods.fusion.train_forests import Probabilities, find_labelled_pages, measure_dev
from broadsheet.methods.fusion.train_labels import UNKNOWN
from broadsheet.methods.fusion.train_readout import choose_penalty, compute_states, fit_readout
from broadsheet.methods.fusion.train_recipe import TUNING, adapt_recipe
from broadsheet.methods.fusion.train_terms import (
    choose_term_penalty,
    find_wrong_keys,
    fit_terms,
    merge_terms,
    read_keyed_pages,
)
from broadsheet.models import Weights
from broadsheet.site.template import SiteConfig, Structure, compare_structures
from broadsheet.training.cache import hash_array, make_key
from broadsheet.training.datasets import DEV, TRAIN
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import TrainingOptions

SUMMARY = "The block network, and the forests that judge a page (docs/methods/fusion.md)."
ALL_LAYERS, OUTPUT_LAYER = "all layers", "the output layer for article text and the terms of the own pages"
MIN_NETWORK_TEMPLATES = 20  # fewer say too little about other pages to change all layers
MAX_TEMPLATES = 200  # that are compared with each page; a later page that resembles none of them counts alone
MIN_ALIKE = SiteConfig.shipped().min_alike  # similarity of structure from which two pages have the same template


@dataclass(frozen=True, slots=True, eq=False)
class _Tuned:
    """New arrays, and what the card says about them."""

    arrays: Mapping[str, NDArray[Any]]
    layers: str
    pages: Mapping[str, int]  # dataset -> number of training pages
    figures: Mapping[str, str]


def tune_fusion(options: TrainingOptions, start: Weights) -> None:
    """Fine-tune weights on own pages, and write them."""
    Fusion(weights=start.folder)  # raises UsageError if the weights do not fit this version
    train = measure_split(options, TRAIN)
    templates = len(set(number_templates(page for page in train if page.is_labelled)))
    options.report(f"{sum(page.is_labelled for page in train)} pages with gold text, of {templates} templates")
    if templates < MIN_NETWORK_TEMPLATES:
        options.report(f"all layers need pages of {MIN_NETWORK_TEMPLATES} templates: only {OUTPUT_LAYER} are trained")
        tuned = _tune_outputs(options, start, train)
    elif has_torch():
        tuned = _tune_networks(options, start, join_pages(train))
    else:
        options.report(f"torch is not installed: only {OUTPUT_LAYER} are trained; pip install 'broadsheet[train]'")
        tuned = _tune_outputs(options, start, train)
    card = Card(
        model=MODEL,
        summary=SUMMARY,
        pages=tuned.pages,
        figures=tuned.figures,
        notes=(f"Fine-tuned from the `{options.start}` weights: {tuned.layers}; the forests are theirs",),
    )
    config = {name: value for name, value in start.config.items() if name != "model"}
    finish(card, tuned.arrays, config, options)


def has_torch() -> bool:
    """Return whether torch is installed."""
    return find_spec("torch") is not None


def _tune_outputs(options: TrainingOptions, start: Weights, train: Sequence[MeasuredPage]) -> _Tuned:
    """Fit the output layer, then the terms on top of it, each with a penalty chosen by cross-validation."""
    dev, labelled = measure_split(options, DEV), [page for page in train if page.is_labelled]
    states = compute_states(labelled, start)
    penalty = choose_penalty(states, start, number_templates(labelled))
    if np.isinf(penalty):
        options.report("the output layer stays as it is: no change gained anything on templates that were held out")
    arrays = fit_readout(states, start, penalty)
    keyed = read_keyed_pages(labelled, read_network(replace(start, arrays=arrays), len(FEATURE_NAMES)))
    penalty = choose_term_penalty(keyed)
    if np.isinf(penalty):
        options.report("no terms: no place or text of the pages gained anything on pages that were held out")
    else:
        old = SiteTerms(arrays[KEYS], arrays[TERMS]) if KEYS in arrays else None
        terms = merge_terms(old, fit_terms(keyed, penalty, find_wrong_keys(keyed)))
        arrays |= {KEYS: terms.keys, TERMS: terms.terms}
        options.report(f"{len(terms.keys):,} terms of places and texts")
    network = read_network(replace(start, arrays=arrays), len(FEATURE_NAMES))
    figures = _measure(join_pages(dev), [network.run(page.input) for page in dev], start)
    return _Tuned(arrays, OUTPUT_LAYER, Counter(page.record.dataset for page in labelled), figures)


def _tune_networks(options: TrainingOptions, start: Weights, train: FusionPages) -> _Tuned:
    from broadsheet.methods.fusion.train_loop import Batcher, NetworkRun, NetworkTrainer, predict_roles
    from broadsheet.methods.fusion.train_network import export_networks, import_networks

    dev, labelled = load_pages(options, DEV), find_labelled_pages(train)
    recipe = adapt_recipe(TUNING, options, pages=len(labelled), sites=len(np.unique(train.sites)))
    imported = import_networks(start)
    key = _make_key(recipe, options.seed, start, train)
    networks = []
    for number, old in enumerate(imported.networks):
        options.report(f"network {number + 1} of {len(imported.networks)}")
        pages = np.arange(len(train))
        predictions = predict_roles(old, Batcher(train, imported.preprocessing), pages, 0)
        batcher = Batcher(train, imported.preprocessing, keep_other_roles(train, predictions))
        name = f"fusion-tuned{number}-{key}"
        run = NetworkRun(labelled, options.seed, recipe.epochs, options.work, name, options.report, old)
        networks.append(NetworkTrainer(imported.preprocessing, recipe, old.shape).train(batcher, run))
    dev_batcher = Batcher(dev, imported.preprocessing)
    predictions_of = [predict_roles(network, dev_batcher, np.arange(len(dev)), 0) for network in networks]
    averaged = [np.mean(of_page, axis=0) for of_page in zip(*predictions_of, strict=True)]
    arrays = {**start.arrays, **export_networks(networks, imported.preprocessing, 0).arrays}
    arrays = {name: array for name, array in arrays.items() if name not in (KEYS, TERMS)}  # of the old layers
    datasets = Counter(train.datasets[labelled].tolist())
    return _Tuned(arrays, ALL_LAYERS, datasets, _measure(dev, averaged, start))


def _measure(dev: FusionPages, predictions: Probabilities, start: Weights) -> dict[str, str]:
    return measure_dev(dev, predictions, read_forests(start, len(HEAD_NAMES) + len(OUTCOME_NAMES)))


def _make_key(recipe: object, seed: int, start: Weights, train: FusionPages) -> str:
    arrays = [hash_array(array) for _, array in sorted(start.arrays.items())]
    return make_key(recipe, seed, arrays, train.ids.tolist(), hash_array(train.labels), FEATURE_NAMES)


def keep_other_roles(pages: FusionPages, predictions: Sequence[NDArray[np.float32]]) -> NDArray[np.float16]:
    """Return the old predictions as targets of the roles that have no labels, so that the network does not forget them.

    -1 for all labels, and for article text.
    """
    old = np.concatenate(predictions)
    targets = np.where(pages.labels == UNKNOWN, old, -1).astype(np.float16)
    targets[:, 0] = -1
    return targets


def number_templates(pages: Iterable[MeasuredPage]) -> list[int]:
    """Return the number of each page's template: that of the first page that is similar enough, or a new one."""
    structures: list[Structure] = []
    numbers: list[int] = []
    for page in pages:
        structure = frozenset(hash_steps(page.input).tolist())
        alike = [compare_structures(structure, other) for other in structures]
        if alike and max(alike) >= MIN_ALIKE:
            numbers.append(alike.index(max(alike)))
            continue
        numbers.append(max(numbers, default=-1) + 1)
        if len(structures) < MAX_TEMPLATES:
            structures.append(structure)
    return numbers

"""Learn the terms of own pages (methods/fusion/site_terms.py), in NumPy.

A logistic regression on the keys of the blocks is added to what the network says, with a penalty on the squared terms.
Only keys at which the network was wrong on several pages get a term: terms correct errors, and do not raise the
confidence of correct predictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.network import BODY, BlockNetwork
from broadsheet.methods.fusion.site_terms import NO_KEY, Keys, SiteTerms, list_keys
from broadsheet.methods.fusion.train_data import MeasuredPage
from broadsheet.methods.fusion.train_labels import UNKNOWN, weigh_blocks
from broadsheet.methods.fusion.train_readout import choose_fewest_changes, squash

Floats = NDArray[np.float64]
PENALTIES = (np.inf, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1)  # infinite: no terms
MIN_WRONG_PAGES = 2  # pages on which the network was wrong about a block with a key
FOLDS = 5
STEPS = 150  # maximum; it converges in fewer
MIN_CHANGE = 1e-3  # of a term in one step; below it, the fit has converged


@dataclass(frozen=True, slots=True, eq=False)
class KeyedPage:
    """The labelled blocks of a page: their keys, the outputs of the network, and the gold labels."""

    keys: Keys  # (n, kinds)
    logits: Floats  # (n,)
    is_content: NDArray[np.bool_]  # (n,)
    weights: Floats  # (n,)


def read_keyed_pages(pages: Iterable[MeasuredPage], network: BlockNetwork) -> list[KeyedPage]:
    """Run the network on all pages with gold text, and list the keys of their blocks."""
    keyed = []
    for page in pages:
        is_known = page.labels[:, BODY] != UNKNOWN
        if is_known.any():
            scores = network.run(page.input)[is_known, BODY].astype(np.float64).clip(1e-9, 1 - 1e-9)
            weights = weigh_blocks(read_chars(page.input.features))[is_known].astype(np.float64)
            is_content = page.labels[is_known, BODY] == 1
            logits = np.log(scores / (1 - scores))
            keyed.append(KeyedPage(list_keys(page.input)[is_known], logits, is_content, weights))
    return keyed


def choose_term_penalty(pages: Sequence[KeyedPage]) -> float:
    """Choose the penalty by cross-validation over pages; infinite if no terms predict the other pages better."""
    losses = np.zeros((len(PENALTIES), len(pages)))
    for fold in range(FOLDS):
        learned = [page for number, page in enumerate(pages) if number % FOLDS != fold]
        terms = find_wrong_keys(learned)
        for row, penalty in enumerate(PENALTIES):  # in descending order: each fit starts from the one before
            terms = fit_terms(learned, penalty, terms)
            for number in range(fold, len(pages), FOLDS):
                losses[row, number] = _measure_loss(pages[number], terms)
    return PENALTIES[choose_fewest_changes(losses)]


def find_wrong_keys(pages: Sequence[KeyedPage]) -> SiteTerms:
    """Return terms of 0 for the keys at which the network was wrong on enough pages."""
    wrong = [np.unique(page.keys[(page.logits > 0) != page.is_content]) for page in pages]
    keys, counts = np.unique(np.concatenate(wrong), return_counts=True)
    keys = keys[(counts >= MIN_WRONG_PAGES) & (keys != NO_KEY)]
    return SiteTerms(keys, np.zeros(len(keys), np.float32))


def fit_terms(pages: Sequence[KeyedPage], penalty: float, start: SiteTerms) -> SiteTerms:
    """Minimize the weighted cross entropy plus half the penalty times the squared terms.

    Accelerated gradient descent (Nesterov 1983). The step of each term is bounded by the curvature of its blocks.
    """
    if np.isinf(penalty) or not len(start.keys):
        return start._replace(terms=np.zeros_like(start.terms))
    samples = _collect_samples(pages, start.keys)
    curvature = samples.bound_curvature() + penalty
    terms = ahead = start.terms.astype(np.float64)
    momentum = 1.0
    for _ in range(STEPS):
        new = ahead - (samples.compute_slope(ahead) + penalty * ahead) / curvature
        new_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / new_momentum * (new - terms)
        change = np.abs(new - terms).max()
        terms, momentum = new, new_momentum
        if change < MIN_CHANGE:
            break
    return start._replace(terms=terms.astype(np.float32))


def merge_terms(first: SiteTerms | None, second: SiteTerms) -> SiteTerms:
    """Return the sum of two sets of terms, without those that are 0."""
    if first is not None:
        keys = np.union1d(first.keys, second.keys)
        second = SiteTerms(keys, first.look_up(keys) + second.look_up(keys))
    is_used = second.terms != 0
    return SiteTerms(second.keys[is_used], second.terms[is_used])


@dataclass(frozen=True, slots=True, eq=False)
class _Samples:
    """Blocks of all pages. Entry e says that block `block[e]` has the key `key[e]`."""

    block: NDArray[np.intp]  # (entries,)
    key: NDArray[np.intp]  # (entries,)
    key_count: int
    logits: Floats  # (blocks,)
    targets: NDArray[np.bool_]  # (blocks,)
    weights: Floats  # (blocks,)

    def compute_slope(self, terms: Floats) -> Floats:
        """Return the derivative of the cross entropy by each term."""
        logits = self.logits + np.bincount(self.block, terms[self.key], len(self.logits))
        errors = self.weights * (squash(logits) - self.targets)
        return np.asarray(np.bincount(self.key, errors[self.block], self.key_count), np.float64)

    def bound_curvature(self) -> Floats:
        """Return an upper bound of the curvature for each term, for steps of all terms at once."""
        keys_of_block = np.bincount(self.block, minlength=len(self.logits))
        bounds = np.bincount(self.key, (self.weights * keys_of_block)[self.block], self.key_count)
        return np.asarray(bounds / 4)


def _collect_samples(pages: Sequence[KeyedPage], keys: Keys) -> _Samples:
    of_blocks = np.concatenate([page.keys for page in pages])  # (blocks, kinds)
    rows = np.minimum(keys.searchsorted(of_blocks), len(keys) - 1)
    block, kind = np.nonzero(keys[rows] == of_blocks)
    return _Samples(
        block,
        rows[block, kind],
        len(keys),
        np.concatenate([page.logits for page in pages]),
        np.concatenate([page.is_content for page in pages]),
        np.concatenate([page.weights for page in pages]),
    )


def _measure_loss(page: KeyedPage, terms: SiteTerms) -> float:
    """Return 1 minus the F1 of a page's blocks by weight: what counts are the decisions, not how certain they are."""
    is_chosen = page.logits + terms.look_up(page.keys).sum(axis=1) > 0
    common = page.weights[is_chosen & page.is_content].sum()
    both_sides = page.weights[is_chosen].sum() + page.weights[page.is_content].sum()
    return float(1 - 2 * common / both_sides) if both_sides else 0.0

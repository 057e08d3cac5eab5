"""Hyperparameters of the block network."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from broadsheet.training.options import TrainingOptions, choose_epochs

# Limits for few pages. With more than 400 sites and 144 pages, the values of the recipe apply.
MAX_NAME_SITE_SHARE, MAX_WORD_SITE_SHARE = 0.05, 0.1  # of the sites: the most that must use a name or word
MIN_SHARED_SITES = 2
MIN_EPOCH_STEPS = 6
MIN_BATCH = 4


@dataclass(frozen=True, slots=True)
class Member:
    """How one of the networks that are averaged differs from the others. Networks that differ make different errors."""

    has_names: bool  # gets class names and ids
    has_composed: bool  # learns from composed pages, too


@dataclass(frozen=True, slots=True)
class FusionRecipe:
    """How the network is trained. docs/methods/fusion.md says what was tuned on dev pages."""

    epochs: int = 18
    composed_pages: int = 1300  # pages made from others, beside the labelled ones
    members: tuple[Member, ...] = (
        Member(has_names=True, has_composed=False),
        Member(has_names=False, has_composed=True),
    )
    teacher_epochs: int = 5
    folds: int = 3  # number of teachers; each learns from the sites of the other folds
    batch: int = 24  # pages
    rate: float = 3e-3  # maximum learning rate
    decay: float = 0.05  # weight decay
    average_decay: float = 0.997  # of the running mean of the weights, per step
    min_sites: int = 20  # sites that use a name; rarer names are unknown to the network
    min_word_sites: int = 40  # the same for words
    max_words: int = 12_000
    f1_share: float = 0.5  # weight of the pages' expected F1 in the loss, beside the cross entropy of blocks
    flat_share: float = 0.0625  # weight of the pages' sum of errors, in which every block counts the same
    dataset_share: float = 0.7  # share of batches in which the network gets the dataset of each page as an input
    kind_share: float = 0.5  # of the pages of another kind than articles: shown with the vector of their kind


# Continue from trained weights: a lower rate, no decay of the weights, smaller batches.
TUNING = FusionRecipe(epochs=10, batch=8, rate=5e-4, decay=0.0, composed_pages=0)


def adapt_recipe(recipe: FusionRecipe, options: TrainingOptions, *, pages: int, sites: int) -> FusionRecipe:
    """Return the recipe for a number of labelled pages and of sites: the same one, unless there are few.

    With few pages, batches are smaller and there are more epochs. With few sites, a name or word needs fewer of them to
    have a vector.
    """
    batch = min(recipe.batch, max(MIN_BATCH, pages // MIN_EPOCH_STEPS))
    teacher_pages = pages * (recipe.folds - 1) // recipe.folds
    return replace(
        recipe,
        batch=batch,
        epochs=choose_epochs(options, recipe.epochs, pages=pages, batch=batch),
        teacher_epochs=choose_epochs(options, recipe.teacher_epochs, pages=teacher_pages, batch=batch),
        min_sites=_limit_sites(recipe.min_sites, sites, MAX_NAME_SITE_SHARE),
        min_word_sites=_limit_sites(recipe.min_word_sites, sites, MAX_WORD_SITE_SHARE),
    )


def _limit_sites(min_sites: int, sites: int, max_share: float) -> int:
    return min(min_sites, sites, max(MIN_SHARED_SITES, math.ceil(max_share * sites)))

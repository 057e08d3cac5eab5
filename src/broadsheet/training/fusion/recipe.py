"""Hyperparameters of the block network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """How one of the networks that are averaged differs from the others. Networks that differ make different errors."""

    has_names: bool  # gets class names and ids
    has_composed: bool  # learns from composed pages, too


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the network is trained. docs/methods/fusion.md says what was tuned on dev pages."""

    epochs: int = 12
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
    dataset_share: float = 0.7  # share of batches in which the network gets the dataset of each page as an input

"""How the block network is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """What was tuned on dev is told in docs/methods/fusion.md."""

    epochs: int = 6
    teacher_epochs: int = 4
    folds: int = 3  # teachers; each learns from the sites of the other folds
    batch: int = 24  # pages
    rate: float = 3e-3
    decay: float = 0.05
    mean_over: float = 0.997  # of the running mean of the weights, a step
    min_sites: int = 20  # that use a name which the network is to know
    f1_share: float = 0.5  # of the pages' expected F1 in the loss, beside the cross entropy of blocks
    keep_convention: float = 0.5  # share of batches in which the network is told the dataset of each page

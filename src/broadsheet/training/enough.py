"""Check that there are enough labelled pages; tell what is missing."""

from __future__ import annotations

import math

from broadsheet.errors import UsageError
from broadsheet.training.options import TrainingOptions

MIN_PAGES = 10  # training pages, with the labels that a model or a part of it needs
MIN_TUNING_PAGES = 8  # from trained weights: ten labelled pages, of which two are held out
MIN_STEPS = 400  # of an optimizer: with few pages, an epoch has too few steps to learn
MIN_TUNING_STEPS = 100  # from trained weights


def require_pages(model: str, labels: str, count: int, options: TrainingOptions, *, split: str = "train") -> None:
    """Raise UsageError if a model has too few pages with some labels."""
    needed = 1 if split != "train" else _count_needed(options)
    if count < needed:
        raise UsageError(
            f"{model} needs at least {needed} {split} pages with {labels}; {options.data} has {count}: label more pages"
        )


def has_pages(  # noqa: PLR0913
    part: str, labels: str, count: int, options: TrainingOptions, *, instead: str, needed: int | None = None
) -> bool:
    """Return whether there are enough pages for a part of a model. Report a part that is skipped."""
    needed = _count_needed(options) if needed is None else needed
    if count >= needed:
        return True
    options.report(f"skipped: {part} needs {needed} train pages with {labels}, found {count}; {instead}")
    return False


def _count_needed(options: TrainingOptions) -> int:
    return MIN_PAGES if options.start is None else MIN_TUNING_PAGES


def choose_epochs(options: TrainingOptions, default: int, *, pages: int, batch: int) -> int:
    """Return the number of epochs: that of the options, or the default, or more if there are few pages."""
    if options.epochs is not None:
        return options.epochs
    min_steps = MIN_STEPS if options.start is None else MIN_TUNING_STEPS
    return max(default, math.ceil(min_steps / max(1, math.ceil(pages / batch))))

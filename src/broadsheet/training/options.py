"""Options of a training run, and whether there are enough labelled pages for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from broadsheet.errors import UsageError
from broadsheet.models import Weights, load_weights

Item = TypeVar("Item")
SHIPPED_START = "shipped"  # value of `start`: the shipped weights
MIN_PAGES = 10  # training pages, with the labels that a model or a part of it needs
MIN_TUNING_PAGES = 8  # from trained weights: ten labelled pages, of which two are held out
MIN_STEPS = 400  # of an optimizer: with few pages, an epoch has too few steps to learn
MIN_TUNING_STEPS = 100  # from trained weights


class Progress(Protocol):
    """Shows the progress of a long step while it passes the items through."""

    def __call__(self, items: Iterable[Item], description: str, total: int | None = None) -> Iterable[Item]:
        """Iterate over the items."""
        ...


def show_nothing(items: Iterable[Item], description: str, total: int | None = None) -> Iterable[Item]:  # noqa: ARG001
    """Progress without any output."""
    return items


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Input and output folders of a training run, and everything else that its result depends on."""

    data: Path  # file or folder of labelled pages
    output: Path  # folder of weights to write
    work: Path  # folder of cached features and checkpoints
    seed: int = 0
    limit: int | None = None  # pages per file, for a quick trial
    classes: tuple[str, ...] = ()  # roles to predict, for models that support several (gcn)
    skipped: frozenset[str] = frozenset()  # datasets that are not used
    epochs: int | None = None  # None: chosen by the model
    start: str | None = None  # weights to start from: SHIPPED_START or a folder; None: random weights
    progress: Progress = show_nothing
    report: Callable[[str], None] = print  # writes one line to the log

    def load_start(self, model: str) -> Weights | None:
        """Return the weights to start from. Raises UsageError."""
        if self.start is None:
            return None
        return load_weights(model, None if self.start == SHIPPED_START else self.start)

    def write_command(self, trainer: str) -> str:
        """Return the command that trains the same weights from the same data."""
        parts = [f"broadsheet train {trainer} --seed {self.seed}"]
        parts += [f"--{name} {value}" for name, value in self._list_flags() if value]
        return " ".join(parts)

    def _list_flags(self) -> list[tuple[str, object]]:
        return [
            ("limit", self.limit),
            ("epochs", self.epochs),
            ("classes", ",".join(self.classes)),
            ("skip", ",".join(sorted(self.skipped))),
            ("start", self.start),
        ]


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

"""What every training run is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Shows how far a long step is: gives its items on, one at a time."""

    def __call__(self, items: Iterable[Item], what: str, total: int | None = None) -> Iterable[Item]:
        """Go through items."""
        ...


def pass_on(items: Iterable[Item], what: str, total: int | None = None) -> Iterable[Item]:  # noqa: ARG001
    """Progress that shows nothing."""
    return items


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Where the labelled pages are, where weights go, and what makes a run repeatable."""

    data: Path  # a folder of <dataset>.train.* and <dataset>.dev.* files
    output: Path  # the folder of weights that is written
    work: Path  # what is kept between runs: features, checkpoints
    seed: int = 0
    limit: int | None = None  # pages of each file: for a quick look
    classes: tuple[str, ...] = ()  # roles to tell apart, where a model can be trained for several
    progress: Progress = pass_on
    report: Callable[[str], None] = print  # a line for the log

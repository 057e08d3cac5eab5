"""Options of a training run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

Item = TypeVar("Item")


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

    data: Path  # folder of <dataset>.train.* and <dataset>.dev.* files
    output: Path  # folder of weights to write
    work: Path  # folder of cached features and checkpoints
    seed: int = 0
    limit: int | None = None  # pages per file, for a quick trial
    classes: tuple[str, ...] = ()  # roles to predict, for models that support several (gcn)
    progress: Progress = show_nothing
    report: Callable[[str], None] = print  # writes one line to the log

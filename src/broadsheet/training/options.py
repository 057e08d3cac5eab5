"""Options of a training run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from broadsheet.models import Weights, load_weights

Item = TypeVar("Item")
SHIPPED_START = "shipped"  # value of `start`: the shipped weights


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

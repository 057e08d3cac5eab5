"""Engines: where and when inputs are processed. All give the same rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from broadsheet.batch.options import BatchOptions
from broadsheet.batch.output import Output
from broadsheet.batch.part import Outcome
from broadsheet.batch.sources import Source
from broadsheet.batch.worker import FileWorker, Learned
from broadsheet.errors import UsageError

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class Job:
    """What is done with each input."""

    options: BatchOptions
    output: Output
    is_learning: bool = False  # learn the sites of its pages; else extract them

    def run_on(self, worker: FileWorker, source: Source) -> Outcome | Learned:
        """Do it."""
        return worker.learn(source) if self.is_learning else worker.process(source)


class Engine(Protocol):
    """Schedules inputs."""

    def run(self, sources: Sequence[Source], job: Job) -> Generator[Outcome | Learned, None, None]:
        """Process inputs, and yield an outcome for each, in the order in which they end."""
        ...


def open_engine(name: str, *, workers: int | None = None, address: str | None = None) -> Engine:
    """Return an engine by name. Raises UsageError or MissingExtra."""
    if name == "local":
        from broadsheet.batch.engines.local import LocalEngine

        if address is not None:
            raise UsageError("--address is for --engine ray")
        return LocalEngine(workers)
    if name == "ray":
        from broadsheet.batch.engines.ray import RayEngine

        return RayEngine(workers, address)
    raise UsageError(f"unknown engine {name!r}; known: {', '.join(ENGINES)}")

"""Engines: where and when inputs are processed. All give the same rows. The local one uses processes here."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from typing import Protocol

from broadsheet.batch.folder import Outcome
from broadsheet.batch.options import BatchOptions
from broadsheet.batch.sources import Source
from broadsheet.batch.store import Output
from broadsheet.batch.worker import FileWorker, Learned
from broadsheet.cores import count_cores
from broadsheet.errors import UsageError
from broadsheet.workers.pool import WorkerPool

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class BatchJob:
    """What is done with each input."""

    options: BatchOptions
    output: Output
    is_learning: bool = False  # learn the sites of its pages; else extract them

    def run_on(self, worker: FileWorker, source: Source) -> Outcome | Learned:
        """Do it."""
        return worker.learn(source) if self.is_learning else worker.process(source)


class Engine(Protocol):
    """Schedules inputs."""

    def run(self, sources: Sequence[Source], job: BatchJob) -> Generator[Outcome | Learned, None, None]:
        """Process inputs, and yield an outcome for each, in the order in which they end."""
        ...


def open_engine(name: str, *, workers: int | None = None, address: str | None = None) -> Engine:
    """Return an engine by name. Raises UsageError or MissingExtra."""
    if name == "local":
        if address is not None:
            raise UsageError("--address is for --engine ray")
        return LocalEngine(workers)
    if name == "ray":
        from broadsheet.batch.ray_engine import RayEngine

        return RayEngine(workers, address)
    raise UsageError(f"unknown engine {name!r}; known: {', '.join(ENGINES)}")


class LocalEngine:
    """Spreads inputs over worker processes."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or count_cores()

    def run(self, sources: Sequence[Source], job: BatchJob) -> Generator[Outcome | Learned, None, None]:
        """Process inputs, and yield an outcome for each, in the order in which they end."""
        if not sources:
            return
        workers = [FileWorker(job.options, job.output) for _ in range(min(self._workers, len(sources)))]
        with WorkerPool(workers, name="broadsheet-batch") as pool:
            futures = [pool.submit(job.run_on, source) for source in sources]
            for future in as_completed(futures):
                yield future.result()

"""Engines: where and when inputs are processed. All give the same rows. The local one uses processes here."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from broadsheet.batch.folder import Outcome
from broadsheet.batch.options import BatchOptions
from broadsheet.batch.sources import Source
from broadsheet.batch.store import Output
from broadsheet.batch.worker import BatchState, FileTask, Learned, open_process_state
from broadsheet.cores import count_cores
from broadsheet.errors import UsageError
from broadsheet.workers.extraction import find_extra_memory
from broadsheet.workers.supervisor import Supervisor, Worker

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class BatchJob:
    """What is done with each input."""

    options: BatchOptions
    output: Output
    is_learning: bool = False  # learn the sites of its pages; else extract them

    @property
    def settings(self) -> tuple[BatchOptions, Output]:
        """The settings of worker processes."""
        return self.options, self.output

    def run_on(self, worker: Worker[tuple[BatchOptions, Output], BatchState], source: Source) -> Outcome | Learned:
        """Do it."""
        outcome: Outcome | Learned
        (outcome,) = worker.run(FileTask(source, self.is_learning))
        return outcome


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
        count, memory = min(self._workers, len(sources)), find_extra_memory(job.options.extract)
        with Supervisor(
            open_process_state, job.settings, count, extra_memory=memory, name="broadsheet-batch"
        ) as supervisor:
            futures = [supervisor.call(partial(job.run_on, source=source)) for source in sources]
            for future in as_completed(futures):
                yield future.result()

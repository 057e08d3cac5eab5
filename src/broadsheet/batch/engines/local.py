"""The local engine: worker processes of this machine, each with one input at a time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import as_completed

from broadsheet.batch.engines import Job
from broadsheet.batch.part import Outcome
from broadsheet.batch.sources import Source
from broadsheet.batch.worker import FileWorker, Learned
from broadsheet.cores import count_cores
from broadsheet.workers.pool import WorkerPool


class LocalEngine:
    """Spreads inputs over worker processes."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or count_cores()

    def run(self, sources: Sequence[Source], job: Job) -> Generator[Outcome | Learned, None, None]:
        """Process inputs, and yield an outcome for each, in the order in which they end."""
        if not sources:
            return
        workers = [FileWorker(job.options, job.output) for _ in range(min(self._workers, len(sources)))]
        with WorkerPool(workers, name="broadsheet-batch") as pool:
            futures = [pool.submit(job.run_on, source) for source in sources]
            for future in as_completed(futures):
                yield future.result()

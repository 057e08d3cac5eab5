"""Engines: where and when inputs are processed, and the task of a worker process. All give the same rows."""
# ruff: noqa: ARG002 - the signatures are those of workers.supervisor.Task

from __future__ import annotations

import logging
import os
import secrets
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from broadsheet.batch.by_site import learn_steps
from broadsheet.batch.folder import BatchOutputError, Failure, Outcome, OutputFolder
from broadsheet.batch.manifest import Part
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.process import FileUnit, process_steps, thin_out
from broadsheet.batch.sources import Source
from broadsheet.batch.store import Output
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.extras import import_extra
from broadsheet.inputs.warc import MisfitPiece
from broadsheet.workers import count_cores
from broadsheet.workers.child import describe_error
from broadsheet.workers.extraction import find_extra_memory
from broadsheet.workers.process import Loss, WorkerLost
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


_MAX_ATTEMPTS = 3
_SAFE_CHUNK_PAGES = 16  # of extract_many: each of them may take its time limit


@dataclass(frozen=True, slots=True)
class Learned:
    """The sites of an input were learned."""

    source: Source


@dataclass(frozen=True, slots=True)
class BatchState:
    """What a process needs for inputs."""

    options: BatchOptions
    output: Output
    options_hash: str


def open_state(options: BatchOptions, output: Output) -> BatchState:
    """Load the method."""
    options_hash = hash_options(options.describe())
    options.choose_columns()
    return BatchState(options, output, options_hash)


def open_process_state(settings: tuple[BatchOptions, Output]) -> BatchState:
    """Do the same in a process that does nothing else."""
    _load_arrow_without_pandas()
    return open_state(*settings)


def _load_arrow_without_pandas() -> None:
    """Load pyarrow. It imports pandas, if installed, with the first list that it converts: half a second, 40 MB.

    It tries only once, so pandas is hidden during a first conversion.
    """
    arrow = import_extra("pyarrow", "tables")
    if "pandas" in sys.modules:
        return
    finder = _PandasHider()
    sys.meta_path.insert(0, finder)
    try:
        arrow.array([None])
    finally:
        sys.meta_path.remove(finder)


class _PandasHider:
    """Import hook: pandas is not found."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


@dataclass(frozen=True, slots=True)
class FileTask:
    """An input to extract, or whose sites are learned.

    If the process is lost, a new one tries to extract the input twice more, with every page in a further process.
    """

    source: Source
    is_learning: bool = False

    @property
    def step_count(self) -> int:
        """One input."""
        return 1

    def run(self, state: BatchState, steps: range, attempt: int) -> Iterator[Any]:
        """Yield the outcome, and None as a sign of progress."""
        try:
            if self.is_learning:
                assert isinstance(state.output, OutputFolder)  # checked at the start of a run
                yield from thin_out(learn_steps(self.source, state.options, state.output))
                yield Learned(self.source)
            else:
                yield from process_steps(
                    FileUnit(self.source, state.options, state.output, state.options_hash, is_safe=attempt > 0)
                )
        except BatchOutputError as error:
            yield Failure(self.source, str(error), is_fatal=True)
        except MisfitPiece as error:
            yield Failure(self.source, f"{error}; run again with --piece-mb 0", is_misfit=True)
        except BroadsheetError as error:
            yield Failure(self.source, str(error))

    def find_seconds(self, settings: tuple[BatchOptions, Output], attempt: int) -> float:
        """Return the time limit between two signs of progress."""
        options = settings[0]
        safe_seconds = _SAFE_CHUNK_PAGES * 2 * options.extract.limits.max_seconds
        return options.stall_seconds + (safe_seconds if attempt else 0.0)

    def fail(self, settings: tuple[BatchOptions, Output], step: int, lost: WorkerLost, attempt: int) -> Failure | None:
        """Return a failure, after three attempts to extract."""
        reason = _explain_loss(lost, settings[0].stall_seconds)
        if self.is_learning:
            return Failure(self.source, f"its sites were not learned: {reason}")
        return Failure(self.source, f"{reason}; tried 3 times") if attempt >= _MAX_ATTEMPTS else None

    def count_pages(self, result: object) -> int:
        """Return the rows of the part that was written."""
        return result.rows if isinstance(result, Part) else 0


def _explain_loss(lost: WorkerLost, stall_seconds: float) -> str:
    if lost.loss is Loss.LATE:
        return f"the worker process made no progress for {stall_seconds:g} seconds"
    return str(lost)


# Ray: a task hands its input to a worker process of ours, as the local engine does, so that a page that crashes or
# hangs is handled in the same way. Ray repeats the tasks of a node that is lost. The output folder, and inputs without
# a scheme, must be on a file system that all nodes share.
_LOCAL = "local"
_MAX_RETRIES = 3  # of a task whose node was lost
_TASKS_PER_CORE = 2  # submitted ahead, so that no core waits
_TASKS_AHEAD = 256  # beyond that: what an autoscaler sees as demand, also where there is no core yet
_POLL_SECONDS = 5.0  # between two looks at the size of the cluster


class RayEngine:
    """Runs inputs as tasks of a Ray cluster, or of a Ray that is started on this machine for the run."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self._ray = import_extra("ray", "ray")
        self._workers = workers
        self._address = address

    def run(self, sources: Sequence[Source], job: BatchJob) -> Generator[Outcome | Learned, None, None]:
        """Process inputs, and yield an outcome for each, in the order in which they end."""
        if not sources:
            return
        ray = self._ray
        with ExitStack() as stack:
            if not ray.is_initialized():
                self._start(stack)
            shared = ray.put(job)
            task = ray.remote(num_cpus=1, max_retries=_MAX_RETRIES)(_process)
            yield from self._run_tasks(task, sources, shared)

    def _start(self, stack: ExitStack) -> None:
        """Connect to a cluster, or start one whose files are in a temporary folder."""
        ray = self._ray
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if self._address in (None, _LOCAL):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bs-ray-", ignore_cleanup_errors=True))
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            if "RAY_AUTH_TOKEN_PATH" not in os.environ:
                # Otherwise Ray writes a token to the home folder. Kept for the process: Ray caches it.
                os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
            settings |= {
                "address": _LOCAL,  # without it, Ray may join a cluster that happens to run here
                "num_cpus": self._workers or count_cores(),
                "include_dashboard": False,
                "_temp_dir": folder,
                "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}},
            }
        else:
            settings["address"] = self._address
        ray.init(**settings)
        stack.callback(ray.shutdown)

    def _run_tasks(self, task: Any, sources: Sequence[Source], shared: Any) -> Generator[Outcome | Learned, None, None]:
        ray = self._ray
        waiting = list(reversed(sources))
        running: dict[Any, Source] = {}
        try:
            while waiting or running:
                window = self._find_window()
                while waiting and len(running) < window:
                    source = waiting.pop()
                    running[task.remote(source, shared)] = source
                ready, _ = ray.wait(list(running), num_returns=1, timeout=_POLL_SECONDS)
                for reference in ready:
                    yield self._read_result(reference, running.pop(reference))
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _find_window(self) -> int:
        """Return how many tasks may be submitted: it follows the cluster, which grows and shrinks during a run."""
        if self._workers:
            return _TASKS_PER_CORE * self._workers
        return _TASKS_PER_CORE * int(self._ray.cluster_resources().get("CPU", 0)) + _TASKS_AHEAD

    def _read_result(self, reference: Any, source: Source) -> Outcome | Learned:
        try:
            outcome: Outcome | Learned = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:  # the task was lost too often, or raised
            return Failure(source, describe_error(error).splitlines()[0])
        return outcome


# Of a Ray process: kept for the next task.
_WORKERS: dict[str, Worker[tuple[BatchOptions, Output], BatchState]] = {}


def _process(source: Source, job: BatchJob) -> Outcome | Learned:
    """Process an input in a worker process. Runs as a Ray task."""
    key = repr((job.options, job.output))
    if key not in _WORKERS:
        for worker in _WORKERS.values():
            worker.process.close()
        _WORKERS.clear()
        memory = find_extra_memory(job.options.extract)
        _WORKERS[key] = Worker(open_process_state, job.settings, extra_memory=memory)
    return job.run_on(_WORKERS[key], source)

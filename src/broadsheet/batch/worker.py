"""A worker process that processes inputs, one after the other, and is replaced when it dies or stalls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from broadsheet.batch.by_site import learn_steps
from broadsheet.batch.folder import BatchOutputError, Failure, Outcome, OutputFolder, Part
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.process import FileUnit, process_steps, thin_out
from broadsheet.batch.sources import Source
from broadsheet.batch.store import Output
from broadsheet.errors import BroadsheetError
from broadsheet.extras import import_extra
from broadsheet.workers.extraction import PAGES_PER_PROCESS
from broadsheet.workers.process import Handler, Loss, WorkerLost, WorkerProcess

_SAFE_CHUNK_PAGES = 16  # of extract_many: each of them may take its time limit


class Work(Enum):
    """What a process does with an input."""

    EXTRACT = "extract"
    EXTRACT_SAFELY = "extract safely"  # every page in a further process
    LEARN = "learn"  # the sites of its pages


@dataclass(frozen=True, slots=True)
class Learned:
    """The sites of an input were learned."""

    source: Source


def open_handler(options: BatchOptions, output: Output) -> Callable[[tuple[Source, Work]], Iterable[object]]:
    """Load the method; return the handler of inputs."""
    options_hash = hash_options(options.describe())
    options.choose_columns()

    def handle(task: tuple[Source, Work]) -> Iterator[object]:
        source, work = task
        try:
            if work is Work.LEARN:
                assert isinstance(output, OutputFolder)  # checked at the start of a run
                yield from thin_out(learn_steps(source, options, output))
                yield Learned(source)
            else:
                is_safe = work is Work.EXTRACT_SAFELY
                yield from process_steps(FileUnit(source, options, output, options_hash, is_safe))
        except BatchOutputError as error:
            yield Failure(source, str(error), is_fatal=True)
        except BroadsheetError as error:
            yield Failure(source, str(error))

    return handle


def open_process_handler(options: BatchOptions, output: Output) -> Callable[[tuple[Source, Work]], Iterable[object]]:
    """Do the same in a process that does nothing else."""
    _load_arrow_without_pandas()
    return open_handler(options, output)


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


class FileWorker:
    """Processes inputs in a process of its own. Safe to use from one thread at a time."""

    def __init__(self, options: BatchOptions, output: Output) -> None:
        self._options = options
        limits = options.extract.limits
        self._memory = None if options.extract.render else limits.max_memory
        self._page_seconds = 2 * limits.max_seconds
        handler = Handler(__name__, open_process_handler.__name__, (options, output))
        self._process = WorkerProcess(handler, extra_memory=self._memory)
        self._page_count = 0

    def process(self, source: Source) -> Outcome:
        """Process an input. If the process is lost, a new one tries again, with every page in a further process."""
        reason = ""
        for work in (Work.EXTRACT, Work.EXTRACT_SAFELY, Work.EXTRACT_SAFELY):
            try:
                outcome: Outcome = self._ask(source, work)
            except WorkerLost as lost:
                reason = _explain_loss(lost, self._options.stall_seconds)
            else:
                return outcome
        return Failure(source, f"{reason}; tried 3 times")

    def learn(self, source: Source) -> Learned | Failure:
        """Learn the sites of an input."""
        try:
            outcome: Learned | Failure = self._ask(source, Work.LEARN)
        except WorkerLost as lost:
            return Failure(source, f"its sites were not learned: {_explain_loss(lost, self._options.stall_seconds)}")
        return outcome

    def stop(self) -> None:
        """Kill the process; a `process` in progress in another thread ends with an error."""
        self._process.stop()

    def close(self) -> None:
        """Release the process. Not while a `process` is in progress."""
        self._process.close()

    def _ask(self, source: Source, work: Work) -> Any:
        if self._page_count >= PAGES_PER_PROCESS:  # so that memory that a method or parser leaks stays bounded
            self._process.discard()
            self._page_count = 0
        seconds = self._options.stall_seconds
        if work is Work.EXTRACT_SAFELY:
            seconds += _SAFE_CHUNK_PAGES * self._page_seconds
        outcome = None
        for response in self._process.ask((source, work), seconds):
            if response is not None:
                outcome = response
        if outcome is None:
            raise WorkerLost(Loss.DIED)
        if isinstance(outcome, Part):
            self._page_count += outcome.rows
        return outcome


def _explain_loss(lost: WorkerLost, stall_seconds: float) -> str:
    if lost.loss is Loss.LATE:
        return f"the worker process made no progress for {stall_seconds:g} seconds"
    return str(lost)

"""One supervisor of worker processes for all programs: typed tasks in, results out.

A task has steps, such as the pages of a chunk. If a process is lost, the steps before are kept, the step in progress is
tried again or fails, as the task decides, and a new process does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Generic, Protocol, Self, TypeVar

from broadsheet.workers.process import Handler, Loss, WorkerLost, WorkerProcess, WorkerStartError

# A process is replaced after this many pages, so that memory leaks of a method or parser stay bounded. A start takes
# less than a second; 10,000 pages take about a minute.
PAGES_PER_PROCESS = 10_000
_MAX_STARTS = 3  # attempts, if the process has started before: it was killed, or the machine has no memory left
_START_SECONDS = 10.0  # for the response of a process that has loaded its state, which has its own, longer limit

SettingsT = TypeVar("SettingsT")
SettingsT_contra = TypeVar("SettingsT_contra", contravariant=True)
StateT = TypeVar("StateT")
StateT_contra = TypeVar("StateT_contra", contravariant=True)
ResultT = TypeVar("ResultT")


class Task(Protocol[SettingsT_contra, StateT_contra, ResultT]):
    """Work for a process. It is sent there as a pickle, and run with what the process has loaded."""

    @property
    def step_count(self) -> int:
        """The number of results."""

    def run(self, state: StateT_contra, steps: range, attempt: int) -> Iterable[ResultT | None]:
        """Yield the results of some steps; None only says that the process is at work. Called in the process."""

    def find_seconds(self, settings: SettingsT_contra, attempt: int) -> float:
        """Return the time limit of each result. A later process is killed."""

    def fail(self, settings: SettingsT_contra, step: int, lost: WorkerLost, attempt: int) -> ResultT | None:
        """Return the result of a step on which the process was lost; None to try again. `attempt` counts from 1."""

    def count_pages(self, result: ResultT) -> int:
        """Return how many pages a result took."""


def open_handler(open_state: Callable[[SettingsT], StateT], settings: SettingsT) -> Callable[[Any], Iterable[object]]:
    """Load the state of a process, such as a method; return the handler of tasks. Called in the process."""
    state = open_state(settings)

    def handle(request: tuple[Task[SettingsT, StateT, Any], range, int] | None) -> Iterable[object]:
        if request is None:  # only start
            return ()
        task, steps, attempt = request
        return task.run(state, steps, attempt)

    return handle


class Worker(Generic[SettingsT, StateT]):
    """A process that does tasks, and is replaced when it dies, runs out of memory or misses a deadline."""

    def __init__(
        self, open_state: Callable[[SettingsT], StateT], settings: SettingsT, *, extra_memory: int | None = None
    ) -> None:
        handler = Handler(__name__, open_handler.__name__, (open_state, settings))
        self.process = WorkerProcess(handler, extra_memory=extra_memory)
        self._settings = settings
        self.loss_count = 0  # processes that died, were killed or ran out of memory
        self._has_started = False
        self._page_count = 0  # since the process was replaced

    def start(self) -> None:
        """Start the process. Raises WorkerStartError."""
        list(self.process.ask(None, _START_SECONDS))
        self._has_started = True

    def run(self, task: Task[SettingsT, StateT, ResultT]) -> list[ResultT]:
        """Do a task. Raises WorkerStartError if no process starts."""
        if self._page_count >= PAGES_PER_PROCESS:
            self.process.discard()
            self._page_count = 0
        results: list[ResultT] = []
        while len(results) < task.step_count:
            lost = self._run_until_lost(task, range(len(results), task.step_count), results)
            if lost is not None and len(results) < task.step_count:  # it may be lost after its last result
                results.append(self._try_again(task, len(results), lost))
        self._page_count += sum(map(task.count_pages, results))
        return results

    def _run_until_lost(
        self, task: Task[SettingsT, StateT, ResultT], steps: range, results: list[ResultT], attempt: int = 0
    ) -> WorkerLost | None:
        """Add the results of steps to a list; stop at the step on which the process was lost."""
        expected = len(results) + len(steps)
        for start in range(_MAX_STARTS):
            try:
                for result in self.process.ask((task, steps, attempt), task.find_seconds(self._settings, attempt)):
                    if result is not None:
                        results.append(result)  # noqa: PERF401 - results before a loss are kept
            except WorkerLost as lost:
                self.loss_count += 1
                return lost
            except WorkerStartError:
                self.loss_count += 1
                if not self._has_started or start == _MAX_STARTS - 1:
                    raise
            else:
                break
        self._has_started = True
        return None if len(results) == expected else WorkerLost(Loss.DIED)

    def _try_again(self, task: Task[SettingsT, StateT, ResultT], step: int, lost: WorkerLost) -> ResultT:
        """Do one step in a new process, until it succeeds or the task gives up."""
        attempt = 1
        while (result := task.fail(self._settings, step, lost, attempt)) is None:
            results: list[ResultT] = []
            lost = self._run_until_lost(task, range(step, step + 1), results, attempt) or lost
            if results:
                return results[0]
            attempt += 1
        return result


class Supervisor(Generic[SettingsT, StateT]):
    """Workers, each with one thread that waits for it. On exit, tasks in progress are stopped."""

    def __init__(
        self,
        open_state: Callable[[SettingsT], StateT],
        settings: SettingsT,
        count: int,
        *,
        extra_memory: int | None = None,
        name: str = "broadsheet",
    ) -> None:
        """Prepare processes; each starts with its first task.

        Args:
            open_state: Loads what tasks need. It is called in each process.
            settings: Its argument, which is sent to the processes as a pickle.
            count: The number of processes.
            extra_memory: Bytes that a process may allocate beyond its size after loading; None for no limit.
            name: The first part of the names of threads.

        """
        self.workers = [Worker(open_state, settings, extra_memory=extra_memory) for _ in range(count)]
        self._idle: SimpleQueue[Worker[SettingsT, StateT]] = SimpleQueue()
        for worker in self.workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix=name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the processes and end the threads; tasks in progress end with an error."""
        for worker in self.workers:
            worker.process.stop()
        self._threads.shutdown(cancel_futures=True)
        for worker in self.workers:
            worker.process.close()

    def submit(self, task: Task[SettingsT, StateT, ResultT]) -> Future[list[ResultT]]:
        """Do a task as soon as a worker is idle."""
        return self.call(lambda worker: worker.run(task))

    def call(self, work: Callable[[Worker[SettingsT, StateT]], ResultT]) -> Future[ResultT]:
        """Call a function with an idle worker, for several tasks that belong together."""
        return self._threads.submit(self._lend, work)

    def _lend(self, work: Callable[[Worker[SettingsT, StateT]], ResultT]) -> ResultT:
        worker = self._idle.get()
        try:
            return work(worker)
        finally:
            self._idle.put(worker)

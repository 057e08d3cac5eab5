"""A pool of workers: each task goes to an idle worker. One thread per worker only waits for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Generic, Protocol, Self, TypeVar


class Worker(Protocol):
    """An object that owns a worker process."""

    def stop(self) -> None:
        """Kill the process; a task in progress in another thread ends with an error."""

    def close(self) -> None:
        """Release the process. Not while a task is in progress."""


WorkerT = TypeVar("WorkerT", bound=Worker)
TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")


class WorkerPool(Generic[WorkerT]):
    """Runs tasks on workers. On exit, tasks in progress are stopped and all workers are closed."""

    def __init__(self, workers: Sequence[WorkerT], *, name: str = "broadsheet") -> None:
        self._workers = workers
        self._idle: SimpleQueue[WorkerT] = SimpleQueue()
        for worker in workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(len(workers), thread_name_prefix=name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def submit(self, method: Callable[[WorkerT, TaskT], ResultT], task: TaskT) -> Future[ResultT]:
        """Call a method of a worker with a task, as soon as a worker is idle."""
        return self._threads.submit(self._run, method, task)

    def _run(self, method: Callable[[WorkerT, TaskT], ResultT], task: TaskT) -> ResultT:
        worker = self._idle.get()
        try:
            return method(worker, task)
        finally:
            self._idle.put(worker)

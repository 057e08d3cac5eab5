"""The Ray engine: one task for each input. Extra `ray`.

A task hands its input to a worker process of ours, as the local engine does, so that a page that crashes or hangs is
handled in the same way. Ray repeats the tasks of a node that is lost. The output folder, and inputs without a scheme,
must be on a file system that all nodes share.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import Any

from broadsheet.batch.engines import BatchJob, BatchState, Learned, open_process_state
from broadsheet.batch.folder import Failure, Outcome
from broadsheet.batch.options import BatchOptions
from broadsheet.batch.sources import Source
from broadsheet.batch.store import Output
from broadsheet.extras import import_extra
from broadsheet.workers import count_cores
from broadsheet.workers.child import describe_error
from broadsheet.workers.extraction import find_extra_memory
from broadsheet.workers.supervisor import Worker

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

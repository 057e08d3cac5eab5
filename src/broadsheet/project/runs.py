"""Retraining on the labels of a project, in a process of its own (retrain.py), so that it can be stopped.

Every run has a folder: `pages.jsonl` (the labels as they were), `log.txt`, `outcome.json` and `weights/`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from broadsheet.atomic import replace_folder
from broadsheet.errors import UsageError
from broadsheet.project.export import export_labels
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import Project
from broadsheet.project.store import format_now
from broadsheet.stored import DamagedFile, parse_json, read_member, read_value

MODEL = "fusion"
OUTCOME_FILE = "outcome.json"
MIN_PAGES = 10  # fine-tuning needs 8 pages to learn from, and a fifth of all is held out
ADVISED_PAGES = 30  # with fewer, fewer than 6 are held out, and no change can be told from chance
SHIPPED = "shipped"
_MAX_LOG_CHARS = 20_000
_KILL_SECONDS = 10.0
_MAX_RUN = 2**63 - 1  # the largest integer of SQLite
_MAX_DIGITS = 20
_MAX_START_SECONDS = 600.0  # between the entry of a run and the start of its process: the labels are written


class RunStatus(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    DONE = "done"  # its weights wait for a decision
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # the program that had started it ended
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A retraining."""

    id: int
    status: RunStatus
    pages: int
    start: str  # "shipped", or the number of the run whose weights were fine-tuned
    started_at: str
    ended_at: str | None
    comparison: dict[str, Any] | None  # measures before and after
    error: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a retraining ended."""

    comparison: dict[str, Any] | None = None  # the values of a WeightsComparison
    error: str | None = None


class Trainer:
    """Starts and stops the runs of a project. The runs of other programs can only be watched."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._threads: dict[int, threading.Thread] = {}
        self._cancelled: set[int] = set()
        self._lock = threading.Lock()  # of two requests to start a run, one is refused

    def start(self, start: str | None = None) -> TrainingRun:
        """Start a run from the shipped weights or from the project's own. Raises UsageError.

        By default it starts from the shipped weights: the labels of earlier runs are still in the project, and
        repeated fine-tuning forgets more of the original training.
        """
        weights = self._find_start(start or SHIPPED)
        count = sum(page.is_done and page.page_type == "article" for page in self._project.list_pages())
        if count < MIN_PAGES:
            raise UsageError(f"retraining needs {MIN_PAGES} articles that are done; the project has {count}")
        with self._lock:
            if any(run.status is RunStatus.RUNNING for run in self.list_runs()):
                raise UsageError("a retraining is in progress; wait for it or cancel it")
            run = self._insert(count, start or SHIPPED)
        try:
            folder = self.get_folder(run)
            folder.mkdir(parents=True)
            export_labels(self._project, folder / "pages.jsonl")
            self._launch(run, folder, weights)
        except BaseException as error:  # otherwise it would count as in progress forever
            self._finish(run, RunStatus.FAILED, error=str(error) or type(error).__name__)
            raise
        return self.get_run(run)

    def _find_start(self, start: str) -> str:
        if start == SHIPPED:
            return SHIPPED
        run = self.get_run(int(start[:_MAX_DIGITS])) if start.isdecimal() else None
        if run is None or run.status is not RunStatus.DONE:
            raise UsageError(f"cannot start from {start[:40]!r}; start from {SHIPPED!r} or from a run that is done")
        return str(self.get_folder(run.id) / "weights" / MODEL)

    def _launch(self, run: int, folder: Path, weights: str) -> None:
        command = [sys.executable, "-m", "broadsheet.project.retrain", str(folder), weights]
        with (folder / "log.txt").open("wb") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # its own group, so that it is stopped with the processes that it starts
            )
        self._processes[run] = process
        with self._project.store.write() as database:
            database.execute("UPDATE runs SET pid = ? WHERE id = ?", (process.pid, run))
        self._threads[run] = threading.Thread(target=self._supervise, args=(run, process), daemon=True)
        self._threads[run].start()

    def _supervise(self, run: int, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        folder = self.get_folder(run)
        shutil.rmtree(folder / "work", ignore_errors=True)
        if run in self._cancelled:
            self._finish(run, RunStatus.CANCELLED)
        elif (outcome := _read_outcome(folder)) and outcome.comparison:
            self._finish(run, RunStatus.DONE, comparison=json.dumps(outcome.comparison))
        else:
            lines = self.read_log(run).strip().splitlines()
            reason = lines[-1] if lines else f"the process ended with code {code}"
            self._finish(run, RunStatus.FAILED, error=(outcome and outcome.error) or reason)

    def wait(self, run: int) -> TrainingRun:
        """Wait until a run of this program ends."""
        if thread := self._threads.get(run):
            thread.join()
        return self.get_run(run)

    def cancel(self, run: int) -> TrainingRun:
        """Stop a run. Raises UsageError if it is not in progress, or was started by another program."""
        process = self._processes.get(run)
        if process is None or process.poll() is not None:
            raise UsageError(f"run {run} is not in progress here; it can be cancelled only where it was started")
        self._cancelled.add(run)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return self.wait(run)

    def close(self) -> None:
        """Cancel the runs of this program that are in progress."""
        for run, process in self._processes.items():
            if process.poll() is None:
                self.cancel(run)
            self.wait(run)

    # What is known of runs

    def get_folder(self, run: int) -> Path:
        """Return the folder of a run."""
        return self._project.folder / "runs" / str(run)

    def list_runs(self) -> list[TrainingRun]:
        """Return all runs, the newest first."""
        with self._project.store.read() as database:
            rows = database.execute("SELECT * FROM runs ORDER BY id DESC").fetchall()
        return [self._make_run(row) for row in rows]

    def get_run(self, run: int) -> TrainingRun:
        """Return a run. Raises UsageError."""
        with self._project.store.read() as database:
            row = database.execute("SELECT * FROM runs WHERE id = ?", (min(run, _MAX_RUN),)).fetchone()
        if row is None:
            raise UsageError(f"there is no run {run}; broadsheet project runs lists them")
        return self._make_run(row)

    def read_log(self, run: int) -> str:
        """Return the end of a run's log."""
        try:
            return (self.get_folder(run) / "log.txt").read_text("utf-8", "replace")[-_MAX_LOG_CHARS:]
        except FileNotFoundError:
            return ""

    # Decisions

    def use(self, run: int) -> None:
        """Make the weights of a run the project's default. Raises UsageError if it has none."""
        record = self.get_run(run)
        source = self.get_folder(run) / "weights"
        if record.status is not RunStatus.DONE or not source.is_dir():
            raise UsageError(f"run {run} is {record.status} and has no weights to use")
        with replace_folder(self._project.folder / "weights") as draft:  # for broadsheet extract --weights
            shutil.copytree(source, draft, dirs_exist_ok=True)
        with self._project.store.write() as database:
            database.execute("INSERT OR REPLACE INTO facts VALUES ('default_run', ?)", (str(run),))

    def use_shipped(self) -> None:
        """Make the shipped weights the default again."""
        with self._project.store.write() as database:
            database.execute("DELETE FROM facts WHERE name = 'default_run'")
        shutil.rmtree(self._project.folder / "weights", ignore_errors=True)

    def discard(self, run: int) -> None:
        """Delete the weights of a run. Raises UsageError if it is in progress or in use."""
        if self.get_run(run).status is RunStatus.RUNNING:
            raise UsageError(f"run {run} is in progress; cancel it first")
        if self._project.default_run == run:
            raise UsageError(f"run {run} is in use; use another run or the shipped weights first")
        shutil.rmtree(self.get_folder(run) / "weights", ignore_errors=True)
        with self._project.store.write() as database:
            database.execute("UPDATE runs SET status = ? WHERE id = ?", (RunStatus.DISCARDED, run))

    def extract_all(self, progress: Callable[[list[PageEntry]], Iterator[PageEntry]] = iter) -> None:
        """Extract all pages with the current weights."""
        for page in progress(self._project.list_pages()):
            self._project.extract_again(page)

    def _insert(self, pages: int, start: str) -> int:
        with self._project.store.write() as database:
            cursor = database.execute(
                "INSERT INTO runs (status, pages, start, started_at) VALUES (?, ?, ?, ?)",
                (RunStatus.RUNNING, pages, start, format_now()),
            )
        return int(cursor.lastrowid or 0)

    def _finish(self, run: int, status: RunStatus, *, comparison: str | None = None, error: str | None = None) -> None:
        with self._project.store.write() as database:
            database.execute(
                "UPDATE runs SET status = ?, ended_at = ?, comparison = ?, error = ? WHERE id = ?",
                (status, format_now(), comparison, error, run),
            )

    def _make_run(self, row: Any) -> TrainingRun:
        with self._project.store.name_in_errors():
            status = read_member(RunStatus, row["status"])
            comparison = parse_json(row["comparison"], dict) if row["comparison"] else None
        if status is RunStatus.RUNNING and row["id"] not in self._threads and not _is_alive(row):
            status = RunStatus.INTERRUPTED
        return TrainingRun(
            id=row["id"],
            status=status,
            pages=row["pages"],
            start=row["start"],
            started_at=row["started_at"],
            ended_at=row["ended_at"],
            comparison=comparison,
            error=row["error"],
        )


def _read_outcome(folder: Path) -> Outcome | None:
    """Return how the process of a run ended; None if it was killed, or wrote something else."""
    try:
        return read_value(Outcome, parse_json((folder / OUTCOME_FILE).read_bytes(), dict))
    except (FileNotFoundError, DamagedFile):
        return None


def _is_alive(row: Any) -> bool:
    if row["pid"] is None:  # the process has not started yet, or the program ended before
        age = datetime.now(UTC) - datetime.fromisoformat(row["started_at"])
        return age.total_seconds() < _MAX_START_SECONDS
    try:
        os.kill(row["pid"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True

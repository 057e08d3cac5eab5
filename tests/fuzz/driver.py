"""The driver: starts workers, watches their clock, compares their reports."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.cases import make_case
from tests.fuzz.protocol import Failure, Report
from tests.fuzz.worker import PARTS, is_shared

ROOT = Path(__file__).parents[2]
FAILED_PAGES = ROOT / "build" / "fuzz"
_MAX_START_SECONDS = 600.0
_MAX_SILENCE = 600.0  # seconds; a process that computes is ended earlier: see worker.py
_HASH_SEEDS = ("0", "4242")
_MAX_ARTICLES = 300  # kept for the browser check


@dataclass(slots=True)
class Results:
    """What the workers reported."""

    cases: int = 0
    repeated: int = 0
    max_seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)
    articles: dict[int, str] = field(default_factory=dict)  # seed -> HTML
    digests: dict[int, str] = field(default_factory=dict)  # of the cases that run in both processes

    def add(self, report: Report) -> None:
        """Add the report of a finished case, and compare it with that of another process."""
        if report.seed in self.digests:
            self.repeated += 1
        else:
            self.cases += 1
        self.max_seconds = max(self.max_seconds, report.max_seconds)
        self.failures += [failure for failure in report.failures if failure not in self.failures]
        if report.html and len(self.articles) < _MAX_ARTICLES:
            self.articles[report.seed] = report.html
        if is_shared(report.seed) and self.digests.setdefault(report.seed, report.digest) != report.digest:
            self.failures.append(Failure(report.seed, "all", "another process gives another article"))


def run_cases(seconds: float, seed: int, say: Callable[[str], None]) -> Results:
    """Run cases from `seed` on for so many seconds, in two processes with different hash seeds.

    The clock starts when both processes have loaded their weights. No finished case is a failure: it tests nothing.
    """
    results = Results()
    streams = [_Stream(seed, part) for part in range(PARTS)]
    last_said = time.monotonic()
    end = last_said + _MAX_START_SECONDS
    is_started = False
    try:
        while time.monotonic() < end:
            if not is_started and all(stream.is_ready for stream in streams):
                is_started, end = True, time.monotonic() + seconds
            for stream in streams:
                for report in stream.read_reports():
                    results.add(report)
            if time.monotonic() - last_said > 30:
                last_said = time.monotonic()
                say(f"{results.cases} cases, {len(results.failures)} failures")
            time.sleep(0.05)
    finally:
        for stream in streams:
            stream.end()
    if not results.cases:
        results.failures.append(Failure(-1, "all", "no case was finished; allow more seconds"))
    for failure in results.failures:
        if failure.seed < 0:
            say(f"FAILED {failure}")
            continue
        path = save_page(failure.seed)
        say(f"FAILED {failure}; page: {path}; again: python -m tests.fuzz --case {failure.seed}")
    return results


def save_page(seed: int) -> Path:
    """Write the page of a case to a file."""
    FAILED_PAGES.mkdir(parents=True, exist_ok=True)
    html = make_case(seed).html
    path = FAILED_PAGES / f"{seed}.html"
    path.write_bytes(html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html)
    return path.relative_to(ROOT)


class _Stream:
    """The reports of a worker process. A worker that dies or hangs is replaced; its case is a failure."""

    def __init__(self, first: int, part: int) -> None:
        self._part = part
        self.is_ready = False  # the process has begun its first case
        self._start(first)

    def _start(self, first: int) -> None:
        self._seed = first
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", str(first), str(self._part)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": _HASH_SEEDS[self._part]},
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read_lines, args=(self._process, self._lines), daemon=True)
        self._reader.start()
        self._heard = time.monotonic()

    @staticmethod
    def _read_lines(process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)

    def read_reports(self) -> list[Report]:
        """Return the reports of the cases that were finished since the last call."""
        reports = []
        while not self._lines.empty():
            report = Report.read(self._lines.get())
            self.is_ready = True
            self._seed, self._heard = report.seed, time.monotonic()
            if report.is_done:
                reports.append(report)
        if not self._reader.is_alive() and self._lines.empty():
            reports.append(self._replace(f"the process ended with code {self._process.wait()}"))
        elif time.monotonic() - self._heard > _MAX_SILENCE:
            reports.append(self._replace(f"no answer for {_MAX_SILENCE:.0f} s"))
        return reports

    def _replace(self, problem: str) -> Report:
        self.end()
        seed = self._seed
        self._start(seed + 1)
        return Report(seed, is_done=True, digest=problem, failures=(Failure(seed, "all", problem),))

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._reader.join()  # at the end of the pipe
        if self._process.stdout is not None:
            self._process.stdout.close()

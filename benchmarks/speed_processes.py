"""Measurements of whole processes: start, worker processes, threads."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import broadsheet
from benchmarks.harness import Table
from benchmarks.speed_parts import ALL_FIELDS, TEXT, open_broadsheet
from benchmarks.speed_peers import Page

START_RUNS = 5
THREAD_ROUNDS = 3  # the best counts: other programs may use the cores
_START_PROGRAM = """
import sys, time
page = open(sys.argv[1], encoding="utf-8").read()
times = [time.process_time()]
import broadsheet
broadsheet.extract  # imported when it is first used
times.append(time.process_time())
for _ in range(2):
    broadsheet.extract(page).text
    times.append(time.process_time())
print(*(1000 * (after - before) for before, after in zip(times, times[1:])))
"""


def measure_start() -> Table:
    """Print the processor time of the import, of two pages, and of commands, each in new processes."""
    page = str(Path(__file__).parents[1] / "examples" / "pages" / "harbour.html")
    extract, version = ["-m", "broadsheet", "extract", page], ["-m", "broadsheet", "--version"]
    _run_python(*extract)  # writes bytecode
    runs = []
    for _ in range(START_RUNS):
        times = [float(number) for number in _run_python("-c", _START_PROGRAM, page).split()]
        runs.append([*times, _time_python(*extract), _time_python(*version)])
    names = ("import", "first page", "second page", "broadsheet extract", "broadsheet --version")
    table = Table(f"ms, median of {START_RUNS} processes", *names)
    table.add("harbour.html", *(median(column) for column in zip(*runs, strict=True)), digits=1)
    return table


def _run_python(*arguments: str) -> str:
    """Run Python with bytecode, as an installed program, also where the environment turns it off."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, check=True, env=environment, text=True).stdout


def _time_python(*arguments: str) -> float:
    """Return the milliseconds of processor time of a Python process."""
    before = os.times()
    _run_python(*arguments)
    after = os.times()
    return 1000 * (after.children_user + after.children_system - before.children_user - before.children_system)


def measure_workers(pages: Sequence[Page], numbers: Sequence[int]) -> None:
    """Print the pages per second of `extract_many` without the start of the workers, and the processor time with it."""
    items = [(url, html) for html, url in pages]
    table = Table(f"workers, {len(items)} pages", "pages/s", "processor ms a page")
    for number in numbers:
        start_seconds = sum(os.times()[:4])  # of this process, and of workers that have ended
        articles = broadsheet.extract_many([items[0], *items], workers=number)
        next(articles)
        start = time.perf_counter()
        count = sum(1 for _ in articles)
        speed = count / (time.perf_counter() - start)
        table.add(str(number), speed, 1000 * (sum(os.times()[:4]) - start_seconds) / count, digits=1)


def measure_threads(pages: Sequence[Page], numbers: Sequence[int]) -> Table:
    """Print the pages per second of threads of one process, and how much more they are than those of one thread."""
    table = Table(f"threads, {len(pages)} pages", "text only, pages/s", "x", "all fields, pages/s", "x")
    extractors = open_broadsheet(TEXT), open_broadsheet(ALL_FIELDS)
    speeds: dict[int, list[float]] = {number: [0.0, 0.0] for number in numbers}
    for _ in range(THREAD_ROUNDS):
        for number, best in speeds.items():
            for place, extract in enumerate(extractors):
                start = time.perf_counter()
                with ThreadPoolExecutor(number) as pool:
                    for _article in pool.map(extract, *zip(*pages, strict=True)):
                        pass
                best[place] = max(best[place], len(pages) / (time.perf_counter() - start))
    first = speeds[numbers[0]]
    for number, (text, fields) in speeds.items():
        table.add(str(number), text, text / first[0], fields, fields / first[1], digits=2)
    return table

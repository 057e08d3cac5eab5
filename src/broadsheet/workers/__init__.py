"""Worker processes: one supervisor with typed tasks for extraction, batch, service, desk and evaluation.

`supervisor.py` spreads tasks over processes and replaces lost ones, `extraction.py` has the task of `extract_many`.
`process.py` is the caller's end of a process and enforces deadlines; `child.py` is the program that it runs.
Workers are plain subprocesses, so the caller may be threaded, daemonic, or part of Celery, Ray or a web server.
"""

from __future__ import annotations

import os


def count_cores() -> int:
    """Return the number of cores available to this process, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

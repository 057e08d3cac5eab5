"""A worker process: extracts cases with all methods under limits of memory, and checks the articles.

python -m tests.fuzz.worker FIRST STEP    cases FIRST, FIRST + STEP, ... until the process is ended
"""

from __future__ import annotations

import gc
import itertools
import sys
import time
import warnings
from hashlib import sha256

from tests.fuzz.cases import Case, make_case
from tests.fuzz.checks import check_article, write_outputs
from tests.fuzz.process_limits import limit_cpu, limit_memory
from tests.fuzz.protocol import Failure, Report

import broadsheet

MAX_SECONDS = 8.0  # of one method on one page, processor time; the slowest of 84 cases took 0.3
MAX_CASE_SECONDS = 120  # of all methods and checks, processor time; then the process is ended
MAX_EXTRA_BYTES = 1_000_000_000
PARTS = 2
_SHARED = 8  # every eighth case runs in both processes
_BROWSER_SHARE = 5  # every fifth article is sent to the browser check
_MAX_BROWSER_CHARS = 20_000


def run_case(case: Case, methods: tuple[str, ...]) -> Report:
    """Extract a case with all methods, one of them twice, and check the articles."""
    failures: list[Failure] = []
    digests = []
    slowest = 0.0
    html = ""
    for method in (*methods, methods[case.seed % len(methods)]):
        started = time.process_time()
        try:
            article = broadsheet.extract(
                case.html, case.url, method, charset=case.charset, sheets=case.sheets, limits=_LIMITS
            )
            seconds = time.process_time() - started
            outputs = write_outputs(article)
            output_seconds = time.process_time() - started - seconds
            digests.append(check_article(article, outputs))
            html = article.html or html
        except Exception as error:
            failures.append(Failure(case.seed, method, f"{type(error).__name__}: {error}"))
            continue
        slowest = max(slowest, seconds, output_seconds)
        if slowest > MAX_SECONDS:
            failures.append(Failure(case.seed, method, f"took {slowest:.1f} s"))
            break
    if len(digests) > len(methods) and digests[-1] != digests[case.seed % len(methods)]:
        failures.append(Failure(case.seed, methods[case.seed % len(methods)], "the second article differs"))
    is_shown = case.seed % _BROWSER_SHARE == 0 and len(html) < _MAX_BROWSER_CHARS
    return Report(
        case.seed,
        is_done=True,
        digest=sha256("".join(digests).encode()).hexdigest(),
        max_seconds=slowest,
        html=html if is_shown else "",
        failures=tuple(failures),
    )


_LIMITS = broadsheet.Limits(max_seconds=60)  # the driver's clock decides; a machine may be busy


def has_seed(part: int, seed: int) -> bool:
    """Return whether a process, 0 or 1, takes this case."""
    return seed % PARTS == part or is_shared(seed)


def is_shared(seed: int) -> bool:
    """Return whether both processes take this case."""
    return seed // PARTS % _SHARED == 0


def main() -> None:
    """Work until the driver ends the process."""
    first, part = map(int, sys.argv[1:])
    warnings.simplefilter("ignore")  # an address in place of a page is a warning
    methods = broadsheet.methods()
    run_case(make_case(0), tuple(methods))  # loads the weights
    limit_memory(MAX_EXTRA_BYTES)
    for seed in itertools.count(first):
        if not has_seed(part, seed):
            continue
        print(Report(seed).write(), flush=True)
        limit_cpu(MAX_CASE_SECONDS)
        report = run_case(make_case(seed), tuple(methods))
        print(report.write(), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()

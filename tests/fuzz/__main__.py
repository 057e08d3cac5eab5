"""The fuzz suite.

python -m tests.fuzz --seconds 600            growth, soak, random cases, articles in Chromium
python -m tests.fuzz --seconds 60 --seed 7    other cases
python -m tests.fuzz --case 1234              one case again, in this process
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings

from tests.fuzz.browser import check_articles
from tests.fuzz.cases import make_case
from tests.fuzz.checks import check_article
from tests.fuzz.driver import Results, run_cases, save_page
from tests.fuzz.growth import check_all
from tests.fuzz.protocol import Failure
from tests.fuzz.shapes import GROWTH_SHAPES
from tests.fuzz.soak import MAX_GROWTH_BYTES, measure_growth

import broadsheet
from broadsheet.style.browser import find_chromium

_GROWTH_SHARE = 0.3  # of the time
_MIN_CASES_SHARE = 0.3  # of the time, even if the machine is busy and the parts before it took longer
_SOAK_PAGES = 1000
_SEEDS_PER_SUITE = 1_000_000  # so that two seeds share no case


def main() -> int:
    """Run the suite; return 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0, help="number of the series of cases")
    parser.add_argument("--case", type=int, help="run one case and show its errors")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    return _run_case(options.case) if options.case is not None else _run_suite(options.seconds, options.seed)


def _run_suite(seconds: float, seed: int) -> int:
    end = time.monotonic() + seconds
    failures = check_all(GROWTH_SHAPES, _GROWTH_SHARE * seconds, seed, _say)
    failures += _check_soak(seconds, seed)
    results = run_cases(max(end - time.monotonic(), _MIN_CASES_SHARE * seconds), seed * _SEEDS_PER_SUITE, _say)
    failures += results.failures + _check_browser(results)
    _say(
        f"{results.cases} cases, {results.repeated} of them in two processes; the slowest took "
        f"{results.max_seconds:.2f} s; {len(failures)} failures"
    )
    return int(bool(failures))


def _check_soak(seconds: float, seed: int) -> list[Failure]:
    pages = min(_SOAK_PAGES, int(5 * seconds))
    growth = measure_growth(pages, seed * _SEEDS_PER_SUITE, _say)
    _say(f"soak: {growth / 1e6:+.1f} MB over {pages} pages")
    return [Failure(-1, "all", f"memory grew by {growth:,} bytes")] if growth > MAX_GROWTH_BYTES else []


def _check_browser(results: Results) -> list[Failure]:
    chromium = find_chromium()
    if not chromium or not results.articles:
        _say("browser: not checked")
        return []
    failures = check_articles(str(chromium), results.articles)
    for failure in failures:
        _say(f"FAILED {failure}; page: {save_page(failure.seed) if failure.seed >= 0 else 'unknown'}")
    _say(f"browser: {len(results.articles)} articles")
    return failures


def _run_case(seed: int) -> int:
    """Run one case in this process, with the traceback of each error."""
    case = make_case(seed)
    _say(f"page: {save_page(seed)}, {len(case.html):,} characters or bytes, address {case.url!r}")
    failed = 0
    for method in broadsheet.methods():
        started = time.process_time()
        try:
            article = broadsheet.extract(case.html, case.url, method, charset=case.charset, sheets=case.sheets)
            check_article(article)
            _say(f"{method}: {article.status}, {time.process_time() - started:.2f} s")
        except Exception:
            failed = 1
            _say(f"{method}: {traceback.format_exc()}")
    return failed


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())

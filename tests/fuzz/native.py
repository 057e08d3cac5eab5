"""Random hostile pages for the compiled loops, built with sanitizers: a memory error ends the process with a report.

    make fuzz-native          or          python -m tests.fuzz.native --seconds 600 --package FOLDER

`--package` is the folder of the package that must be the imported one. The pages are those of `make fuzz`; each is
extracted with small limits as well, which cut it at different places. For a third of the time, the compiled parser
alone gets pages of its own, which are smaller and stranger.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

from tests.fuzz.cases import make_case
from tests.fuzz.parser_pages import make_parser_page
from tests.html.describe import KINDS, check_nothing

import broadsheet
from broadsheet.html.parser import parse
from broadsheet.kernel import is_compiled

_SEEDS_PER_SERIES = 1_000_000
_LIMITS = (
    *(broadsheet.Limits(), broadsheet.Limits(max_nodes=4100), broadsheet.Limits(max_nodes=50)),
    *(broadsheet.Limits(max_depth=3), broadsheet.Limits(max_depth=12), broadsheet.Limits(max_blocks=4)),
    *(broadsheet.Limits(max_chars=70), broadsheet.Limits(max_bytes=700)),
)
_PARSER_LIMITS = ((60_000, 512), (60_000, 3), (20, 512), (3, 1))  # nodes and depth


def main() -> int:
    """Extract pages until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0, help="number of the series of cases")
    parser.add_argument("--package", type=Path, help="folder that contains the package")
    options = parser.parse_args()
    if not is_compiled():
        sys.exit("the loops are not compiled: a C compiler is needed")
    if options.package and options.package.resolve() not in Path(broadsheet.__file__).resolve().parents:
        sys.exit(f"{broadsheet.__file__} is not in {options.package}")
    warnings.simplefilter("ignore")
    first = options.seed * _SEEDS_PER_SERIES
    pages = parse_pages(options.seconds / 3, first)
    cases = run_cases(options.seconds * 2 / 3, first)
    print(f"{pages} pages parsed, {cases} extracted with {len(_LIMITS)} limits each: no memory error")
    return 0


def run_cases(seconds: float, first: int) -> int:
    """Extract one case after the other with all limits; return their number."""
    end = time.monotonic() + seconds
    cases = 0
    while time.monotonic() < end:
        case = make_case(first + cases)
        for limits in _LIMITS:
            broadsheet.extract(case.html, case.url, charset=case.charset, limits=limits)
        cases += 1
    return cases


def parse_pages(seconds: float, first: int) -> int:
    """Parse one page after the other with all limits; return their number."""
    end = time.monotonic() + seconds
    pages = 0
    while time.monotonic() < end:
        html = make_parser_page(first + pages)
        for max_nodes, max_depth in _PARSER_LIMITS:
            parse(html, KINDS, max_nodes, max_depth, check_nothing)
        pages += 1
    return pages


if __name__ == "__main__":
    sys.exit(main())

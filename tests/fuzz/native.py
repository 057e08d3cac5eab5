"""Random hostile pages for the compiled loops, built with sanitizers: a memory error ends the process with a report.

    make fuzz-native          or          python -m tests.fuzz.native --seconds 600 --package FOLDER

`--package` is the folder of the package that must be the imported one. The pages are those of `make fuzz`; each is
extracted with small limits as well, which cut it at different places. Random networks get random pages, and pages with
an index outside an array. For a third of the time, the compiled parser alone gets pages of its own, which are smaller
and stranger.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
from tests.fuzz.cases import make_case
from tests.fuzz.parser_pages import make_parser_page
from tests.html.describe import KINDS, check_nothing
from tests.kernel.networks import Shape, list_wrong_pages, make_network, make_page

import broadsheet
from broadsheet.errors import LimitReached
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
            article = broadsheet.extract(case.html, case.url, charset=case.charset, limits=limits)
            with suppress(LimitReached):
                article.to_dict()  # text, images and comments are made when they are read
        run_network(first + cases)
        cases += 1
    return cases


def run_network(seed: int) -> None:
    """Run a network of random sizes on pages of random sizes, with and without wrong indices."""
    from broadsheet.kernel import network as compiled

    random = np.random.default_rng(seed)
    width, name_columns, word_columns = random.integers(1, 70), random.integers(0, 20), random.integers(0, 10)
    reach, pools = random.integers(1, 30, random.integers(0, 5)), random.integers(0, 6, random.integers(0, 3))
    weights = make_network(
        random,
        Shape(int(width), int(name_columns), int(word_columns), reach.tolist(), pool_before=pools.tolist()),
    )
    network = compiled.Network(weights)
    compiled.use_vectors(bool(seed % 4))
    for blocks in random.integers(1, 200, 4).tolist():
        page = make_page(random, weights, blocks)
        network.run(page)
        network.compute_hidden(page)
        for wrong_page in list_wrong_pages(random, weights, page):
            with suppress(ValueError):
                network.run(wrong_page)
    compiled.use_vectors(True)


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

"""The five papers: tables as published, as shipped, and as printed in the paper, with the claims that hold.

    make papers              or    python -m benchmarks.papers              all five
    make papers-quick        or    python -m benchmarks.papers --quick      a few pages of each set
    python -m benchmarks.papers twcem stadynot                              some of them

Nothing is trained. The published network of SemText is not shipped: `make papers-weights` trains it, and its rows are
left out before. Parameter sweeps and single departures: python -m benchmarks.papers.stadynot, .twcem, .visual.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module

from benchmarks.harness import Data, make_parser

PAPERS = ("stadynot", "twcem", "visual", "semtext", "gcn")
QUICK_PAGES = 6  # of each set


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("papers", nargs="*", choices=[*PAPERS, []], default=[])  # []: argparse checks the default
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_PAGES} pages of each set")
    options = parser.parse_args()
    logging.disable()  # boilerpy3 logs an error for every other page
    data = Data(options.data, options.pages or (QUICK_PAGES if options.quick else None))
    for name in options.papers or PAPERS:
        print_paper: Callable[[Data], None] = import_module(f"benchmarks.papers.{name}").print_paper
        print_paper(data)


if __name__ == "__main__":
    main()

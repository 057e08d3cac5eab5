"""Soak: memory stays flat over thousands of pages.

python -m tests.fuzz.soak --pages 20000
"""

from __future__ import annotations

import argparse
import gc
import sys
import warnings
from collections.abc import Callable
from random import Random

from tests.fuzz.cases import ADDRESS
from tests.fuzz.mutate import mutate_page
from tests.fuzz.process_limits import measure_memory
from tests.fuzz.seeds import load_seed_pages

import broadsheet

MAX_GROWTH_BYTES = 40_000_000
_WARM_SHARE = 0.3  # of the pages; caches fill up in them
_MAX_PAGE_CHARS = 60_000


def measure_growth(pages: int, seed: int, say: Callable[[str], None]) -> int:
    """Extract so many mutated pages with all methods in turn; return the bytes gained after the caches are full."""
    methods = broadsheet.methods()
    seeds = load_seed_pages()
    warm = 0
    for number in range(pages):
        random = Random(seed + number)
        html = mutate_page(random.choice(seeds), random)[:_MAX_PAGE_CHARS]
        # The default method takes half of the pages.
        method = methods[0] if number % 2 else methods[number // 2 % len(methods)]
        broadsheet.extract(html, ADDRESS, method).to_json()
        if number == int(pages * _WARM_SHARE):
            gc.collect()
            warm = measure_memory()
        if number % 2000 == 1999:
            say(f"soak: {number + 1} pages, {measure_memory() / 1e6:.0f} MB")
    gc.collect()
    return measure_memory() - warm


def main() -> int:
    """Run the soak test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    growth = measure_growth(options.pages, options.seed, print)
    print(f"soak: {growth / 1e6:+.1f} MB over {options.pages} pages; at most {MAX_GROWTH_BYTES / 1e6:.0f} allowed")
    return int(growth > MAX_GROWTH_BYTES)


if __name__ == "__main__":
    sys.exit(main())

"""Milliseconds a page: the compiled parser with its table beside turbohtml, which only makes a tree.

    python -m benchmarks.parser_speed [--data DIR] [--pages N] [--repeats N]

Thread time; the minimum of interleaved repeats, each with a new string; the mean of all pages.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path
from time import thread_time_ns

import turbohtml
from tests.html.describe import KINDS, MAX_DEPTH, MAX_NODES, SHARED, check_nothing

from benchmarks.parser_parity import read_pages
from broadsheet.html.parser import parse

_FILES = ("big5-13.bench.jsonl.xz", "dragnet.bench.jsonl.xz")
_WAYS: dict[str, Callable[[str], object]] = {
    "parser": lambda html: parse(html, KINDS, MAX_NODES, MAX_DEPTH, check_nothing),
    "turbohtml": lambda html: turbohtml.parse(html, positions=False, allow_declarative_shadow_roots=False),
}


def main() -> None:
    """Print the mean of both ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    parser.add_argument("--pages", type=int, default=150)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    pages = [html for name in _FILES for _, html in read_pages(options.data / name)]
    pages = random.Random(7).sample(pages, options.pages)
    totals = dict.fromkeys(_WAYS, 0.0)
    for html in pages:
        best = dict.fromkeys(_WAYS, float("inf"))
        for _ in range(options.repeats):
            for name, way in _WAYS.items():
                copy = html[:-1] + html[-1:]
                start = thread_time_ns()
                way(copy)
                best[name] = min(best[name], thread_time_ns() - start)
        totals = {name: total + best[name] / 1e6 for name, total in totals.items()}
    print(f"{len(pages)} pages of {sum(map(len, pages)) / len(pages) / 1e3:.0f} K characters")
    for name, total in totals.items():
        print(f"{name:10} {total / len(pages):.3f} ms")


if __name__ == "__main__":
    main()

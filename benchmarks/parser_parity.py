"""Compare the compiled parser with turbohtml and the walk over its tree, column by column, on all labelled pages.

    python -m benchmarks.parser_parity [--data DIR] [--splits dev,bench] [--pages N]

Prints the pages that differ, with the first row that does. `docs/lab/parser.md` says which parser is right.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.html.describe import KINDS, MAX_DEPTH, MAX_NODES, SHARED, check_nothing, describe

from broadsheet.html.parser import parse
from broadsheet.html.walk import walk_tree
from broadsheet.page.tree import parse_tree


def main() -> None:
    """Print the pages that differ, and how many there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    parser.add_argument("--splits", default="dev,bench")
    parser.add_argument("--pages", type=int, help="of each file")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for split in options.splits.split(","):
        for path in sorted(options.data.glob(f"*.{split}.jsonl.xz")):
            for name, html in islice(read_pages(path), options.pages):
                difference = find_difference(html)
                counts[difference.partition(":")[0] or "equal"] += 1
                if difference:
                    print(path.name, name, difference, flush=True)
    print(dict(counts))


def read_pages(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the pages of a file: name and source."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record.get("html"):
                yield str(record["id"]), record["html"]


def find_difference(html: str) -> str:
    """Return the first column that differs, with the first item that does; "" if the tables are equal."""
    table = parse(html, KINDS, MAX_NODES, MAX_DEPTH, check_nothing)
    if table is None:
        return "fallback"
    document, is_cut = parse_tree(html, MAX_NODES)
    other = walk_tree(document, KINDS, MAX_NODES, MAX_DEPTH, check_nothing)
    other.is_cut |= is_cut
    ours, theirs = describe(table), describe(other)
    for column, values in ours.items():
        if values != theirs[column]:
            return f"{column}: {_find_item(values, theirs[column])}"
    return ""


def _find_item(ours: object, theirs: object) -> str:
    if not isinstance(ours, list) or not isinstance(theirs, list):
        return f"{ours} and {theirs}"
    pairs = enumerate(zip(ours, theirs, strict=False))
    row = next((row for row, (mine, other) in pairs if mine != other), min(len(ours), len(theirs)))
    return f"row {row}, {ours[row - 1 : row + 2]!r:.150} and {theirs[row - 1 : row + 2]!r:.150}"


if __name__ == "__main__":
    main()

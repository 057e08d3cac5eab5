"""Compare the output of all methods before and after a change that must not alter it.

    python benchmarks/same.py save before/       # on the old code
    python benchmarks/same.py compare before/    # on the new code: prints each difference, exit code 1 if there is one

The output is the article as JSON, with the role and score of every block. It contains page text: do not commit it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path

import broadsheet
from broadsheet.corpora import Record, read_corpus

DATA = Path(__file__).parents[2] / "shared" / "data"
PAGES = 500
SHOWN_DIFFERENCES = 5  # per method
SCORE_DIGITS = 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("save", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with *.bench.* files")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--methods", default=",".join(broadsheet.methods()))
    options = parser.parse_args()
    records = list(islice(take_in_turn(options.data), options.pages))
    methods = options.methods.split(",")
    if options.action == "save":
        options.folder.mkdir(parents=True, exist_ok=True)
        for method in methods:
            save(records, method, options.folder)
        return 0
    differences = sum([compare(records, method, options.folder) for method in methods])
    print(f"{differences} pages differ" if differences else f"identical: {len(records)} pages, {len(methods)} methods")
    return int(differences > 0)


def take_in_turn(data: Path) -> Iterator[Record]:
    """Yield one page of each bench set in turn, so that any number of pages covers all sets."""
    sets = [read_corpus(path) for path in sorted(data.glob("*.bench.*"))]
    for group in zip_longest(*sets):
        yield from filter(None, group)


def write_article(record: Record, method: str) -> str:
    limits = broadsheet.Limits(max_seconds=math.inf)
    article = broadsheet.extract(record.html, url=record.url, method=method, limits=limits)
    blocks = [(str(block.role), round(block.score, SCORE_DIGITS), block.text) for block in article.blocks]
    return json.dumps({"id": record.id, "article": article.to_dict(), "html": article.html, "blocks": blocks})


def name_file(folder: Path, method: str) -> Path:
    return folder / f"{method}.jsonl.gz"


def save(records: list[Record], method: str, folder: Path) -> None:
    with gzip.open(name_file(folder, method), "wt", compresslevel=1) as file:
        for record in records:
            file.write(write_article(record, method) + "\n")


def compare(records: list[Record], method: str, folder: Path) -> int:
    differences = 0
    with gzip.open(name_file(folder, method), "rt") as file:
        for record, line in zip(records, file, strict=False):
            before, after = json.loads(line), json.loads(write_article(record, method))
            if before != after:
                differences += 1
                if differences <= SHOWN_DIFFERENCES:
                    print(f"{method} {record.id}: {describe(before, after)}")
    return differences


def describe(before: dict[str, object], after: dict[str, object], path: str = "") -> str:
    """Name the first value that differs."""
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if old != new:
            if isinstance(old, dict) and isinstance(new, dict):
                return describe(old, new, f"{path}{key}.")
            return f"{path}{key}: {str(old)[:200]!r} -> {str(new)[:200]!r}"
    return ""


if __name__ == "__main__":
    sys.exit(main())

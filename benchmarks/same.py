"""Compare the output of all methods before and after a change that must not alter it.

    python benchmarks/same.py save before/       # on the old code
    python benchmarks/same.py compare before/    # on the new code: prints each difference, exit code 1 if there is one

The pages are 500 of the bench sets and all of the dev sets; a page that occurs in two sets counts once. The output is
the record with Markdown, HTML, body and blocks, and the score of every block. Scores may differ by 1e-5, numbers that
the record rounds by one unit of their last digit, and everything else must be equal. If the code can extract single
fields, the text alone must equal the text of the full record. The output contains page text: do not commit it.

Plain Python gives the same output: set BROADSHEET_PURE=1 for `compare`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from itertools import islice, repeat, zip_longest
from pathlib import Path
from typing import Any

import broadsheet
from broadsheet.corpora import Record, read_corpus
from broadsheet.errors import UsageError
from broadsheet.methods import load_method, published_methods

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BENCH_PAGES = 500
PAGES_PER_TASK = 8
SHOWN_CHARS = 200  # of a value that differs
SCORE_TOLERANCE = 1e-5
ROUNDED_TOLERANCE = 1.01e-4  # the record rounds confidences and scores to 4 digits
INCLUDED = ("markdown", "html", "body", "blocks")
VERSION = "broadsheet_version"  # changes with every release
HAS_FIELDS = "fields" in {field.name for field in fields(broadsheet.ExtractOptions)}
NO_TIME_LIMIT = broadsheet.Limits(max_seconds=math.inf)


@dataclass(frozen=True, slots=True)
class Task:
    """A page, the method to run on it, and the output to compare with: "" to save it."""

    page: Record
    method: str
    reference: str = ""


def main() -> int:
    options = parse_options()
    pages = choose_pages(options.data, options.sets.split(",") if options.sets else None)[: options.pages]
    methods = [method for method in options.methods.split(",") if can_load(method)]
    run = save if options.action == "save" else compare
    differences = sum([run(pages, method, options.folder, options.workers) for method in methods])
    print(
        f"{differences} outputs differ" if differences else f"{options.action}: {len(methods)} methods, no differences"
    )
    return int(differences > 0)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    methods = (*broadsheet.methods(), *published_methods())
    parser.add_argument("action", choices=("save", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR", help="folder with *.bench.* and *.dev.*")
    parser.add_argument("--sets", metavar="SET,...", help="only these sets, such as wcxb.dev; default: all")
    parser.add_argument("--pages", type=int, metavar="N", help="only N pages, of all sets in turn; default: all")
    parser.add_argument("--methods", default=",".join(methods), metavar="NAME,...", help="default: all")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of processes; default: 1")
    return parser.parse_args()


def can_load(method: str) -> bool:
    """Load a method, and print the reason if it cannot be loaded, such as missing weights."""
    try:
        load_method(method)
    except UsageError as error:
        print(f"{method} is left out: {error}", flush=True)
        return False
    return True


def choose_pages(data: Path, sets: list[str] | None) -> list[Record]:
    """Return pages of the bench sets and all pages of the dev sets in turn, each page once."""
    bench = [read_corpus(path) for path in find_files(data, "bench", sets)]
    seen: set[str | bytes] = set()
    dev = [list(skip_seen(read_corpus(path), seen)) for path in find_files(data, "dev", sets)]
    return list(take_in_turn([islice(take_in_turn(bench), BENCH_PAGES), take_in_turn(dev)]))


def find_files(data: Path, split: str, sets: list[str] | None) -> list[Path]:
    """Return the files of the sets; those of `desk` last, because they repeat pages of the others."""
    paths = [path for path in data.glob(f"*.{split}.*") if sets is None or path.name.split(".jsonl")[0] in sets]
    return sorted(paths, key=lambda path: (path.name.startswith("desk."), path.name))


def skip_seen(pages: Iterable[Record], seen: set[str | bytes]) -> Iterator[Record]:
    for page in pages:
        if page.html not in seen:
            seen.add(page.html)
            yield page


def take_in_turn(sets: Iterable[Iterable[Record]]) -> Iterator[Record]:
    """Yield one page of each set in turn, so that any number of pages covers all sets."""
    for group in zip_longest(*sets):
        yield from filter(None, group)


def save(pages: list[Record], method: str, folder: Path, workers: int) -> int:
    """Write the output of a method. The file gets its name when it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    part = name_file(folder, method).with_suffix(".part")
    with gzip.open(part, "wt", compresslevel=1) as file:
        for page, output in zip(pages, run_tasks([Task(page, method) for page in pages], workers), strict=True):
            file.write(f"{page.id}\t{output}\n")
    part.rename(name_file(folder, method))
    print(f"{method}: saved {len(pages)} pages", flush=True)
    return 0


def compare(pages: list[Record], method: str, folder: Path, workers: int) -> int:
    """Print each page whose output differs from the saved one, with the first such value; return their number."""
    tasks = list(find_references(pages, method, folder))
    missing = f", {len(pages) - len(tasks)} are not in {folder}" if len(tasks) < len(pages) else ""
    count = 0
    for task, difference in zip(tasks, run_tasks(tasks, workers), strict=True):
        if difference:
            count += 1
            print(f"{method} {task.page.id}: {difference}", flush=True)
    print(f"{method}: {count} of {len(tasks)} pages differ{missing}", flush=True)
    return count


def name_file(folder: Path, method: str) -> Path:
    return folder / f"{method}.jsonl.gz"


def find_references(pages: list[Record], method: str, folder: Path) -> Iterator[Task]:
    """Yield the pages that have saved output, with that output."""
    by_id = {page.id: page for page in pages}
    with gzip.open(name_file(folder, method), "rt") as file:
        for line in file:
            page_id, _, output = line.partition("\t")
            if page_id in by_id:
                yield Task(by_id[page_id], method, output)


def run_tasks(tasks: list[Task], workers: int) -> Iterator[str]:
    """Yield the output of each task, or its difference from the reference."""
    if workers == 1:
        yield from map(run_task, tasks)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(run_task, tasks, chunksize=PAGES_PER_TASK)


def run_task(task: Task) -> str:
    page = task.page
    article = broadsheet.extract(page.html, url=page.url, method=task.method, limits=NO_TIME_LIMIT)
    scores = [block.score for block in article.blocks]
    output = json.dumps({"record": article.to_dict(include=INCLUDED), "scores": scores})
    if not task.reference:
        return output
    return find_difference(json.loads(task.reference), json.loads(output)) or check_text(task, article.text)


def check_text(task: Task, full_text: str) -> str:
    """Compare the text with the one that is extracted without other fields; return the difference or ""."""
    if not HAS_FIELDS:
        return ""
    options: dict[str, Any] = {"method": task.method, "limits": NO_TIME_LIMIT, "fields": ("text",)}
    text = broadsheet.extract(task.page.html, url=task.page.url, **options).text
    return find_change(full_text, text, "text of fields=('text',)", 0)


def find_difference(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the first value that differs, or ""."""
    after["record"][VERSION] = before["record"][VERSION]
    return find_change(before["record"], after["record"], "", ROUNDED_TOLERANCE) or find_change(
        before["scores"], after["scores"], "scores", SCORE_TOLERANCE
    )


def find_change(before: Any, after: Any, name: str, tolerance: float) -> str:
    """Return the name and both values of the first change within two JSON values, or ""."""
    if before == after:
        return ""
    if isinstance(before, float) and isinstance(after, float) and abs(before - after) <= tolerance:
        return ""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = sorted({**before, **after})
        names = [f"{name}.{key}".lstrip(".") for key in keys]
        return find_first_change(map(before.get, keys), map(after.get, keys), names, tolerance)
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return find_first_change(before, after, (f"{name}[{index}]" for index in range(len(before))), tolerance)
    return f"{name}: {shorten_change(before, after)}"


def find_first_change(before: Iterable[Any], after: Iterable[Any], names: Iterable[str], tolerance: float) -> str:
    changes = map(find_change, before, after, names, repeat(tolerance))
    return next(filter(None, changes), "")


def shorten_change(before: Any, after: Any) -> str:
    """Write two values from the first character that differs."""
    old, new = repr(before), repr(after)
    start = next((index for index, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    first = max(start - 20, 0)
    return f"{old[first : first + SHOWN_CHARS]} -> {new[first : first + SHOWN_CHARS]} (from character {start})"


if __name__ == "__main__":
    sys.exit(main())

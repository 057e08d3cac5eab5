"""The five papers: tables as published, as shipped, and as printed in the paper, with the claims that hold.

    make papers              or    python -m benchmarks.papers --write      all five, into docs/methods/*.md
    make papers-quick        or    python -m benchmarks.papers --check      a few pages, compared with quick.md
    python -m benchmarks.papers twcem stadynot                              some of them, printed

Nothing is trained. The published network of SemText is not shipped: `make papers-train` trains it, and its rows are
left out before. Parameter sweeps and single departures: python -m benchmarks.papers.stadynot, .twcem, .visual.

A page of docs/methods has a table of this command between two markers, which name the paper and the table:

    <!-- papers: twcem cleaneval -->
    <!-- end -->
"""

from __future__ import annotations

import difflib
import io
import logging
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.harness import Data, make_parser
from benchmarks.papers.tables import LEFT_OUT

PAPERS = ("stadynot", "twcem", "visual", "semtext", "gcn")
CHECKED = ("stadynot", "twcem", "visual")  # whose tables are in quick.md: no time, and the same on every machine
QUICK_PAGES = 6  # of each set
QUICK = Path(__file__).with_name("quick.md")
PAGES = Path(__file__).parents[2] / "docs" / "methods"
_MARKED = re.compile(r"(<!-- papers: (\S+) (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

PrintTable = Callable[[Data], None]


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("papers", nargs="*", choices=[*PAPERS, []], default=[])  # []: argparse checks the default
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_PAGES} pages of each set")
    parser.add_argument("--write", action="store_true", help="write the tables into the pages of the methods")
    parser.add_argument("--check", action="store_true", help=f"compare the quick tables with {QUICK.name}")
    parser.add_argument("--accept", action="store_true", help=f"write the quick tables into {QUICK.name}")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(
            f"{options.data} does not exist: the tables need the labelled pages (docs/lab/index.md#data); "
            "name their folder: make papers DATA=DIR"
        )
    logging.disable()  # boilerpy3 logs an error for every other page
    is_quick = options.quick or options.check or options.accept
    data = Data(options.data, options.pages or (QUICK_PAGES if is_quick else None))
    if options.check or options.accept:
        compare_quick(data, is_accepted=options.accept)
        return
    if options.write:
        for name in options.papers or (*PAPERS, "index"):
            write_page(PAGES / f"{name}.md", data)
        return
    for name in options.papers or PAPERS:
        for print_table in list_tables(name).values():
            print_table(data)


def list_tables(name: str, *, with_slow: bool = True) -> dict[str, PrintTable]:
    """Return the tables of a paper by name, with those that are not compared on a few pages."""
    module = import_module(f"benchmarks.papers.{name}")
    tables: dict[str, PrintTable] = module.TABLES
    return tables | getattr(module, "SLOW_TABLES", {}) if with_slow else tables


def capture(print_table: Callable[[], None]) -> str:
    """Return what a function prints."""
    output = io.StringIO()
    with redirect_stdout(output):
        print_table()
    return output.getvalue().strip() + "\n"


def write_page(path: Path, data: Data) -> None:
    """Replace the tables of a page between its markers. Exits with a message for a marker without a table."""

    def replace_table(match: re.Match[str]) -> str:
        tables = list_tables(match[2])
        if match[3] not in tables:
            sys.exit(f"{path}: no table {match[3]!r}; those of {match[2]}: {', '.join(tables)}")
        print(f"{path.name}: {match[3]}", flush=True)
        table = capture(partial(tables[match[3]], data))
        if any(line.startswith(LEFT_OUT) for line in table.splitlines()):
            print(f"{path.name}: {match[3]} stays as it is: make papers-train trains the networks of some rows")
            return match[0]
        return f"{match[1]}\n{table}\n{match[4]}"

    text = path.read_text("utf-8")
    path.write_text(_MARKED.sub(replace_table, text), "utf-8")


def compare_quick(data: Data, *, is_accepted: bool) -> None:
    """Compare the tables of a few pages with those that are committed. Exits with 1 and the differences."""
    sections = [
        f"## {name}, {table}\n\n{capture(partial(print_table, data))}"
        for name in CHECKED
        for table, print_table in list_tables(name, with_slow=False).items()
    ]
    text = f"# Tables of the first {QUICK_PAGES} pages of each set\n\n" + "\n".join(sections)
    if is_accepted:
        QUICK.write_text(text, "utf-8")
        return
    expected = QUICK.read_text("utf-8") if QUICK.exists() else ""
    if expected != text:
        before, after = expected.splitlines(), text.splitlines()
        print("\n".join(difflib.unified_diff(before, after, QUICK.name, "now", lineterm="", n=0)))
        sys.exit("the tables have changed; if that is right: python -m benchmarks.papers --accept, then make papers")
    print(f"{len(sections)} tables are as in {QUICK.name}")


if __name__ == "__main__":
    main()

"""Instructions of the processor per page, which do not depend on other load on the machine.

    make instructions          or          python benchmarks/instructions.py
    python benchmarks/instructions.py --write     accept the numbers: give the reason in the commit

Counts the instructions for 30 pages of `benchmarks/sample_pages.py`, the text alone and all fields, with valgrind's
callgrind, and compares them with benchmarks/instructions.json. Exit code 1 if one is more than 5 % above. Numbers of
another Python or processor cannot be compared and are only printed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import broadsheet
from benchmarks.harness import Table
from benchmarks.sample_pages import make_pages
from benchmarks.speed_parts import ALL_FIELDS, TEXT, open_broadsheet
from broadsheet.kernel import is_compiled

ACCEPTED = Path(__file__).with_name("instructions.json")
TOLERANCE = 0.05
PAGES = 30
WARM_UP_PAGES = 3  # not counted; they load the method and its weights
MEASURED = {"text only": TEXT, "all fields": ALL_FIELDS}
MARK = "getppid"  # callgrind writes its counter at every call of this C function, which nothing else here calls
TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)
# The same hashes and one thread: the same instructions in every run.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="accept the numbers of this version")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)  # the program that is counted, on a folder of pages
    options = parser.parse_args()
    if options.run:
        extract_pages([path.read_text("utf-8") for path in sorted(options.run.glob("*.html"))])
        return 0
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed")
    counts = count_instructions()
    if options.write:
        ACCEPTED.write_text(json.dumps({"made_with": describe_platform(), **counts}, indent=2) + "\n")
    return compare_counts(counts, json.loads(ACCEPTED.read_text()))


def extract_pages(pages: list[str]) -> None:
    """Extract the pages, with a mark before and after each kind of work."""
    limits = broadsheet.Limits(max_seconds=math.inf)
    extractors = [open_broadsheet(columns, limits=limits) for columns in MEASURED.values()]
    for extract in extractors:
        for html in pages[:WARM_UP_PAGES]:
            extract(html, None)
    os.getppid()
    for extract in extractors:
        for html in pages:
            extract(html, None)
        os.getppid()


def count_instructions() -> dict[str, int]:
    """Return the mean number of instructions per page for each kind of work."""
    with TemporaryDirectory() as folder:
        for number, page in enumerate(make_pages(PAGES)):
            Path(folder, f"{number:02}.html").write_text(page, "utf-8")
        output = Path(folder, "callgrind")
        run_callgrind(folder, output)
        # The first file has the start and the warm-up, the last one the end of the program.
        files = [output.with_suffix(f".{number}") for number in range(2, len(MEASURED) + 2)]
        return {name: read_total(path) // PAGES for name, path in zip(MEASURED, files, strict=True)}


def run_callgrind(folder: str, output: Path) -> None:
    """Run this program on a folder of pages; callgrind writes a file at each mark."""
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", f"--dump-before={MARK}"]
    environment = ENVIRONMENT | {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [*valgrind, sys.executable, __file__, "--run", folder]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(result.stderr)


def read_total(path: Path) -> int:
    """Return the number of instructions in a file of callgrind."""
    total = TOTAL.search(path.read_text())
    if not total:
        sys.exit(f"{path}: callgrind wrote no total")
    return int(total[1])


def compare_counts(counts: dict[str, int], accepted: dict[str, int | str]) -> int:
    """Print the counts beside the accepted ones; return 1 if one is too high."""
    if accepted["made_with"] != describe_platform():
        print(f"{ACCEPTED.name} was made with {accepted['made_with']}; here is {describe_platform()}: not compared")
        print("\n".join(f"{name}: {count:,} instructions per page" for name, count in counts.items()))
        return 0
    table = Table("instructions per page", "accepted", "now", "change")
    changes = {name: count / int(accepted[name]) - 1 for name, count in counts.items()}
    for name, change in changes.items():
        table.add(name, f"{accepted[name]:,}", f"{counts[name]:,}", f"{change:+.1%}")
    if max(changes.values()) > TOLERANCE:
        print(f"\nmore than {TOLERANCE:.0%} above the accepted numbers; if there is a reason: --write")
        return 1
    if min(changes.values()) < -TOLERANCE:
        print(f"\nmore than {TOLERANCE:.0%} below the accepted numbers; accept the new ones: --write")
    return 0


def describe_platform() -> str:
    """Return what the numbers depend on, besides the program."""
    kind = "compiled" if is_compiled() else "plain Python"
    return f"Python {platform.python_version()} ({platform.python_compiler()}, {platform.machine()}), {kind}"


if __name__ == "__main__":
    sys.exit(main())

"""The gate: minimum figures (floors) that every change must keep.

    python benchmarks/gate.py benchmarks/gate.json FOLDER_OF_LABELLED_PAGES

`gate.json` has a row for each floor: file, limit (pages, or null for all), method, measure, floor. The exit code is 1
when a figure is below its floor, and 2 when a figure could not be measured. `--raise` raises floors to just below the
measured figures. It never lowers a floor: that is done by hand, in a separate commit with the reason.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.evaluation.figures import MEASURES, estimate_measure
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

RAISE_MARGIN = 0.002  # of a raised floor below the figure, to allow for rounding and other platforms


@dataclass(frozen=True, slots=True)
class Floor:
    """The minimum of a figure."""

    file: str
    limit: int | None  # pages; None: all
    method: str
    measure: str
    floor: float


@dataclass(frozen=True, slots=True)
class FloorResult:
    """A floor and the measured figure."""

    floor: Floor
    figure: float | None  # None: no page has the label

    @property
    def is_kept(self) -> bool:
        """Whether the figure reaches the floor."""
        return self.figure is not None and self.figure >= self.floor.floor


def check_floors(floors: Sequence[Floor], data: Path) -> list[FloorResult]:
    """Measure the figure of every floor, without a cache.

    Raises UsageError, before anything is measured, for an unknown file or measure.
    """
    _check_names(floors, data)
    results: dict[Floor, FloorResult] = {}
    for file, limit in dict.fromkeys((floor.file, floor.limit) for floor in floors):
        group = [floor for floor in floors if (floor.file, floor.limit) == (file, limit)]
        lineup = find_contenders([floor.method for floor in group], [])
        with open_store(None) as store:
            evaluation = run_evaluation([data / file], lineup, store, RunOptions(limit, with_memory=False))
        if evaluation.missing:
            raise BroadsheetError("; ".join(evaluation.missing))
        for floor in group:
            estimate = estimate_measure(MEASURES[floor.measure], evaluation.get_columns(floor.method), rounds=0)
            results[floor] = FloorResult(floor, estimate.value if estimate else None)
    return [results[floor] for floor in floors]


def read_floors(path: Path) -> list[Floor]:
    """Read a gate file. Raises UsageError if it is not one."""
    try:
        return [Floor(**row) for row in json.loads(path.read_text(encoding="utf-8"))["floors"]]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path}: not a gate file ({type(error).__name__}: {error})") from error


def raise_floors(results: Sequence[FloorResult]) -> list[Floor]:
    """Raise each floor to just below its figure. No floor is lowered."""
    return [
        replace(result.floor, floor=max(result.floor.floor, _round_down(result.figure - RAISE_MARGIN)))
        if result.figure is not None
        else result.floor
        for result in results
    ]


def write_floors(path: Path, floors: Sequence[Floor]) -> None:
    """Write a gate file with one line for each floor, so that a diff shows which floors changed."""
    rows = ",\n".join(f"  {json.dumps(asdict(floor))}" for floor in floors)
    with write_atomically(path) as file:
        file.write(f'{{"floors": [\n{rows}\n]}}\n')


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the floors and print a line for each."""
    parser = argparse.ArgumentParser(prog="python benchmarks/gate.py", description="Check quality floors.")
    parser.add_argument("gate", type=Path, help="file of floors, such as benchmarks/gate.json")
    parser.add_argument("data", type=Path, help="folder of the labelled pages that it names")
    parser.add_argument("--raise", dest="is_raising", action="store_true", help="raise floors to the measured figures")
    options = parser.parse_args(arguments)
    try:
        results = check_floors(read_floors(options.gate), options.data)
    except BroadsheetError as error:
        print(f"gate: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    for result in results:
        print(_format_result(result))
    if options.is_raising:
        write_floors(options.gate, raise_floors(results))
    return 0 if all(result.is_kept for result in results) else 1


def _check_names(floors: Sequence[Floor], data: Path) -> None:
    for floor in floors:
        if not (data / floor.file).exists():
            raise UsageError(f"no such file: {data / floor.file}; is {data} the folder of the labelled pages?")
        if floor.measure not in MEASURES:
            raise UsageError(f"unknown measure {floor.measure!r}; known: {', '.join(MEASURES)}")


def _format_result(result: FloorResult) -> str:
    floor = result.floor
    figure = "no label" if result.figure is None else f"{result.figure:.4f}"
    state = "ok  " if result.is_kept else "FAIL"
    return f"{state}  {floor.file:<32} {floor.method:<10} {floor.measure:<14} {figure:>8}  floor {floor.floor:.4f}"


def _round_down(value: float) -> float:
    return math.floor(value * 1000) / 1000


if __name__ == "__main__":
    sys.exit(main())

"""The gate: floors that no change may fall through.

    python -m broadsheet.evaluation.gate benchmarks/gate.json ../shared/data

`gate.json` has a row for each floor: file, limit (pages, or null for all), method, measure, floor. Exit code 1 when a
figure is below its floor, 2 when one could not be measured. `--raise` lifts floors to just below what was measured, and
never lowers one: that is done by hand, in a commit of its own with the reason.
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
from broadsheet.evaluation.intervals import estimate
from broadsheet.evaluation.report.digest import columns_of
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store
from broadsheet.evaluation.summary import MEASURES

MARGIN = 0.002  # a raised floor stands so far below the figure: rounding and other platforms must not trip it


@dataclass(frozen=True, slots=True)
class Floor:
    """A figure that must be reached."""

    file: str
    limit: int | None
    method: str
    measure: str
    floor: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """A floor and what was measured; None when no page has the label."""

    floor: Floor
    figure: float | None

    @property
    def is_kept(self) -> bool:
        """Whether the figure reaches its floor."""
        return self.figure is not None and self.figure >= self.floor.floor


def check_floors(floors: Sequence[Floor], data: Path) -> list[Verdict]:
    """Measure every floor's figure. Nothing is taken from a cache.

    Raises UsageError, before anything is measured, for a file or a measure that is not there.
    """
    _check_names(floors, data)
    verdicts: dict[Floor, Verdict] = {}
    for file, limit in dict.fromkeys((floor.file, floor.limit) for floor in floors):
        here = [floor for floor in floors if (floor.file, floor.limit) == (file, limit)]
        lineup = find_contenders([floor.method for floor in here], [])
        with open_store(None) as store:
            results = run_evaluation([data / file], lineup, store, RunOptions(limit, with_memory=False))
        if results.missing:
            raise BroadsheetError("; ".join(results.missing))
        for floor in here:
            found = estimate(MEASURES[floor.measure], columns_of(results, floor.method), rounds=0)
            verdicts[floor] = Verdict(floor, found.value if found else None)
    return [verdicts[floor] for floor in floors]


def read_floors(path: Path) -> list[Floor]:
    """Read the floors of a gate file. Raises UsageError for what is none."""
    try:
        return [Floor(**row) for row in json.loads(path.read_text(encoding="utf-8"))["floors"]]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path}: not a file of floors ({type(error).__name__}: {error})") from error


def raise_floors(verdicts: Sequence[Verdict]) -> list[Floor]:
    """Lift each floor to just below its figure; none is lowered."""
    return [
        replace(verdict.floor, floor=max(verdict.floor.floor, _round_down(verdict.figure - MARGIN)))
        if verdict.figure is not None
        else verdict.floor
        for verdict in verdicts
    ]


def write_floors(path: Path, floors: Sequence[Floor]) -> None:
    """Write a gate file, one row a line so that a change of one floor is a change of one line."""
    rows = ",\n".join(f"  {json.dumps(asdict(floor))}" for floor in floors)
    with write_atomically(path) as file:
        file.write(f'{{"floors": [\n{rows}\n]}}\n')


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the floors and say how each fared."""
    parser = argparse.ArgumentParser(prog="python -m broadsheet.evaluation.gate", description="Check quality floors.")
    parser.add_argument("gate", type=Path, help="file of floors, such as benchmarks/gate.json")
    parser.add_argument("data", type=Path, help="folder of the labelled pages that it names")
    parser.add_argument("--raise", dest="is_raising", action="store_true", help="lift floors to what was measured")
    options = parser.parse_args(arguments)
    try:
        verdicts = check_floors(read_floors(options.gate), options.data)
    except BroadsheetError as error:
        print(f"gate: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    for verdict in verdicts:
        print(_say(verdict))
    if options.is_raising:
        write_floors(options.gate, raise_floors(verdicts))
    return 0 if all(verdict.is_kept for verdict in verdicts) else 1


def _check_names(floors: Sequence[Floor], data: Path) -> None:
    for floor in floors:
        if not (data / floor.file).exists():
            raise UsageError(f"no such file: {data / floor.file}; is {data} the folder of the labelled pages?")
        if floor.measure not in MEASURES:
            raise UsageError(f"unknown measure {floor.measure!r}; known: {', '.join(MEASURES)}")


def _say(verdict: Verdict) -> str:
    floor = verdict.floor
    figure = "no label" if verdict.figure is None else f"{verdict.figure:.4f}"
    state = "ok  " if verdict.is_kept else "FELL"
    return f"{state}  {floor.file:<32} {floor.method:<10} {floor.measure:<14} {figure:>8}  floor {floor.floor:.4f}"


def _round_down(value: float) -> float:
    return math.floor(value * 1000) / 1000


if __name__ == "__main__":
    sys.exit(main())

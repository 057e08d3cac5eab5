"""Compare a method before and after training on the same pages: figures, differences, and the paired test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.evaluation.contenders import Contender, find_contenders
from broadsheet.evaluation.figures import MEASURES, compare_measure, estimate_measure
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

_MEASURES = ("word_f1", "shingle_f1", "block_f1", "title", "date", "authors")
_ROW = "{:<12} {:>6} {:>7} {:>7} {:>8}  {:<17} {}"


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """A measure before and after, on the same pages."""

    name: str
    label: str
    pages: int
    before: float
    after: float
    change: float
    low: float  # of the 95 % interval of the change
    high: float
    p_value: float
    is_significant: bool


def compare_weights(
    pages: Path, after: Path, before: Path | None, on_page: Callable[[int], None]
) -> list[MeasureChange]:
    """Evaluate weights on labelled pages. `before` is None for the shipped weights."""
    lineup = find_contenders((), (), [after] if before is None else [before, after])
    if before is not None:  # the shipped weights are not compared
        lineup = type(lineup)(tuple(contender for contender in lineup.contenders if contender.weights), lineup.missing)
    with open_store(None) as store:
        results = run_evaluation([pages], lineup, store, RunOptions(with_memory=False), on_page)
    first, second = lineup.contenders
    return list(_list_changes(results, first, second))


def _list_changes(results: Results, before: Contender, after: Contender) -> Iterator[MeasureChange]:
    old, new = results.get_columns(before.name), results.get_columns(after.name)
    for name in _MEASURES:
        measure = MEASURES[name]
        difference = compare_measure(measure, new, old)
        first, second = estimate_measure(measure, old, rounds=0), estimate_measure(measure, new, rounds=0)
        if difference is None or first is None or second is None:
            continue
        yield MeasureChange(
            name=name,
            label=measure.label,
            pages=difference.pages,
            before=first.value,
            after=second.value,
            change=difference.value,
            low=difference.low,
            high=difference.high,
            p_value=difference.p_value,
            is_significant=difference.is_significant,
        )


def write_table(changes: Sequence[MeasureChange]) -> list[str]:
    """Return the lines of a table of changes."""
    return [
        _ROW.format("", "pages", "before", "after", "change", "95 % interval", "").rstrip(),
        *map(_write_row, changes),
    ]


def _write_row(row: MeasureChange) -> str:
    verdict = "significant" if row.is_significant else "not significant"
    return _ROW.format(
        row.label,
        row.pages,
        f"{row.before:.3f}",
        f"{row.after:.3f}",
        f"{row.change:+.3f}",
        f"[{row.low:+.3f}, {row.high:+.3f}]",
        f"p={row.p_value:.3f}, {verdict}",
    )

"""Compare a method before and after training on the same pages: figures, differences, and the paired test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from broadsheet.evaluation.contenders import Contender, find_contenders
from broadsheet.evaluation.intervals import compare_measure, estimate_measure
from broadsheet.evaluation.measure_table import MEASURES
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

_MEASURES = ("word_f1", "shingle_f1", "block_f1", "title", "date", "authors")
_ROW = "{:<12} {:>6} {:>7} {:>7} {:>8}  {:<17} {}"


def compare_weights(pages: Path, after: Path, before: Path | None, on_page: Callable[[int], None]) -> list[str]:
    """Evaluate weights on labelled pages; return the lines of a table. `before` is None for the shipped weights."""
    lineup = find_contenders((), (), [after] if before is None else [before, after])
    if before is not None:  # the shipped weights are not compared
        lineup = type(lineup)(tuple(contender for contender in lineup.contenders if contender.weights), lineup.missing)
    with open_store(None) as store:
        results = run_evaluation([pages], lineup, store, RunOptions(with_memory=False), on_page)
    first, second = lineup.contenders
    return [
        _ROW.format("", "pages", "before", "after", "change", "95 % interval", "").rstrip(),
        *_list_rows(results, first, second),
    ]


def _list_rows(results: Results, before: Contender, after: Contender) -> list[str]:
    rows = []
    old, new = results.get_columns(before.name), results.get_columns(after.name)
    for name in _MEASURES:
        measure = MEASURES[name]
        difference = compare_measure(measure, new, old)
        first, second = estimate_measure(measure, old, rounds=0), estimate_measure(measure, new, rounds=0)
        if difference is None or first is None or second is None:
            continue
        verdict = "significant" if difference.is_significant else "not significant"
        rows.append(
            _ROW.format(
                measure.label,
                difference.pages,
                f"{first.value:.3f}",
                f"{second.value:.3f}",
                f"{difference.value:+.3f}",
                f"[{difference.low:+.3f}, {difference.high:+.3f}]",
                f"p={difference.p_value:.3f}, {verdict}",
            )
        )
    return rows

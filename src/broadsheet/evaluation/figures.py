"""Figures of a set of pages: the table of measures, bootstrap intervals, and paired tests between contenders.

Intervals are 95 % percentile bootstrap intervals over pages (Efron and Tibshirani 1993). Tests are approximate
randomisation tests (Noreen 1989): the two contenders' rows are swapped on random pages, and the p-value is the share of
rounds in which the difference is at least as large as the measured one. Both are seeded and pages are sorted by id, so
the same results give the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.evaluation.contenders import Contender

Numbers = NDArray[np.float64]  # one number, or one for each bootstrap round
Means = Mapping[str, Numbers]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a set of pages, computed from the means of columns over the pages that have all of them."""

    name: str
    label: str
    columns: tuple[str, ...]
    combine: Callable[[Means], Numbers]
    description: str = ""
    is_lower_better: bool = False

    @property
    def name_in_text(self) -> str:
        """The label as written inside a sentence."""
        return self.label[0].lower() + self.label[1:]


def _mean(column: str) -> Callable[[Means], Numbers]:
    return lambda means: means[column]


def _f1_of(precision: str, recall: str) -> Callable[[Means], Numbers]:
    return lambda means: _harmonic(means[precision], means[recall])


def _harmonic(left: Numbers, right: Numbers) -> Numbers:
    return _divide(2 * left * right, left + right)


def _divide(part: Numbers, whole: Numbers) -> Numbers:
    return np.divide(part, whole, out=np.zeros_like(np.asarray(part, dtype=np.float64)), where=np.asarray(whole) != 0)


def _precision(name: str) -> Callable[[Means], Numbers]:
    return lambda means: _divide(means[f"{name}_right"], means[f"{name}_right"] + means[f"{name}_extra"])


def _recall(name: str) -> Callable[[Means], Numbers]:
    return lambda means: _divide(means[f"{name}_right"], means[f"{name}_right"] + means[f"{name}_missed"])


def _pooled_f1(name: str) -> Callable[[Means], Numbers]:
    return lambda means: _harmonic(_precision(name)(means), _recall(name)(means))


def _micro_f1(means: Means) -> Numbers:
    """Return F1 with both classes pooled, which is the share of correct nodes."""
    total = means["node_right"] + means["node_extra"] + means["node_missed"] + means["node_left_out"]
    return _divide(means["node_right"] + means["node_left_out"], total)


def _macro(figure: Callable[[Means], Numbers]) -> Callable[[Means], Numbers]:
    """Average a figure over both classes, as `average="macro"` of scikit-learn does."""

    def combine(means: Means) -> Numbers:
        opposites = {"right": "left_out", "extra": "missed", "missed": "extra", "left_out": "right"}
        negative = {f"node_{name}": means[f"node_{opposite}"] for name, opposite in opposites.items()}
        return (figure(means) + figure(negative)) / 2

    return combine


def _list_counts(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{part}" for part in ("right", "extra", "missed", "left_out"))


_SHINGLE = ("shingle_precision", "shingle_recall")
_BLOCK, _NODE, _SNIPPET = _list_counts("block"), _list_counts("node"), _list_counts("snippet")

_TABLE = (
    Measure("shingle_f1", "Shingle F1", _SHINGLE, _f1_of(*_SHINGLE), "four-word runs; F1 of mean P and mean R"),
    Measure("shingle_precision", "Shingle P", _SHINGLE, _mean("shingle_precision")),
    Measure("shingle_recall", "Shingle R", _SHINGLE, _mean("shingle_recall")),
    Measure("word_f1", "Word F1", ("word_f1",), _mean("word_f1"), "bags of words; mean over pages"),
    Measure("word_precision", "Word P", ("word_precision",), _mean("word_precision")),
    Measure("word_recall", "Word R", ("word_recall",), _mean("word_recall")),
    Measure("rouge_lsum", "ROUGE-LSum", ("rouge_lsum",), _mean("rouge_lsum"), "F1 of common subsequences of lines"),
    Measure("block_f1", "Block F1", _BLOCK, _pooled_f1("block"), "blocks, pooled over pages"),
    Measure("block_precision", "Block P", _BLOCK, _precision("block")),
    Measure("block_recall", "Block R", _BLOCK, _recall("block")),
    Measure("node_micro_f1", "Node F1 micro", _NODE, _micro_f1, "elements, both classes pooled; equals P and R"),
    Measure("node_macro_f1", "Node F1 macro", _NODE, _macro(_pooled_f1("node")), "elements, mean of both classes"),
    Measure("node_macro_precision", "Node P macro", _NODE, _macro(_precision("node"))),
    Measure("node_macro_recall", "Node R macro", _NODE, _macro(_recall("node"))),
    Measure("exact", "Exact", ("exact",), _mean("exact"), "share of pages with the same words in the same order"),
    Measure(
        "edit_distance",
        "Edit distance",
        ("edit_distance",),
        _mean("edit_distance"),
        "characters; a substitution costs 2; mean over pages",
        is_lower_better=True,
    ),
    Measure("snippet_f1", "Snippet F1", _SNIPPET, _pooled_f1("snippet"), "snippets that must or must not appear"),
    Measure("snippet_precision", "Snippet P", _SNIPPET, _precision("snippet")),
    Measure("snippet_recall", "Snippet R", _SNIPPET, _recall("snippet")),
    Measure("title", "Title", ("title",), _mean("title"), "share of pages with the same words"),
    Measure("date", "Date", ("date",), _mean("date"), "share of pages with the same day"),
    Measure("authors", "Authors", ("authors",), _mean("authors"), "F1 of the names; mean over pages"),
)
MEASURES = {measure.name: measure for measure in _TABLE}

# The main measure ranks the contenders: the first of these for which the pages have labels.
MAIN_MEASURES = ("shingle_f1", "snippet_f1", "date", "title", "authors")


ROUNDS = 1000
MAX_P_VALUE = 0.05  # of a significant difference
_SEED = 20240229
_MAX_CELLS = 4_000_000  # rounds x pages of one batch of draws


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float
    pages: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The figure of one contender minus that of another on the same pages."""

    value: float
    low: float
    high: float
    p_value: float
    pages: int

    @property
    def is_significant(self) -> bool:
        """Whether the difference is unlikely to be due to chance."""
        return self.p_value < MAX_P_VALUE


def estimate_measure(measure: Measure, rows: Sequence[Mapping[str, float]], *, rounds: int = ROUNDS) -> Estimate | None:
    """Compute a measure over pages, given the columns of each page; None when no page has the measure's columns."""
    values = _select_values(measure, rows)
    if values is None:
        return None
    value = float(_combine(measure, values.mean(axis=0)))
    if not rounds or len(values) < 2:
        return Estimate(value, value, value, len(values))
    draws = np.concatenate(
        [_combine(measure, weights @ values / len(values)) for weights in _draw_weights(len(values), rounds)]
    )
    low, high = np.percentile(draws, (2.5, 97.5))
    return Estimate(value, float(low), float(high), len(values))


def compare_measure(
    measure: Measure,
    ours: Sequence[Mapping[str, float]],
    theirs: Sequence[Mapping[str, float]],
    *,
    rounds: int = ROUNDS,
) -> Difference | None:
    """Compare two contenders; row i of both is the same page. None when no page has the columns for both."""
    names = set(measure.columns)
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if names <= a.keys() and names <= b.keys()]
    left, right = _select_values(measure, [a for a, _ in pairs]), _select_values(measure, [b for _, b in pairs])
    if left is None or right is None:
        return None
    pages = len(left)
    value = float(_combine(measure, left.mean(axis=0)) - _combine(measure, right.mean(axis=0)))
    draws = [
        _combine(measure, weights @ left / pages) - _combine(measure, weights @ right / pages)
        for weights in _draw_weights(pages, rounds)
    ]
    low, high = np.percentile(np.concatenate(draws), (2.5, 97.5))
    return Difference(value, float(low), float(high), _compute_p_value(measure, left, right, rounds), pages)


def _compute_p_value(measure: Measure, left: Numbers, right: Numbers, rounds: int) -> float:
    """Return the share of random swaps that give a difference at least as large as the measured one."""
    left_mean, right_mean = left.mean(axis=0), right.mean(axis=0)
    measured = abs(float(_combine(measure, left_mean) - _combine(measure, right_mean)))
    as_large = 0
    for swaps in _draw_swaps(len(left), rounds):
        moved = swaps @ (right - left) / len(left)
        differences = _combine(measure, left_mean + moved) - _combine(measure, right_mean - moved)
        as_large += int(np.count_nonzero(np.abs(differences) >= measured - 1e-12))
    return (as_large + 1) / (rounds + 1)


def _select_values(measure: Measure, rows: Sequence[Mapping[str, float]]) -> Numbers | None:
    """Return the measure's columns of the pages that have them all, as an array (pages, columns)."""
    values = [[row[name] for name in measure.columns] for row in rows if all(name in row for name in measure.columns)]
    return np.array(values, dtype=np.float64) if values else None


def _combine(measure: Measure, means: Numbers) -> Numbers:
    """Compute a measure of means: (columns) to a number, or (rounds, columns) to (rounds)."""
    return measure.combine({name: means[..., at] for at, name in enumerate(measure.columns)})


def _draw_weights(pages: int, rounds: int) -> Iterator[Numbers]:
    """Draw pages with replacement; yields batches (rounds, pages) of how often each page was drawn."""
    random = np.random.default_rng(_SEED)
    for count in _split_rounds(pages, rounds):
        drawn: NDArray[np.int64] = random.integers(0, pages, size=(count, pages))
        weights = np.zeros((count, pages))
        np.add.at(weights, (np.arange(count)[:, None], drawn), 1.0)
        yield weights


def _draw_swaps(pages: int, rounds: int) -> Iterator[Numbers]:
    """Draw 0 or 1 for each page; yields batches (rounds, pages)."""
    random = np.random.default_rng(_SEED + 1)
    for count in _split_rounds(pages, rounds):
        yield random.integers(0, 2, size=(count, pages)).astype(np.float64)


def _split_rounds(pages: int, rounds: int) -> Iterator[int]:
    size = max(_MAX_CELLS // max(pages, 1), 1)
    for start in range(0, rounds, size):
        yield min(size, rounds - start)


# Results: the scores of every contender on every page


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The result of one contender on one page."""

    columns: Mapping[str, float]
    error_words: Mapping[str, int]  # "missed caption", "extra comment", ... -> words
    seconds: float
    error: str | None
    run: str  # start time of the run that made the answer


@dataclass(frozen=True, slots=True)
class PageResult:
    """One page with the outcome of each contender, by name."""

    id: str
    path: str  # file or folder from which it was read
    dataset: str
    site: str | None
    lang: str | None
    year: int | None
    page_hash: str
    outcomes: Mapping[str, PageOutcome]


@dataclass(frozen=True, slots=True)
class Results:
    """A whole evaluation, with pages sorted by id."""

    contenders: tuple[Contender, ...]
    pages: tuple[PageResult, ...]
    paths: tuple[Path, ...]  # files and folders from which pages were read
    limit: int | None = None  # pages of each path; None: all
    missing: tuple[str, ...] = ()  # a message for each contender that was skipped
    memory: Mapping[str, float] | None = None  # peak MB by contender
    unscored: tuple[str, ...] = ()  # ids of pages that could not be scored
    answered: int = 0  # answers made in this run; all others came from the cache

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contenders, in order."""
        return tuple(contender.name for contender in self.contenders)

    def get_columns(self, name: str) -> list[Mapping[str, float]]:
        """Return the columns of one contender on each page."""
        return [page.outcomes[name].columns for page in self.pages]

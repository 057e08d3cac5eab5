"""The table of measures: how each is computed from the columns of pages, and how reports name it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

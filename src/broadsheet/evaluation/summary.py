"""Columns of pages to measures of a set: the table of what is reported, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]  # a mean, or one for each resampling
Means = Mapping[str, Numbers]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a set of pages, made of the means of some columns over the pages that have them all."""

    name: str
    label: str
    columns: tuple[str, ...]
    combine: Callable[[Means], Numbers]
    is_lower_better: bool = False
    about: str = ""

    @property
    def name_in_text(self) -> str:
        """Its label as it stands inside a sentence."""
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
    """Both classes pooled: the share of nodes that are right."""
    total = means["node_right"] + means["node_extra"] + means["node_missed"] + means["node_left_out"]
    return _divide(means["node_right"] + means["node_left_out"], total)


def _macro(figure: Callable[[Means], Numbers]) -> Callable[[Means], Numbers]:
    """Mean of a figure of both classes, as scikit-learn's `average="macro"`."""

    def combine(means: Means) -> Numbers:
        turned = {"right": "left_out", "extra": "missed", "missed": "extra", "left_out": "right"}
        negative = {f"node_{name}": means[f"node_{other}"] for name, other in turned.items()}
        return (figure(means) + figure(negative)) / 2

    return combine


def _of(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{part}" for part in ("right", "extra", "missed", "left_out"))


_SHINGLE = ("shingle_precision", "shingle_recall")
_BLOCK, _NODE, _SNIPPET = _of("block"), _of("node"), _of("snippet")

_TABLE = (
    Measure("shingle_f1", "Shingle F1", _SHINGLE, _f1_of(*_SHINGLE), about="four-word runs; F1 of mean P and mean R"),
    Measure("shingle_precision", "Shingle P", _SHINGLE, _mean("shingle_precision")),
    Measure("shingle_recall", "Shingle R", _SHINGLE, _mean("shingle_recall")),
    Measure("word_f1", "Word F1", ("word_f1",), _mean("word_f1"), about="bags of words; mean over pages"),
    Measure("word_precision", "Word P", ("word_precision",), _mean("word_precision")),
    Measure("word_recall", "Word R", ("word_recall",), _mean("word_recall")),
    Measure("rouge_lsum", "ROUGE-LSum", ("rouge_lsum",), _mean("rouge_lsum"), about="F1 of subsequences of lines"),
    Measure("block_f1", "Block F1", _BLOCK, _pooled_f1("block"), about="all blocks of all pages alike"),
    Measure("block_precision", "Block P", _BLOCK, _precision("block")),
    Measure("block_recall", "Block R", _BLOCK, _recall("block")),
    Measure(
        "node_micro_f1", "Node F1 micro", _NODE, _micro_f1, about="elements, both classes pooled; P and R are the same"
    ),
    Measure(
        "node_macro_f1", "Node F1 macro", _NODE, _macro(_pooled_f1("node")), about="elements, mean of both classes"
    ),
    Measure("node_macro_precision", "Node P macro", _NODE, _macro(_precision("node"))),
    Measure("node_macro_recall", "Node R macro", _NODE, _macro(_recall("node"))),
    Measure("exact", "Exact", ("exact",), _mean("exact"), about="share of pages with the very same words"),
    Measure("edit_distance", "Edit distance", ("edit_distance",), _mean("edit_distance"), True, "substitution = 2"),
    Measure("snippet_f1", "Snippet F1", _SNIPPET, _pooled_f1("snippet"), about="snippets that must (not) appear"),
    Measure("snippet_precision", "Snippet P", _SNIPPET, _precision("snippet")),
    Measure("snippet_recall", "Snippet R", _SNIPPET, _recall("snippet")),
    Measure("title", "Title", ("title",), _mean("title"), about="same words"),
    Measure("date", "Date", ("date",), _mean("date"), about="same day"),
    Measure("authors", "Authors", ("authors",), _mean("authors"), about="F1 of the names"),
)
MEASURES = {measure.name: measure for measure in _TABLE}

# What a set of pages is judged by: the first of these that its labels allow.
LEADING = ("shingle_f1", "snippet_f1", "date", "title", "authors")

"""Quality of a graph network on labelled graphs: by nodes, as in the paper, and by the words of pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.gcn.refine import keep_longest_group
from broadsheet.methods.gcn.train_data import Graphs

THRESHOLDS = np.arange(0.025, 1.0, 0.025)  # that are tried (section 6)

Scores = NDArray[np.float32]  # (nodes,) or (blocks,): probability of one class


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision, recall and F1 of one class."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class NodeScore:
    """Scores of the positive class, and over both classes."""

    positive: ClassScore
    macro: ClassScore  # mean of both classes
    micro: float  # share of correct nodes: equals micro-averaged precision, recall and F1


def score_nodes(is_true: NDArray[np.bool_], is_predicted: NDArray[np.bool_]) -> NodeScore:
    """Compare predicted with true labels of nodes."""
    hits = int((is_true & is_predicted).sum())
    missed, wrong = int(is_true.sum()) - hits, int(is_predicted.sum()) - hits
    true_negatives = len(is_true) - hits - missed - wrong
    positive, negative = _score_class(hits, wrong, missed), _score_class(true_negatives, missed, wrong)
    macro = ClassScore(
        (positive.precision + negative.precision) / 2,
        (positive.recall + negative.recall) / 2,
        (positive.f1 + negative.f1) / 2,
    )
    return NodeScore(positive, macro, micro=(hits + true_negatives) / max(len(is_true), 1))


def _score_class(hits: int, wrong: int, missed: int) -> ClassScore:
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    recall = hits / (hits + missed) if hits + missed else 0.0
    return ClassScore(precision, recall, 2 * hits / (2 * hits + wrong + missed) if hits + wrong + missed else 0.0)


def find_threshold_by_nodes(
    graphs: Sequence[Graphs], scores: Sequence[Scores], class_number: int = 0, *, text_only: bool = False
) -> float:
    """Return the threshold with the best F1 of nodes (section 6), of text nodes alone if only they were trained."""
    counts = np.concatenate([find_counted_texts(part) if text_only else part.counts > 0 for part in graphs])
    is_true = np.concatenate([part.label[:, class_number] > 0 for part in graphs])[counts]
    node_scores = np.concatenate(scores)[counts]
    return float(max(THRESHOLDS, key=lambda threshold: score_nodes(is_true, node_scores >= threshold).positive.f1))


def score_threshold(graphs: Sequence[Graphs], scores: Sequence[Scores], threshold: float) -> float:
    """Return the F1 of article nodes at a threshold."""
    counts = np.concatenate([part.counts > 0 for part in graphs])
    is_true = np.concatenate([part.label[:, 0] > 0 for part in graphs])[counts]
    return score_nodes(is_true, np.concatenate(scores)[counts] >= threshold).positive.f1


def find_counted_texts(graphs: Graphs) -> NDArray[np.bool_]:
    """Return which nodes are text nodes that count."""
    is_text = np.zeros(len(graphs.tag), bool)
    is_text[graphs.text_row] = True
    return is_text & (graphs.counts > 0)


def find_threshold_by_words(graphs: Sequence[Graphs], scores: Sequence[Scores], gap: float | None) -> float:
    """Return the threshold with the best word F1 of pages, each dataset with the same weight (ours)."""
    blocks = [score_blocks(part, part_scores) for part, part_scores in zip(graphs, scores, strict=True)]
    return float(max(THRESHOLDS, key=lambda threshold: mean(measure_word_f1(graphs, blocks, threshold, gap).values())))


def score_blocks(graphs: Graphs, scores: Scores) -> Scores:
    """Return the scores of blocks: means of their text nodes, weighted by length."""
    is_in_block = graphs.text_block >= 0
    block, length = graphs.text_block[is_in_block], graphs.text_length[is_in_block].astype(np.float64)
    count = len(graphs.block_words)
    sums = np.bincount(block, weights=length * scores[graphs.text_row[is_in_block]], minlength=count)
    return (sums / np.maximum(np.bincount(block, weights=length, minlength=count), 1)).astype(np.float32)


def measure_word_f1(
    graphs: Sequence[Graphs], blocks: Sequence[Scores], threshold: float, gap: float | None
) -> dict[str, float]:
    """Return the mean word F1 of pages for each dataset, a block being right or wrong as a whole.

    `gap` None means that the blocks are not refined.
    """
    by_dataset: dict[str, list[float]] = defaultdict(list)
    for part, scores in zip(graphs, blocks, strict=True):
        for page in range(len(part)):
            rows = slice(int(part.block_start[page]), int(part.block_start[page + 1]))
            by_dataset[part.datasets[page]].append(_score_page(part, rows, scores[rows] >= threshold, gap))
    return {name: mean(values) for name, values in sorted(by_dataset.items())}


def _score_page(graphs: Graphs, rows: slice, is_predicted: NDArray[np.bool_], gap: float | None) -> float:
    words, is_true = graphs.block_words[rows], graphs.block_label[rows, 0] > 0
    if gap is not None:
        is_predicted = refine_blocks(graphs, rows, is_predicted, gap)
    common = int(words[is_true & is_predicted].sum())
    return 2 * common / max(int(words[is_true].sum() + words[is_predicted].sum()), 1)


def refine_blocks(graphs: Graphs, rows: slice, is_predicted: NDArray[np.bool_], gap: float) -> NDArray[np.bool_]:
    """Keep one group of a page's predicted blocks (section 5)."""
    predicted = np.flatnonzero(is_predicted)
    top, bottom, length = graphs.block_extent[rows][predicted].T.tolist() if len(predicted) else ([], [], [])
    is_kept = np.zeros(len(is_predicted), bool)
    is_kept[keep_longest_group(predicted.tolist(), top, bottom, [int(value) for value in length], gap)] = True
    return is_kept

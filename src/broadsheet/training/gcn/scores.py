"""How good a graph network is on labelled graphs: by node, as the paper counts, and by the words of pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.gcn.refine import keep_longest_group
from broadsheet.training.gcn.graphs import Graphs

STEPS = np.arange(0.025, 1.0, 0.025)  # thresholds that are tried (section 6)

Scores = NDArray[np.float32]  # (nodes,): probability of one class


@dataclass(frozen=True, slots=True)
class NodeScore:
    """Precision, recall and F1 of the positive class, and means over both classes (macro)."""

    precision: float
    recall: float
    f1: float
    micro: float  # precision, recall and F1 in one: the share of nodes that are judged right
    macro_precision: float
    macro_recall: float
    macro_f1: float


def score_nodes(is_true: NDArray[np.bool_], is_found: NDArray[np.bool_]) -> NodeScore:
    """Compare labels of nodes."""
    both = int((is_true & is_found).sum())
    only_true, only_found = int(is_true.sum()) - both, int(is_found.sum()) - both
    neither = len(is_true) - both - only_true - only_found
    yes = _rate(both, only_found, only_true)
    no = _rate(neither, only_true, only_found)
    return NodeScore(
        *yes,
        micro=(both + neither) / max(len(is_true), 1),
        macro_precision=(yes[0] + no[0]) / 2,
        macro_recall=(yes[1] + no[1]) / 2,
        macro_f1=(yes[2] + no[2]) / 2,
    )


def _rate(hits: int, wrong: int, missed: int) -> tuple[float, float, float]:
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    recall = hits / (hits + missed) if hits + missed else 0.0
    return precision, recall, 2 * hits / (2 * hits + wrong + missed) if hits + wrong + missed else 0.0


def find_threshold_by_nodes(graphs: Sequence[Graphs], scores: Sequence[Scores], place: int = 0) -> float:
    """Find the threshold with the best F1 of nodes (section 6)."""
    is_true = np.concatenate([each.label[:, place].astype(bool) & (each.counts > 0) for each in graphs])
    counted = np.concatenate([each.counts > 0 for each in graphs])
    found = np.concatenate(scores)
    return float(max(STEPS, key=lambda step: score_nodes(is_true[counted], (found >= step)[counted]).f1))


def find_threshold_by_words(graphs: Sequence[Graphs], scores: Sequence[Scores], gap: float | None) -> float:
    """Find the threshold with the best word F1 of pages, the sets of pages counting alike (ours)."""
    blocks = [weigh_blocks(each, own) for each, own in zip(graphs, scores, strict=True)]
    return float(max(STEPS, key=lambda step: mean(score_words(graphs, blocks, step, gap).values())))


def weigh_blocks(graphs: Graphs, scores: Scores) -> Scores:
    """Probabilities of blocks: means of their text nodes by length."""
    is_in = graphs.text_block >= 0
    block, length = graphs.text_block[is_in], graphs.text_length[is_in].astype(np.float64)
    count = len(graphs.block_words)
    sums = np.bincount(block, weights=length * scores[graphs.text_row[is_in]], minlength=count)
    return (sums / np.maximum(np.bincount(block, weights=length, minlength=count), 1)).astype(np.float32)


def score_words(
    graphs: Sequence[Graphs], blocks: Sequence[Scores], threshold: float, gap: float | None
) -> dict[str, float]:
    """Word F1 of pages, mean of each dataset; blocks are right or wrong as a whole. `gap` None: not refined."""
    found: dict[str, list[float]] = defaultdict(list)
    for each, own in zip(graphs, blocks, strict=True):
        for page in range(len(each)):
            part = slice(int(each.block_start[page]), int(each.block_start[page + 1]))
            found[each.pages[page]["dataset"]].append(_score_page(each, part, own[part] >= threshold, gap))
    return {name: mean(values) for name, values in sorted(found.items())}


def _score_page(graphs: Graphs, part: slice, is_chosen: NDArray[np.bool_], gap: float | None) -> float:
    words, is_true = graphs.block_words[part], graphs.block_label[part, 0] > 0
    if gap is not None:
        is_chosen = refine(graphs, part, is_chosen, gap)
    both = int(words[is_true & is_chosen].sum())
    return 2 * both / max(int(words[is_true].sum() + words[is_chosen].sum()), 1)


def refine(graphs: Graphs, part: slice, is_chosen: NDArray[np.bool_], gap: float) -> NDArray[np.bool_]:
    """Keep one group of a page's blocks (section 5)."""
    chosen = np.flatnonzero(is_chosen)
    top, bottom, length = graphs.block_place[part][chosen].T.tolist() if len(chosen) else ([], [], [])
    kept = np.zeros(len(is_chosen), bool)
    kept[keep_longest_group(chosen.tolist(), top, bottom, [int(value) for value in length], gap)] = True
    return kept

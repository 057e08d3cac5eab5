"""Decision forests as flat arrays, evaluated with NumPy for all trees and samples at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import UsageError
from broadsheet.kernel import is_compiled
from broadsheet.kernel.scores import TreeTable, sum_trees
from broadsheet.models.config import read_setting
from broadsheet.models.weights import Weights, check_arrays

Floats = NDArray[np.float64]
Samples = NDArray[np.float32]  # (samples, features)
CHUNK_SAMPLES = 1024  # with more, the current nodes of all trees do not fit into the processor's cache


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees in one table of nodes. The children of a node are adjacent: `child` and `child + 1`.

    A sample goes to the second child if its feature is greater than the threshold. The first child of a leaf is the
    leaf itself, and its threshold is infinite, so that a sample stays at a leaf.
    """

    roots: NDArray[np.intp]  # (trees,)
    feature: NDArray[np.intp]  # (nodes,)
    threshold: NDArray[np.float32]  # (nodes,)
    child: NDArray[np.intp]  # (nodes,)
    value: Floats  # (nodes,) used at leaves
    depth: int  # steps from a root to the deepest leaf
    base: float = 0.0  # added to the sum of the trees
    is_mean: bool = True  # the prediction is the mean of the trees; else the sigmoid of their sum

    def predict(self, samples: Samples) -> Floats:
        """Return the probability of the positive class of each sample."""
        total = self.sum_trees(samples)
        if self.is_mean:
            return total / len(self.roots)
        return np.asarray(1.0 / (1.0 + np.exp(-total)))

    def sum_trees(self, samples: Samples) -> Floats:
        """Return the sum of the trees for each sample, added in the order of the trees as scikit-learn does."""
        if len(samples) <= CHUNK_SAMPLES:
            return self._sum_chunk(samples)
        starts = range(0, len(samples), CHUNK_SAMPLES)
        return np.concatenate([self._sum_chunk(samples[start : start + CHUNK_SAMPLES]) for start in starts])

    def _sum_chunk(self, samples: Samples) -> Floats:
        count, width = samples.shape
        flat = np.ascontiguousarray(samples).ravel()
        start = np.tile(np.arange(count) * width, len(self.roots))
        node = np.repeat(self.roots, count)  # the current node of each sample in each tree
        index, value = np.empty_like(node), np.empty(len(node), np.float32)
        threshold = np.empty(len(node), np.float32)
        # Preallocated output and mode="clip", which skips the bounds check, take a quarter of the time.
        for _ in range(self.depth):
            self.feature.take(node, out=index, mode="clip")
            index += start
            flat.take(index, out=value, mode="clip")
            self.threshold.take(node, out=threshold, mode="clip")
            self.child.take(node, out=index, mode="clip")
            np.add(index, value > threshold, out=node)
        sums = np.full(count, self.base)
        for values in self.value.take(node).reshape(len(self.roots), count):
            sums += values
        return sums

    def predict_one(self, sample: NDArray[np.float32]) -> float:
        """Predict one sample, in a small part of the time of `predict`."""
        values: Any = sample if is_compiled() else sample.tolist()
        total = sum_trees(self._table, values, self.base)
        return total / len(self.roots) if self.is_mean else 1 / (1 + exp(-total))

    @cached_property
    def _table(self) -> TreeTable:
        arrays: tuple[Any, ...] = (self.roots, self.feature, self.threshold, self.child, self.value)
        return TreeTable(*(arrays if is_compiled() else (array.tolist() for array in arrays)))

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays for a folder of weights, in the smallest types without loss."""
        return {
            f"{name}.roots": self.roots.astype(np.int32),
            f"{name}.feature": self.feature.astype(np.uint8 if self.feature.max(initial=0) < 256 else np.int32),
            f"{name}.threshold": self.threshold,
            f"{name}.child": self.child.astype(np.uint16 if len(self.child) < 65536 else np.int32),
            f"{name}.value": self.value,
        }

    def config(self) -> dict[str, Any]:
        """Return the values of a folder's configuration."""
        return {"depth": self.depth, "base": self.base, "is_mean": self.is_mean}


def read_forest(name: str, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> Forest:
    """Read a forest from a folder of weights."""
    return Forest(
        roots=arrays[f"{name}.roots"].astype(np.intp),
        feature=arrays[f"{name}.feature"].astype(np.intp),
        threshold=arrays[f"{name}.threshold"].astype(np.float32),
        child=arrays[f"{name}.child"].astype(np.intp),
        value=arrays[f"{name}.value"].astype(np.float64),
        depth=int(config["depth"]),
        base=float(config["base"]),
        is_mean=bool(config["is_mean"]),
    )


def load_forest(weights: Weights, name: str, features: int, *, section: tuple[str, ...] = ()) -> Forest:
    """Read a forest of a weights folder. Its settings are in `section` of the configuration.

    Raise UsageError if something is missing or has a wrong shape, or if the forest uses more features.
    """
    check_arrays(weights, {f"{name}.{part}": (None,) for part in ("roots", "feature", "child")}, kinds="iu")
    nodes = len(weights.arrays[f"{name}.feature"])
    check_arrays(weights, {f"{name}.child": (nodes,)}, kinds="iu")
    check_arrays(weights, {f"{name}.threshold": (nodes,), f"{name}.value": (nodes,)})
    config = {
        "depth": read_setting(weights, *section, name, "depth", kind=int),
        "base": read_setting(weights, *section, name, "base", kind=float),
        "is_mean": read_setting(weights, *section, name, "is_mean", kind=bool),
    }
    forest = read_forest(name, weights.arrays, config)
    if forest.feature.max(initial=0) >= features:
        raise UsageError(
            f"forest {name!r} in {weights.folder} uses more than {features} features: "
            f"it was trained with other features; {weights.advice}"
        )
    if not _is_sound(forest):
        raise UsageError(f"forest {name!r} in {weights.folder} is damaged; {weights.advice}")
    return forest


def _is_sound(forest: Forest) -> bool:
    """Return whether all indices are inside the arrays, and children come after their parents: no walk is endless."""
    nodes = np.arange(len(forest.feature))
    is_leaf = forest.child == nodes
    last_child = forest.child + ~is_leaf  # the second child follows the first
    roots = forest.roots
    return bool(
        len(roots)
        and (roots >= 0).all()
        and (roots < len(nodes)).all()
        and (forest.feature >= 0).all()
        and (forest.child >= nodes).all()
        and (last_child < len(nodes)).all()
    )


class DecisionTree(NamedTuple):
    """One tree in scikit-learn's layout: a row per node, the root first; `left` is negative at leaves."""

    left: Sequence[int]
    right: Sequence[int]
    feature: Sequence[int]
    threshold: Sequence[float]
    value: Sequence[float]


def build_forest(trees: Sequence[DecisionTree], *, base: float = 0.0, is_mean: bool = True) -> Forest:
    """Write trees into one table of nodes, level by level."""
    roots: list[int] = []
    feature: list[int] = []
    threshold: list[float] = []
    child: list[int] = []
    value: list[float] = []
    depth = 0
    for tree in trees:
        roots.append(len(feature))
        level, steps = [0], 0
        while level:
            next_level: list[int] = []
            next_start = len(feature) + len(level)  # first node of the next level
            for node in level:
                is_leaf = tree.left[node] < 0
                child.append(len(feature) if is_leaf else next_start + len(next_level))
                feature.append(0 if is_leaf else tree.feature[node])
                threshold.append(np.inf if is_leaf else tree.threshold[node])
                value.append(tree.value[node] if is_leaf else 0.0)
                if not is_leaf:
                    next_level += (tree.left[node], tree.right[node])
            level = next_level
            steps += bool(level)
        depth = max(depth, steps)
    return Forest(
        roots=np.array(roots, np.intp),
        feature=np.array(feature, np.intp),
        threshold=_round_down(np.array(threshold, np.float64)),
        child=np.array(child, np.intp),
        value=np.array(value, np.float64),
        depth=depth,
        base=base,
        is_mean=is_mean,
    )


def _round_down(thresholds: Floats) -> NDArray[np.float32]:
    """Return the largest float32 up to each threshold. It splits float32 samples in the same way."""
    single = thresholds.astype(np.float32)
    return np.where(single > thresholds, np.nextafter(single, np.float32(-np.inf)), single).astype(np.float32)

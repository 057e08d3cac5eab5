"""The sum of decision trees for one sample."""

from __future__ import annotations

from collections.abc import Sequence


class TreeTable:
    """Trees in one table of nodes, as in `models.forest.Forest`: arrays where this module is compiled, else lists."""

    __slots__ = ("child", "feature", "roots", "threshold", "value")

    def __init__(
        self,
        roots: Sequence[int],
        feature: Sequence[int],
        threshold: Sequence[float],
        child: Sequence[int],
        value: Sequence[float],
    ) -> None:
        self.roots = roots
        self.feature = feature
        self.threshold = threshold
        self.child = child
        self.value = value


def sum_trees(table: TreeTable, sample: Sequence[float], total: float) -> float:
    """Add the values of the leaves that the sample reaches to `total`, in the order of the trees."""
    roots, feature, threshold, child, value = table.roots, table.feature, table.threshold, table.child, table.value
    for tree in range(len(roots)):
        node = roots[tree]
        below = child[node]
        while below != node:
            node = below + (1 if sample[feature[node]] > threshold[node] else 0)
            below = child[node]
        total += value[node]
    return total

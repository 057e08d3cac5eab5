"""Fit decision forests with scikit-learn, and convert them to the forests of the run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.models import DecisionTree, Forest, build_forest

Samples = NDArray[np.float32]
Targets = NDArray[np.bool_]
SampleWeights = NDArray[np.float64]
LEAF_PENALTY = 1.0  # l2 regularization, as in fit_boosted_forest


@dataclass(frozen=True, slots=True)
class ForestSize:
    """The size of a forest, and the learning rate if it is boosted."""

    trees: int
    leaves: int | None  # maximum per tree; None: no limit
    depth: int | None = 12  # maximum; the run time is proportional to it. None: no limit
    min_leaf: int = 1  # minimum number of samples in a leaf
    rate: float = 0.1  # learning rate of boosting


def fit_random_forest(samples: Samples, targets: Targets, size: ForestSize, seed: int) -> Any:
    """Fit a random forest with Weka's defaults: int(log2(features)) + 1 features per split, no pruning."""
    _check_targets(targets)
    ensemble = import_extra("sklearn.ensemble", "train")
    with _limit_threads():
        return ensemble.RandomForestClassifier(
            n_estimators=size.trees,
            max_features=int(np.log2(samples.shape[1])) + 1,
            max_leaf_nodes=size.leaves,
            max_depth=size.depth,
            min_samples_leaf=size.min_leaf,
            random_state=seed,
            n_jobs=1,
        ).fit(samples, targets)


def fit_boosted_forest(samples: Samples, targets: Targets, weights: SampleWeights, size: ForestSize, seed: int) -> Any:
    """Fit a forest by gradient boosting: it needs fewer and smaller trees for the same quality."""
    _check_targets(targets)
    ensemble = import_extra("sklearn.ensemble", "train")
    with _limit_threads():
        return ensemble.HistGradientBoostingClassifier(
            max_iter=size.trees,
            max_leaf_nodes=size.leaves,
            max_depth=size.depth,
            min_samples_leaf=size.min_leaf,
            learning_rate=size.rate,
            l2_regularization=1.0,
            max_bins=127,
            early_stopping=False,
            random_state=seed,
        ).fit(samples, targets, sample_weight=weights)


def _check_targets(targets: Targets) -> None:
    """Raise UsageError if all samples are of one class."""
    if len(np.unique(targets)) < 2:
        raise UsageError("all parts of these pages have the same label, so nothing can be learned; check the labels")


def extend_forest(
    start: Forest, samples: Samples, targets: Targets, weights: SampleWeights, size: ForestSize
) -> Forest:
    """Add boosted trees to a boosted forest: each is fitted to the gradient of the loss that remains (Friedman 2001).

    A leaf's value is one Newton step, shrunk by the learning rate. Trees of scikit-learn's regressor, because its
    boosting cannot start from another forest.
    """
    tree_module = import_extra("sklearn.tree", "train")
    total = start.sum_trees(samples)
    trees: list[DecisionTree] = []
    for _ in range(size.trees):
        probability = 1 / (1 + np.exp(-total))
        slope, curve = (targets - probability) * weights, probability * (1 - probability) * weights
        model = tree_module.DecisionTreeRegressor(
            max_leaf_nodes=size.leaves, max_depth=size.depth, min_samples_leaf=size.min_leaf, random_state=0
        ).fit(samples, targets - probability, sample_weight=weights)
        leaf = model.apply(samples)
        nodes = model.tree_.node_count
        steps = np.bincount(leaf, slope, nodes) / (np.bincount(leaf, curve, nodes) + LEAF_PENALTY)
        trees.append(_read_regression_tree(model.tree_, size.rate * steps))
        total = total + size.rate * steps[leaf]
    return join_forests(start, build_forest(trees, is_mean=False))


def join_forests(first: Forest, second: Forest) -> Forest:
    """Return a forest of the trees of both. Both must be means, or both sums."""
    nodes = len(first.feature)
    return Forest(
        roots=np.concatenate((first.roots, second.roots + nodes)),
        feature=np.concatenate((first.feature, second.feature)),
        threshold=np.concatenate((first.threshold, second.threshold)),
        child=np.concatenate((first.child, second.child + nodes)),
        value=np.concatenate((first.value, second.value)),
        depth=max(first.depth, second.depth),
        base=first.base + second.base,
        is_mean=first.is_mean,
    )


def convert_forest(model: Any) -> Forest:
    """Convert a forest of scikit-learn to one of the run time with the same predictions."""
    if hasattr(model, "estimators_"):
        return build_forest([_read_random_tree(tree.tree_) for tree in model.estimators_])
    trees = [_read_boosted_tree(predictors[0].nodes) for predictors in model._predictors]
    return build_forest(trees, base=float(model._baseline_prediction.ravel()[0]), is_mean=False)


def _read_random_tree(tree: Any) -> DecisionTree:
    values = tree.value[:, 0, :]
    return DecisionTree(
        left=tree.children_left.tolist(),
        right=tree.children_right.tolist(),
        feature=tree.feature.tolist(),
        threshold=tree.threshold.tolist(),
        value=(values[:, 1] / values.sum(axis=1)).tolist(),
    )


def _read_regression_tree(tree: Any, values: NDArray[np.float64]) -> DecisionTree:
    return DecisionTree(
        left=tree.children_left.tolist(),
        right=tree.children_right.tolist(),
        feature=tree.feature.tolist(),
        threshold=tree.threshold.tolist(),
        value=values.tolist(),
    )


def _read_boosted_tree(nodes: Any) -> DecisionTree:
    is_leaf = nodes["is_leaf"].astype(bool)
    return DecisionTree(
        left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)).tolist(),
        right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)).tolist(),
        feature=nodes["feature_idx"].tolist(),
        threshold=nodes["num_threshold"].tolist(),
        value=nodes["value"].tolist(),
    )


def _limit_threads() -> Any:
    """Use one thread: the last digits of sums over several threads differ between runs."""
    return import_extra("threadpoolctl", "train").threadpool_limits(1)

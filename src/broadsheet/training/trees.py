"""Forests of scikit-learn, and the bridge from them to the light ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.models import Forest, Tree, build_forest

Samples = NDArray[np.float32]
Marks = NDArray[np.bool_]
Weighing = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ForestSize:
    """How much a forest may grow."""

    trees: int
    leaves: int  # of a tree, at most
    depth: int = 12  # steps down a tree, at most: what they cost at run time
    min_leaf: int = 1  # samples of a leaf, at least
    rate: float = 0.1  # of boosting


def fit_random_forest(samples: Samples, marks: Marks, size: ForestSize, seed: int) -> Any:
    """Train a random forest as Weka does by default: int(log2(features)) + 1 features for a split, no pruning."""
    ensemble = import_extra("sklearn.ensemble", "train")
    with _one_thread():
        return ensemble.RandomForestClassifier(
            n_estimators=size.trees,
            max_features=int(np.log2(samples.shape[1])) + 1,
            max_leaf_nodes=size.leaves,
            max_depth=size.depth,
            min_samples_leaf=size.min_leaf,
            random_state=seed,
            n_jobs=1,
        ).fit(samples, marks)


def fit_boosted_forest(samples: Samples, marks: Marks, weights: Weighing, size: ForestSize, seed: int) -> Any:
    """Train a forest by gradient boosting: fewer and smaller trees for the same answers."""
    ensemble = import_extra("sklearn.ensemble", "train")
    with _one_thread():
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
        ).fit(samples, marks, sample_weight=weights)


def lighten(model: Any) -> Forest:
    """Turn a trained forest into a light one with the same answers."""
    if hasattr(model, "estimators_"):
        return build_forest([_read_random_tree(tree.tree_) for tree in model.estimators_])
    trees = [_read_boosted_tree(predictors[0].nodes) for predictors in model._predictors]
    return build_forest(trees, base=float(model._baseline_prediction.ravel()[0]), is_mean=False)


def _read_random_tree(tree: Any) -> Tree:
    values = tree.value[:, 0, :]
    return Tree(
        left=tree.children_left.tolist(),
        right=tree.children_right.tolist(),
        feature=tree.feature.tolist(),
        threshold=tree.threshold.tolist(),
        value=(values[:, 1] / values.sum(axis=1)).tolist(),
    )


def _read_boosted_tree(nodes: Any) -> Tree:
    is_leaf = nodes["is_leaf"].astype(bool)
    return Tree(
        left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)).tolist(),
        right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)).tolist(),
        feature=nodes["feature_idx"].tolist(),
        threshold=nodes["num_threshold"].tolist(),
        value=nodes["value"].tolist(),
    )


def _one_thread() -> Any:
    """Sums over several threads differ in their last digits from run to run."""
    return import_extra("threadpoolctl", "train").threadpool_limits(1)

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.models import DecisionTree, build_forest, load_weights, read_forest, save_weights
from broadsheet.models.forest import load_forest

# x0 <= 0.5 ? 0.1 : (x1 <= 2 ? 0.6 : 0.9); and a tree of one leaf.
DEEP = DecisionTree(
    left=[1, -1, 3, -1, -1],
    right=[2, -1, 4, -1, -1],
    feature=[0, -2, 1, -2, -2],
    threshold=[0.5, 0, 2.0, 0, 0],
    value=[0, 0.1, 0, 0.6, 0.9],
)
LEAF = DecisionTree(left=[-1], right=[-1], feature=[0], threshold=[0.0], value=[0.3])
CASES = [
    ("at the threshold: first child", [0.5, 9.0], 0.1),
    ("above, then at the second threshold", [0.6, 2.0], 0.6),
    ("above both", [0.6, 2.1], 0.9),
    ("largest floats", [3e38, 3e38], 0.9),
    ("NaN: first child, because the comparison is false", [float("nan"), 0.0], 0.1),
]


@pytest.mark.parametrize(("sample", "value"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_prediction_of_one_tree(sample: list[float], value: float) -> None:
    forest = build_forest([DEEP])
    assert forest.predict(np.array([sample], np.float32)).tolist() == [value]
    assert forest.predict_one(np.array(sample, np.float32)) == value


def test_mean_and_logistic_sum() -> None:
    samples = np.array([[0.0, 0.0], [1.0, 3.0]], np.float32)
    assert build_forest([DEEP, LEAF]).predict(samples).tolist() == [(0.1 + 0.3) / 2, (0.9 + 0.3) / 2]
    boosted = build_forest([DEEP, LEAF], base=-1.0, is_mean=False)
    assert boosted.sum_trees(samples).tolist() == [-1.0 + 0.1 + 0.3, -1.0 + 0.9 + 0.3]
    assert boosted.predict(samples)[1] == pytest.approx(1 / (1 + np.exp(-0.2)))
    assert [boosted.predict_one(sample) for sample in samples] == pytest.approx(boosted.predict(samples))


def test_chunks_of_samples_give_the_same_predictions() -> None:
    forest = build_forest([DEEP, LEAF])
    samples = np.random.default_rng(0).normal(size=(3000, 2)).astype(np.float32)
    whole = forest.predict(samples)
    assert whole.tolist() == [float(forest.predict(samples[row : row + 1])[0]) for row in range(3000)]


def test_no_samples() -> None:
    assert build_forest([DEEP]).predict(np.zeros((0, 2), np.float32)).tolist() == []


def test_save_and_read(tmp_path: Path) -> None:
    forest = build_forest([DEEP, LEAF, DEEP], base=0.25, is_mean=False)
    save_weights(tmp_path / "1", "toy", forest.arrays("trees"), {"trees": forest.config()}, "")
    weights = load_weights("toy", tmp_path / "1")
    loaded = read_forest("trees", weights.arrays, weights.config["trees"])
    samples = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    assert loaded.predict(samples).tolist() == forest.predict(samples).tolist()
    checked = load_forest(weights, "trees", 2)
    assert checked.predict(samples).tolist() == forest.predict(samples).tolist()


def make_samples() -> tuple[Any, Any]:
    random = np.random.default_rng(7)
    samples = random.normal(size=(3000, 9)).astype(np.float32)
    samples[:, 3] = np.round(samples[:, 3])  # many equal values
    labels = samples[:, 0] * samples[:, 3] + random.normal(size=3000) > 0.3
    return samples, labels


@pytest.mark.train
@pytest.mark.parametrize("kind", ["random", "boosted"])
def test_parity_with_scikit_learn(kind: str) -> None:
    from broadsheet.training.trees import ForestSize, convert_forest, fit_boosted_forest, fit_random_forest

    samples, labels = make_samples()
    size = ForestSize(trees=20, leaves=40)
    if kind == "random":
        model = fit_random_forest(samples, labels, size, seed=3)
        assert convert_forest(model).predict(samples).tolist() == model.predict_proba(samples)[:, 1].tolist()
    else:
        model = fit_boosted_forest(samples, labels, np.ones(len(labels)), size, seed=3)
        assert convert_forest(model).sum_trees(samples).tolist() == model.decision_function(samples).tolist()
        assert convert_forest(model).predict(samples) == pytest.approx(model.predict_proba(samples)[:, 1], abs=1e-15)


@pytest.mark.train
def test_the_same_seed_gives_the_same_forest() -> None:
    from broadsheet.training.trees import ForestSize, convert_forest, fit_boosted_forest, fit_random_forest

    samples, labels = make_samples()
    size = ForestSize(trees=5, leaves=20)
    for fit in (fit_random_forest, lambda *rest: fit_boosted_forest(samples, labels, np.ones(len(labels)), *rest[2:])):
        one, other = (convert_forest(fit(samples, labels, size, 1)).arrays("f") for _ in range(2))
        assert all(one[name].tobytes() == other[name].tobytes() for name in one)

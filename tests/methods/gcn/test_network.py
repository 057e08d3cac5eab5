from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.methods.gcn.matrix import assemble_features

from broadsheet.methods.gcn import GcnConfig
from broadsheet.methods.gcn.features import EXTRA_NUMBERS, TAG_COLUMNS, read_features
from broadsheet.methods.gcn.network import GcnNetwork, make_graph, spread
from broadsheet.models.words import load_words
from broadsheet.page import read_page
from broadsheet.style import compute_styles, find_boxes

PAGE = """<html><head><title>Ferry stays</title></head><body><div class="navBar-top" id="menu7"><a href="/a">Home</a></div>
<div class="story"><p>The council met on Tuesday, and it kept the ferry.</p><p>Half of the town depends on it.</p></div></body></html>"""
TAGS = ["#text", "div", "p"]
NETWORKS = {
    "GCN2": GcnConfig(layers=2),
    "GCN3": GcnConfig(layers=3),
    "with bias": GcnConfig(has_bias=True),
    "all features": GcnConfig(reads_names=True, has_extra_numbers=True),
    "three classes": GcnConfig(classes=("body", "title", "date"), thresholds=(0.5, 0.5, 0.5)),
    "exclusive classes": GcnConfig(classes=("body", "title"), thresholds=(0.5, 0.5), is_exclusive=True),
}


def make_weights(config: GcnConfig, columns: int) -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(0)
    arrays = {"tags": random.normal(size=(3, TAG_COLUMNS))}
    for layer in range(config.layers):
        arrays[f"layer{layer}.w0"] = random.normal(size=(3 * columns, config.hidden)) / 10
        arrays[f"layer{layer}.w1"] = random.normal(size=(config.hidden, config.hidden)) / 3
        if config.has_bias:
            arrays[f"layer{layer}.b0"] = random.normal(size=config.hidden)
            arrays[f"layer{layer}.b1"] = random.normal(size=config.hidden)
        columns = config.hidden
    outputs = len(config.classes) + config.is_exclusive
    arrays["classes.w"] = random.normal(size=(columns, outputs))
    if config.has_bias:
        arrays["classes.b"] = random.normal(size=outputs)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


@pytest.mark.parametrize("config", NETWORKS.values(), ids=NETWORKS.keys())
def test_the_network_computes_equations_2_to_5(config: GcnConfig) -> None:
    page, words = read_page(PAGE), load_words()
    styles = compute_styles(page)
    features = read_features(page, styles, find_boxes(page, styles), config)
    columns = 215 + (200 if config.reads_names else 0) + (len(EXTRA_NUMBERS) if config.has_extra_numbers else 0)
    arrays = make_weights(config, columns)
    scores = GcnNetwork(config, arrays, TAGS, words).predict(features)
    matrix = assemble_features(features, words, dict(zip(TAGS, arrays["tags"], strict=True)))
    assert np.allclose(scores, predict_with_dense_matrices(matrix, page.nodes.parent, arrays, config), atol=1e-5)
    text_scores = GcnNetwork(config, arrays, TAGS, words).predict_texts(features)
    assert np.allclose(text_scores, scores[features.text_rows], atol=1e-6)


def predict_with_dense_matrices(
    features: NDArray[np.float32], parents: Sequence[int], arrays: dict[str, NDArray[np.float32]], config: GcnConfig
) -> NDArray[np.float64]:
    count = len(parents)
    children = np.zeros((count, count))
    for row, parent in enumerate(parents):
        if parent >= 0:
            children[parent, row] = 1
    degree = (children + np.eye(count)).sum(axis=1)
    normalised = children / np.sqrt(np.outer(degree, degree))  # Equation 2
    hidden = features.astype(np.float64)
    for layer in range(config.layers):
        mixed = np.hstack((hidden, normalised @ hidden, normalised.T @ hidden))
        hidden = np.maximum(mixed @ arrays[f"layer{layer}.w0"] + arrays.get(f"layer{layer}.b0", 0), 0)
        hidden = np.maximum(hidden @ arrays[f"layer{layer}.w1"] + arrays.get(f"layer{layer}.b1", 0), 0)  # Equation 4
    logits = hidden @ arrays["classes.w"] + arrays.get("classes.b", 0)
    if config.is_exclusive:
        powers = np.exp(logits)
        logits = np.log(powers / (powers.sum(axis=1, keepdims=True) - powers))[:, :-1]
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-logits))  # Equation 5
    return probabilities


def test_a_single_node_has_no_edges() -> None:
    graph = make_graph(np.array([-1]))
    projected = np.arange(6, dtype=np.float32).reshape(1, 6)
    assert graph.convolve(projected).tolist() == [[0, 1]]


def test_the_three_parts_of_the_weights_are_put_side_by_side() -> None:
    weights = np.arange(6, dtype=np.float32).reshape(6, 1)
    assert spread(weights).tolist() == [[0, 2, 4], [1, 3, 5]]

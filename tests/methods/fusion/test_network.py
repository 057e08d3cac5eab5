"""The block network, compared with a reference that computes block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from broadsheet.html.names import TAG_IDS
from broadsheet.methods.fusion.array_network import measure_doubt
from broadsheet.methods.fusion.network import (
    NAME_DECAY,
    POOLED_LEVELS,
    START_WORDS,
    BlockInput,
    BlockNetwork,
    name_member_array,
)

WIDTH, NAME_COLUMNS, WORD_COLUMNS, FEATURES = 6, 3, 2, 5
BLOCKS, PAGE = 5, 3  # number of blocks; the container that is the page
Vector = NDArray[np.float64]
MEMBERS = 2
CONFIG: dict[str, Any] = {
    "members": MEMBERS,
    "tags": ["div", "p"],
    "reach": [1, 2],
    "pooled": [0, 2],
    "pool_before": [1, 2],
}


def make_arrays(random: np.random.Generator) -> dict[str, NDArray[Any]]:
    sizes = {
        "near": (4, NAME_COLUMNS),
        "far": (4, NAME_COLUMNS),
        "tag": (3, 2),
        "outer_tag": (3, 1),
        "word": (3, 2 * WORD_COLUMNS),
        "mix": (FEATURES + 2 * NAME_COLUMNS + 3 + 2 * WORD_COLUMNS, WIDTH),
        "mix_bias": (WIDTH,),
        "hidden": (WIDTH, WIDTH),
        "hidden_bias": (WIDTH,),
        "out": (WIDTH, 2),
        "out_bias": (2,),
        **{f"conv{layer}": (WIDTH, 3 * WIDTH) for layer in range(2)},
        **{f"conv_bias{layer}": (WIDTH,) for layer in range(2)},
        **{f"pool{pool}": (4 * WIDTH, WIDTH) for pool in range(2)},
        **{f"pool_bias{pool}": (WIDTH,) for pool in range(2)},
    }
    arrays: dict[str, NDArray[Any]] = {
        name_member_array(name, member): random.normal(0, 0.5, size).astype(np.float16)
        for member in range(MEMBERS)
        for name, size in sizes.items()
    }
    for member in range(MEMBERS):
        for table in ("near", "far", "word"):
            arrays[name_member_array(table, member)][0] = 0
    arrays["mean"], arrays["spread"] = np.full(FEATURES, 0.2, np.float32), np.full(FEATURES, 1.5, np.float32)
    arrays["name_keys"] = np.array([10, 20, 30], np.uint32)
    arrays["word_keys"] = np.array([100, 200], np.uint32)
    return arrays


def make_page(random: np.random.Generator) -> BlockInput:
    return BlockInput(
        features=random.normal(0, 3, (FEATURES, BLOCKS)).astype(np.float32),
        # Known words, an unknown one, a word after the first ones, and blocks of fewer words.
        words=np.array(
            [[100, 200, 300, 100], [100, 0, 0, 0], [0] * 4, [300, 300, 300, 200], [200, 200, 0, 0]], np.uint32
        ),
        # Container 0 and 1 have two blocks each, 2 contains both, 3 is the page.
        enclosing=np.array([[0, 0, 1, 1, 3], [2, 2, 2, 2, 3], [3] * 5, [3] * 5, [3] * 5, [3] * 5]),
        first_block=np.array([0, 2, 0, 0]),
        end_block=np.array([2, 4, 4, 5]),
        position=np.array([1, 1, 2, 2, 0]),
        outer=np.array([-1, 0, 1]),
        tags=np.array([TAG_IDS[tag] for tag in ("div", "p", "span")], np.uint16),
        name_hashes=np.array([10, 99, 20, 30], np.uint32),
        name_ends=np.array([2, 4, 4]),
    )


def run_reference(arrays: dict[str, NDArray[Any]], page: BlockInput) -> NDArray[np.float64]:
    """Compute the network as its module describes it: the mean of its members."""
    return np.asarray(np.mean([run_member(arrays, page, member) for member in range(MEMBERS)], axis=0))


def run_member(arrays: dict[str, NDArray[Any]], page: BlockInput, member: int) -> NDArray[np.float64]:
    """Compute a member, one block at a time."""
    prefix = name_member_array("", member)
    table = {name.removeprefix(prefix): array.astype(np.float64) for name, array in arrays.items()}
    positions = embed_positions(table, page)
    states = []
    for block in range(BLOCKS):
        features = np.clip((page.features[:, block] - table["mean"]) / table["spread"], -5, 5)
        inputs = np.concatenate((features, positions[page.position[block]], embed_words(table, page.words[block])))
        states.append(np.maximum(inputs @ table["mix"] + table["mix_bias"], 0))
    for layer in range(3):
        if layer in CONFIG["pool_before"]:
            states = pool(table, page, states, CONFIG["pool_before"].index(layer))
        if layer < 2:
            states = convolve(table, states, layer)
    hidden = np.maximum(np.stack(states) @ table["hidden"] + table["hidden_bias"], 0)
    return np.asarray(1 / (1 + np.exp(-(hidden @ table["out"] + table["out_bias"]))))


def embed_words(table: dict[str, Vector], words: NDArray[np.uint32]) -> Vector:
    rows = {100: 1, 200: 2}
    vectors = [table["word"][rows.get(word, 0)] for word in words.tolist() if word]
    start = sum((vector[:WORD_COLUMNS] for vector in vectors[:START_WORDS]), np.zeros(WORD_COLUMNS))
    mean = sum((vector[WORD_COLUMNS:] for vector in vectors), np.zeros(WORD_COLUMNS)) / max(len(vectors), 1)
    return np.asarray(np.tanh(np.concatenate((start, mean))))


def embed_positions(table: dict[str, Vector], page: BlockInput) -> list[Vector]:
    name_rows, tag_rows = {10: 1, 20: 2, 30: 3}, {TAG_IDS["div"]: 1, TAG_IDS["p"]: 2}

    def sum_names(vectors: str, position: int) -> Vector:
        start = page.name_ends[position - 1] if position else 0
        names = page.name_hashes[start : page.name_ends[position]].tolist()
        rows = [name_rows.get(name, 0) for name in names]
        return np.asarray(table[vectors][rows].sum(axis=0))

    far: list[Vector] = []
    positions = []
    tags = page.tags.tolist()
    for position, outer in enumerate(page.outer.tolist()):
        far.append(sum_names("far", outer) + NAME_DECAY * far[outer] if outer >= 0 else np.zeros(NAME_COLUMNS))
        tag = tag_rows.get(tags[position], 0)
        outer_tag = tag_rows.get(tags[outer], 0) if outer >= 0 else 0
        names = np.tanh(sum_names("near", position)), np.tanh(far[position])
        positions.append(np.concatenate((*names, table["tag"][tag], table["outer_tag"][outer_tag])))
    return positions


def pool(table: dict[str, Vector], page: BlockInput, states: list[Vector], number: int) -> list[Vector]:
    pooled = []
    for block, state in enumerate(states):
        containers = [page.enclosing[POOLED_LEVELS.start + level][block] for level in CONFIG["pooled"]]
        ranges = [slice(page.first_block[row], page.end_block[row]) for row in (*containers, PAGE)]
        parts = np.concatenate((state, *(np.mean(states[blocks], axis=0) for blocks in ranges)))
        pooled.append(state + np.maximum(parts @ table[f"pool{number}"] + table[f"pool_bias{number}"], 0))
    return pooled


def convolve(table: dict[str, Vector], states: list[Vector], layer: int) -> list[Vector]:
    reach, weight = CONFIG["reach"][layer], table[f"conv{layer}"]
    convolved = []
    for block, state in enumerate(states):
        total = state @ weight[:, WIDTH : 2 * WIDTH] + table[f"conv_bias{layer}"]
        if block - reach >= 0:
            total = total + states[block - reach] @ weight[:, :WIDTH]
        if block + reach < BLOCKS:
            total = total + states[block + reach] @ weight[:, 2 * WIDTH :]
        convolved.append(state + np.maximum(total, 0))
    return convolved


@pytest.mark.parametrize("seed", range(5))
def test_network_equals_the_reference(seed: int) -> None:
    random = np.random.default_rng(seed)
    arrays, page = make_arrays(random), make_page(random)
    assert BlockNetwork(arrays, CONFIG).run(page) == pytest.approx(run_reference(arrays, page), abs=1e-5)


@pytest.mark.parametrize(("min_doubt", "members"), [(0, 2), (1e9, 1)])
def test_second_member_is_asked_in_doubt(min_doubt: float, members: int) -> None:
    random = np.random.default_rng(0)
    arrays, page = make_arrays(random), make_page(random)
    scores = BlockNetwork(arrays, CONFIG).run(page, np.full(BLOCKS, 100, np.float32), min_doubt)
    expected = run_reference(arrays, page) if members == 2 else run_member(arrays, page, 0)
    assert scores == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("scores", "doubt"), [([1.0, 0.0], 0.0), ([1.0, 0.5], 50 / 350), ([0.9, 0.1], 40 / 280), ([0.0, 0.0], 0.0)]
)
def test_doubt(scores: list[float], doubt: float) -> None:
    chars = np.array([300, 100], np.float32)
    assert measure_doubt(np.array(scores, np.float32), chars) == pytest.approx(doubt, abs=1e-6)


def test_page_of_one_block() -> None:
    random = np.random.default_rng(0)
    page = BlockInput(
        features=np.zeros((FEATURES, 1), np.float32),
        words=np.zeros((1, 4), np.uint32),
        enclosing=np.zeros((6, 1), np.intp),
        first_block=np.array([0]),
        end_block=np.array([1]),
        position=np.array([0]),
        outer=np.array([-1]),
        tags=np.array([TAG_IDS["div"]], np.uint16),
        name_hashes=np.zeros(0, np.uint32),
        name_ends=np.array([0]),
    )
    scores = BlockNetwork(make_arrays(random), CONFIG).run(page)
    assert scores.shape == (1, 2)
    assert ((scores > 0) & (scores < 1)).all()

"""The block network, against the same sums written block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from broadsheet.methods.fusion.network import FADE, POOLED, BlockInput, BlockNetwork

WIDTH, WIDE, MEASURES = 6, 3, 5
CONFIG: dict[str, list[Any]] = {"tags": ["div", "p"], "reach": [1, 2], "pooled": [0, 2], "pool_before": [1, 2]}


def make_arrays(random: np.random.Generator) -> dict[str, NDArray[Any]]:
    sizes = {
        "near": (4, WIDE),
        "far": (4, WIDE),
        "tag": (3, 2),
        "outer_tag": (3, 1),
        "mix": (MEASURES + 2 * WIDE + 3, WIDTH),
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
        name: random.normal(0, 0.5, size).astype(np.float16) for name, size in sizes.items()
    }
    for table in ("near", "far"):
        arrays[table][0] = 0
    arrays["mean"], arrays["spread"] = np.full(MEASURES, 0.2, np.float32), np.full(MEASURES, 1.5, np.float32)
    arrays["name_keys"] = np.array([10, 20, 30], np.uint32)
    return arrays


def make_page(random: np.random.Generator) -> BlockInput:
    return BlockInput(
        values=random.normal(0, 3, (MEASURES, 5)).astype(np.float32),
        # containers: 0 and 1 hold two blocks each, 2 holds both, 3 is the page
        around=np.array([[0, 0, 1, 1, 3], [2, 2, 2, 2, 3], [3] * 5, [3] * 5, [3] * 5, [3] * 5]),
        first=np.array([0, 2, 0, 0]),
        after=np.array([2, 4, 4, 5]),
        place=np.array([1, 1, 2, 2, 0]),
        outer=[-1, 0, 1],
        tags=["div", "p", "other"],
        names=[(10, 99), (20, 30), ()],
    )


def run_slowly(arrays: dict[str, NDArray[Any]], page: BlockInput) -> NDArray[np.float64]:
    """The network as its description says it, one block at a time."""
    table = {name: array.astype(np.float64) for name, array in arrays.items()}
    name_row = {10: 1, 20: 2, 30: 3}
    tag_row = {"div": 1, "p": 2}
    far: list[NDArray[np.float64]] = []
    places = []
    for place, outer in enumerate(page.outer):
        near = sum((table["near"][name_row.get(name, 0)] for name in page.names[place]), np.zeros(WIDE))
        above = np.zeros(WIDE)
        if outer >= 0:
            above = sum((table["far"][name_row.get(name, 0)] for name in page.names[outer]), np.zeros(WIDE))
            above = above + FADE * far[outer]
        far.append(above)
        own, around = tag_row.get(page.tags[place], 0), tag_row.get(page.tags[outer], 0) if outer >= 0 else 0
        places.append(np.concatenate((np.tanh(near), np.tanh(above), table["tag"][own], table["outer_tag"][around])))
    states = []
    for block in range(5):
        values = np.clip((page.values[:, block] - table["mean"]) / table["spread"], -5, 5)
        inputs = np.concatenate((values, places[page.place[block]]))
        states.append(np.maximum(inputs @ table["mix"] + table["mix_bias"], 0))
    for layer in range(3):
        if layer in CONFIG["pool_before"]:
            number = CONFIG["pool_before"].index(layer)
            seen = []
            for block in range(5):
                chosen = [page.around[POOLED.start + level][block] for level in CONFIG["pooled"]]
                means = [np.mean(states[page.first[each] : page.after[each]], axis=0) for each in (*chosen, 3)]
                parts = np.concatenate((states[block], *means))
                seen.append(np.maximum(parts @ table[f"pool{number}"] + table[f"pool_bias{number}"], 0))
            states = [state + each for state, each in zip(states, seen, strict=True)]
        if layer < 2:
            reach, weight = CONFIG["reach"][layer], table[f"conv{layer}"]
            seen = []
            for block in range(5):
                total = states[block] @ weight[:, WIDTH : 2 * WIDTH] + table[f"conv_bias{layer}"]
                if block - reach >= 0:
                    total = total + states[block - reach] @ weight[:, :WIDTH]
                if block + reach < 5:
                    total = total + states[block + reach] @ weight[:, 2 * WIDTH :]
                seen.append(np.maximum(total, 0))
            states = [state + each for state, each in zip(states, seen, strict=True)]
    hidden = np.maximum(np.stack(states) @ table["hidden"] + table["hidden_bias"], 0)
    return np.asarray(1 / (1 + np.exp(-(hidden @ table["out"] + table["out_bias"]))))


@pytest.mark.parametrize("seed", range(5))
def test_network_is_what_its_description_says(seed: int) -> None:
    random = np.random.default_rng(seed)
    arrays, page = make_arrays(random), make_page(random)
    assert BlockNetwork(arrays, CONFIG).run(page) == pytest.approx(run_slowly(arrays, page), abs=1e-5)


def test_a_page_of_one_block() -> None:
    random = np.random.default_rng(0)
    page = BlockInput(
        values=np.zeros((MEASURES, 1), np.float32),
        around=np.zeros((6, 1), np.intp),
        first=np.array([0]),
        after=np.array([1]),
        place=np.array([0]),
        outer=[-1],
        tags=["div"],
        names=[()],
    )
    found = BlockNetwork(make_arrays(random), CONFIG).run(page)
    assert found.shape == (1, 2)
    assert ((found > 0) & (found < 1)).all()

"""The light run time of the block network: a small convolution over the blocks and containers of a page, in NumPy.

    input     measures of a block + vectors of the names around it and of its tags
    mix       one linear map, ReLU
    layers    dilated convolutions over the sequence of blocks, with a residual connection
    pool      between them: means over the containers around a block and over the page, so that the network sees the
              tree and not only the order
    output    one number for each role that it was trained for

Everything about a place (names, tags) goes through the first map once for each place, not once for each block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
POOLED = slice(1, 5)  # levels of surroundings over which means may be pooled
FADE = 0.7  # what a name counts for one container further out
FARTHEST = 6  # containers outwards whose names count


@dataclass(frozen=True, slots=True, eq=False)
class BlockInput:
    """What the network reads of a page with n blocks in c containers and p places."""

    values: Array  # (measures, n)
    around: NDArray[np.intp]  # (levels, n): containers around a block
    first: NDArray[np.intp]  # (c,): the blocks that a container holds; the last one is the page
    after: NDArray[np.intp]
    place: NDArray[np.intp]  # (n,)
    outer: Sequence[int]  # (p,) the place around each, which stands before it
    tags: Sequence[str]  # (p,)
    names: Sequence[tuple[int, ...]]  # (p,) hashes of the words of class and id


class BlockNetwork:
    """A trained network, ready to run."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        floats = {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype.kind == "f"}
        self._names = {key: row for row, key in enumerate(arrays["name_keys"].tolist(), 1)}
        wide = floats["near"].shape[1]
        self._name_vectors = np.concatenate((floats["near"], floats["far"]), axis=1)
        self._tag_number = {tag: number for number, tag in enumerate(config["tags"], 1)}
        measures = len(floats["mean"])
        self._mean, self._scale = floats["mean"][:, None], 1 / floats["spread"][:, None]
        tag, outer_tag = floats["tag"], floats["outer_tag"]
        # Rows of the first map, in this order: measures, names, tag, tag around.
        ends = np.cumsum((measures, 2 * wide, tag.shape[1]))
        self._mix_values, self._mix_names, mix_tag, mix_outer = np.split(floats["mix"], ends)
        self._tag, self._outer_tag = tag @ mix_tag + floats["mix_bias"], outer_tag @ mix_outer
        self._layers = [
            (int(reach), floats[f"conv{number}"], floats[f"conv_bias{number}"])
            for number, reach in enumerate(config["reach"])
        ]
        self._levels = [POOLED.start + int(level) for level in config["pooled"]]
        self._pools = {
            int(layer): (floats[f"pool{number}"], floats[f"pool_bias{number}"])
            for number, layer in enumerate(config["pool_before"])
        }
        self._hidden, self._hidden_bias = floats["hidden"], floats["hidden_bias"]
        self._out, self._out_bias = floats["out"], floats["out_bias"]
        self._find_names = lru_cache(20_000)(self._look_up_names)

    def run(self, page: BlockInput) -> Array:
        """Give every block a probability for each role: (n, roles)."""
        state = self._mix(page)
        for number in range(len(self._layers) + 1):
            if pool := self._pools.get(number):
                self._pool_containers(state, page, *pool)
            if number < len(self._layers):
                _convolve(state, *self._layers[number])
        hidden = state @ self._hidden
        hidden += self._hidden_bias
        np.maximum(hidden, 0, out=hidden)
        logits = hidden @ self._out + self._out_bias
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)

    def _mix(self, page: BlockInput) -> Array:
        values = page.values - self._mean
        values *= self._scale
        np.maximum(values, -5, out=values)
        np.minimum(values, 5, out=values)
        state = np.asarray(values.T @ self._mix_values, np.float32)
        state += self._mix_places(page).take(page.place, axis=0)
        return np.maximum(state, 0, out=state)

    def _mix_places(self, page: BlockInput) -> Array:
        """What places add to the first map: own names, names further out, own tag and the tag around."""
        count, wide = len(page.outer), self._name_vectors.shape[1] // 2
        rows = [self._find_names(names) for names in page.names]
        # Own names, summed. One more row, of zeros, stands for "none around".
        own = np.zeros((count + 1, 2 * wide), np.float32)
        if joined := [row for each in rows for row in each]:
            named = [place for place, each in enumerate(rows) if each]
            starts = np.cumsum([0, *(len(rows[place]) for place in named)])[:-1]
            own[named] = np.add.reduceat(self._name_vectors.take(joined, axis=0), starts, axis=0)
        outer = np.array([*page.outer, -1])
        around, far = outer[:-1], np.ascontiguousarray(own[:, wide:])
        own[:-1, wide:] = far.take(around, axis=0, mode="wrap")
        for step in range(1, FARTHEST):
            around = outer.take(around, mode="wrap")
            own[:-1, wide:] += far.take(around, axis=0, mode="wrap") * np.float32(FADE**step)
        number = np.array([*(self._tag_number.get(tag, 0) for tag in page.tags), 0])
        state = np.tanh(own[:-1]) @ self._mix_names
        state += self._tag.take(number[:-1], axis=0)
        state += self._outer_tag.take(number.take(outer[:-1], mode="wrap"), axis=0)
        return np.asarray(state, np.float32)

    def _look_up_names(self, names: tuple[int, ...]) -> list[int]:
        return [row for name in names if (row := self._names.get(name))]

    def _pool_containers(self, state: Array, page: BlockInput, weight: Array, bias: Array) -> None:
        """Add what the containers around each block say. Each container goes through the map once."""
        width = state.shape[1]
        running = np.zeros((len(state) + 1, width), np.float32)
        np.cumsum(state, axis=0, out=running[1:])
        means = running.take(page.after, axis=0)
        means -= running.take(page.first, axis=0)
        means /= (page.after - page.first).astype(np.float32)[:, None]
        seen = state @ weight[:width]
        for at, level in enumerate(self._levels, 1):
            said = means @ weight[at * width : (at + 1) * width]
            seen += said.take(page.around[level], axis=0)
        seen += means[-1] @ weight[-width:] + bias
        np.maximum(seen, 0, out=seen)
        state += seen


def _convolve(state: Array, reach: int, weight: Array, bias: Array) -> None:
    """Add what each block says with the two that stand `reach` before and after it; weight (width, 3 * width)."""
    width = state.shape[1]
    said = state @ weight
    seen = said[:, width : 2 * width] + bias
    if reach < len(state):
        seen[reach:] += said[:-reach, :width]
        seen[:-reach] += said[reach:, 2 * width :]
    np.maximum(seen, 0, out=seen)
    state += seen

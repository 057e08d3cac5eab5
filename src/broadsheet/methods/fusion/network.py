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
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.multiply import multiply

Array = NDArray[np.float32]
POOLED = slice(1, 5)  # levels of surroundings over which means may be pooled
FADE = 0.7  # what a name counts for one container further out
FARTHEST = 6  # containers outwards whose names count
MAX_SPREADS = 5  # spreads from its mean that a measure counts
_FADED = (FADE ** np.arange(FARTHEST, dtype=np.float32))[:, None, None]


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
        mean, spread = floats["mean"], floats["spread"]
        self._mean, self._furthest = mean[:, None], MAX_SPREADS * spread[:, None]
        tag, outer_tag = floats["tag"], floats["outer_tag"]
        # Rows of the first map, in this order: measures, names, tag, tag around.
        ends = np.cumsum((measures, 2 * wide, tag.shape[1]))
        mix_values, self._mix_names, mix_tag, mix_outer = np.split(floats["mix"], ends)
        self._mix_values = mix_values / spread[:, None]  # measures count in spreads
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

    def run(self, page: BlockInput) -> Array:
        """Give every block a probability for each role: (n, roles)."""
        state = self._mix(page)
        pooled = _find_pooled(page, self._levels)
        for number in range(len(self._layers) + 1):
            if pool := self._pools.get(number):
                _pool_containers(state, pooled, *pool)
            if number < len(self._layers):
                _convolve(state, *self._layers[number])
        hidden = multiply(state, self._hidden)
        hidden += self._hidden_bias
        np.maximum(hidden, 0, out=hidden)
        logits = multiply(hidden, self._out) + self._out_bias
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)

    def _mix(self, page: BlockInput) -> Array:
        values = page.values - self._mean
        np.maximum(values, -self._furthest, out=values)
        np.minimum(values, self._furthest, out=values)
        state = multiply(values.T, self._mix_values)
        state += self._mix_places(page).take(page.place, axis=0)
        return np.maximum(state, 0, out=state)

    def _mix_places(self, page: BlockInput) -> Array:
        """What places add to the first map: own names, names further out, own tag and the tag around."""
        count, wide = len(page.outer), self._name_vectors.shape[1] // 2
        # One more place, without names or a tag, stands for "none around".
        outer = np.fromiter((*page.outer, -1), np.intp, count + 1)
        tags = np.fromiter((*map(self._tag_number.get, page.tags, repeat(0)), 0), np.intp, count + 1)
        own = self._add_up_names(page.names)
        far = np.ascontiguousarray(own[:, wide:])
        around = np.empty((FARTHEST, count), np.intp)
        around[0] = outer[:-1]
        for step in range(1, FARTHEST):
            outer.take(around[step - 1], out=around[step], mode="wrap")
        outwards = far.take(around, axis=0, mode="wrap")
        outwards *= _FADED
        np.add.reduce(outwards, axis=0, out=own[:-1, wide:])
        state = multiply(np.tanh(own[:-1]), self._mix_names)
        state += self._tag.take(tags[:-1], axis=0)
        state += self._outer_tag.take(tags.take(outer[:-1], mode="wrap"), axis=0)
        return state

    def _add_up_names(self, names: Sequence[tuple[int, ...]]) -> Array:
        """Sum of the vectors of each place's names, and a row of zeros."""
        counts = np.fromiter((*map(len, names), 0), np.intp, len(names) + 1)
        ends = np.cumsum(counts)
        rows = map(self._names.get, chain.from_iterable(names), repeat(0))  # 0, of zeros: a name that is not known
        vectors = self._name_vectors.take(np.fromiter(rows, np.intp, int(ends[-1])), axis=0)
        running = np.zeros((len(vectors) + 1, vectors.shape[1]))
        np.cumsum(vectors, axis=0, out=running[1:])
        found = running.take(ends, axis=0)
        found[1:] -= found[:-1].copy()
        return found.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Pooled:
    """The containers around each of n blocks over which means are taken, at each of the levels."""

    first: NDArray[np.intp]  # (levels, n)
    after: NDArray[np.intp]  # (levels, n)
    share: Array  # (levels, n, 1): one divided by the number of blocks


def _find_pooled(page: BlockInput, levels: Sequence[int]) -> _Pooled:
    around = page.around.take(levels, axis=0)
    first, after = page.first.take(around), page.after.take(around)
    share = np.reciprocal((after - first).astype(np.float32))
    return _Pooled(first, after, share[:, :, None])


def _pool_containers(state: Array, pooled: _Pooled, weight: Array, bias: Array) -> None:
    """Add what the containers around each block say, and the page."""
    number, width = state.shape
    running = np.zeros((number + 1, width), np.float32)
    np.cumsum(state, axis=0, out=running[1:])
    means = running.take(pooled.after, axis=0)
    means -= running.take(pooled.first, axis=0)
    means *= pooled.share
    seen = multiply(state, weight[:width])
    for at, mean in enumerate(means, 1):
        seen += multiply(mean, weight[at * width : (at + 1) * width])
    seen += running[-1] / number @ weight[-width:] + bias
    np.maximum(seen, 0, out=seen)
    state += seen


def _convolve(state: Array, reach: int, weight: Array, bias: Array) -> None:
    """Add what each block says with the two that stand `reach` before and after it; weight (width, 3 * width)."""
    width = state.shape[1]
    said = multiply(state, weight)
    seen = said[:, width : 2 * width] + bias
    if reach < len(state):
        seen[reach:] += said[:-reach, :width]
        seen[:-reach] += said[reach:, 2 * width :]
    np.maximum(seen, 0, out=seen)
    state += seen

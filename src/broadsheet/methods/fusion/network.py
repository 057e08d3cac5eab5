"""The block network in NumPy: convolutions over the blocks of a page, and means over their containers.

    input     features of a block, vectors of its first words, of the class names and ids around it, and of its tags
    mix       one linear map, ReLU
    layers    dilated convolutions over the sequence of blocks, with residual connections
    pools     before some layers: means over containers of the block and over the page, with a residual connection, so
              that the network uses the tree and not only the order of blocks
    output    one probability for each of OUTPUT_ROLES

Names and tags are multiplied by the first map once for each position, not for each block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Role
from broadsheet.models.config import read_setting
from broadsheet.models.multiply import multiply
from broadsheet.models.weights import Weights, check_arrays

Array = NDArray[np.float32]

# BODY: article text of any kind
OUTPUT_ROLES = (Role.BODY, Role.COMMENT, Role.TITLE, Role.BYLINE, Role.DATE, Role.CAPTION)
BODY, COMMENT, TITLE, BYLINE, DATE, CAPTION = range(len(OUTPUT_ROLES))  # columns of the output
POOLED_LEVELS = slice(1, 5)  # levels of containers over which the network may pool
NAME_DECAY = 0.7  # weight of a name relative to the same name one container further in
MAX_NAME_LEVELS = 6  # containers outwards whose names are read
START_WORDS = 3  # words at the start of a block, which have vectors of their own
MAX_DEVIATIONS = 5  # features are clipped at this many standard deviations from the mean
_NAME_WEIGHTS = (NAME_DECAY ** np.arange(MAX_NAME_LEVELS, dtype=np.float32))[:, None, None]


@dataclass(frozen=True, slots=True, eq=False)
class BlockInput:
    """The network's input: a page of n blocks, c containers and p positions."""

    features: Array  # (features, n)
    words: NDArray[np.uint32]  # (n, words) hashes of the first words of each block; 0 for none
    enclosing: NDArray[np.intp]  # (levels, n) containers around each block, the innermost first
    first_block: NDArray[np.intp]  # (c,) the last container is the page
    end_block: NDArray[np.intp]  # (c,)
    position: NDArray[np.intp]  # (n,)
    outer: Sequence[int]  # (p,) position around each position, always a smaller number; -1 for none
    tags: Sequence[str]  # (p,)
    names: Sequence[tuple[int, ...]]  # (p,) hashes of the words of class and id


class BlockNetwork:
    """A trained network: the mean of several members, which were trained with different seeds and inputs."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        self._name_rows = {key: row for row, key in enumerate(arrays["name_keys"].tolist(), 1)}
        self._word_keys = arrays["word_keys"]
        self._tag_rows = {tag: row for row, tag in enumerate(config["tags"], 1)}
        mean, deviation = (arrays[name].astype(np.float32)[:, None] for name in ("mean", "spread"))
        self._mean, self._max_distance = mean, MAX_DEVIATIONS * deviation
        self._members = [
            _Member(_select_member(arrays, member), deviation, config) for member in range(config["members"])
        ]

    def run(self, page: BlockInput, chars: Array | None = None, min_doubt: float = 0.0) -> Array:
        """Return the probability of each role for every block: (n, roles).

        With the lengths of the blocks, the members after the first one are asked only if the doubt of the first one
        is at least `min_doubt`.
        """
        inputs = self._read_input(page)
        total = self._members[0].run(inputs)
        if chars is not None and measure_doubt(total[:, BODY], chars) < min_doubt:
            return total
        for member in self._members[1:]:
            total += member.run(inputs)
        total /= len(self._members)
        return total

    def compute_hidden(self, page: BlockInput) -> list[Array]:
        """Return the input of each member's output layer: (n, width). Training of the output layer needs only these."""
        inputs = self._read_input(page)
        return [member.compute_hidden(inputs) for member in self._members]

    def _read_input(self, page: BlockInput) -> _Input:
        """Clip the features, and look up the rows of names, words and tags."""
        features = page.features - self._mean
        np.maximum(features, -self._max_distance, out=features)
        np.minimum(features, self._max_distance, out=features)
        count = len(page.outer)
        name_counts = np.fromiter((*map(len, page.names), 0), np.intp, count + 1)
        name_ends = np.cumsum(name_counts)
        rows = map(self._name_rows.get, chain.from_iterable(page.names), repeat(0))  # unknown names: row 0, all zeros
        outer = np.fromiter((*page.outer, -1), np.intp, count + 1)
        enclosing = np.empty((MAX_NAME_LEVELS, count), np.intp)
        enclosing[0] = outer[:-1]
        for level in range(1, MAX_NAME_LEVELS):
            outer.take(enclosing[level - 1], out=enclosing[level], mode="wrap")
        return _Input(
            page=page,
            features=features.T,
            names=np.fromiter(rows, np.intp, int(name_ends[-1])),
            name_ends=name_ends,
            enclosing=enclosing,
            words=find_rows(self._word_keys, page.words),
            word_count=np.maximum((page.words > 0).sum(1, keepdims=True, dtype=np.float32), 1),
            tags=np.fromiter((*map(self._tag_rows.get, page.tags, repeat(0)), 0), np.intp, count + 1),
        )


def measure_doubt(scores: Array, chars: Array) -> float:
    """Return the mean distance of scores from 0 or 1, per expected character of article text."""
    doubt = float(chars @ np.minimum(scores, 1 - scores))
    return doubt / max(float(chars @ scores), 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Input:
    """A page as rows of the tables of embeddings. Position -1 has no names and no tag; it is outside all others."""

    page: BlockInput
    features: Array  # (n, features), clipped
    names: NDArray[np.intp]  # rows of the names of all positions, in sequence
    name_ends: NDArray[np.intp]  # (p + 1,)
    enclosing: NDArray[np.intp]  # (MAX_NAME_LEVELS, p) positions around each position, the innermost first
    words: NDArray[np.intp]  # (n, words)
    word_count: Array  # (n, 1)
    tags: NDArray[np.intp]  # (p + 1,)


class _Member:
    """One network of the mean. It may have no columns for names."""

    def __init__(self, arrays: Mapping[str, Array], deviation: Array, config: Mapping[str, Any]) -> None:
        self._names = np.concatenate((arrays["near"], arrays["far"]), axis=1)
        self._words = arrays["word"]
        tag, outer_tag = arrays["tag"], arrays["outer_tag"]
        # Rows of the first map, in this order: features, names, tag, outer tag, words.
        ends = np.cumsum((len(deviation), self._names.shape[1], tag.shape[1], outer_tag.shape[1]))
        mix_features, self._mix_names, mix_tag, mix_outer_tag, self._mix_words = np.split(arrays["mix"], ends)
        self._mix_features = mix_features / deviation  # standardises the features
        self._tag, self._outer_tag = tag @ mix_tag + arrays["mix_bias"], outer_tag @ mix_outer_tag
        self._layers = [
            (int(reach), arrays[f"conv{number}"], arrays[f"conv_bias{number}"])
            for number, reach in enumerate(config["reach"])
        ]
        self._pooled_levels = [POOLED_LEVELS.start + int(level) for level in config["pooled"]]
        self._pools = {
            int(layer): (arrays[f"pool{number}"], arrays[f"pool_bias{number}"])
            for number, layer in enumerate(config["pool_before"])
        }
        self._hidden, self._hidden_bias = arrays["hidden"], arrays["hidden_bias"]
        self._out, self._out_bias = arrays["out"], arrays["out_bias"]

    def run(self, inputs: _Input) -> Array:
        """Return the probability of each role for every block: (n, roles)."""
        logits = multiply(self.compute_hidden(inputs), self._out) + self._out_bias
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)

    def compute_hidden(self, inputs: _Input) -> Array:
        """Return the input of the output layer: (n, width)."""
        state = multiply(inputs.features, self._mix_features)
        state += self._map_positions(inputs).take(inputs.page.position, axis=0)
        state += multiply(self._sum_words(inputs), self._mix_words)
        np.maximum(state, 0, out=state)
        pooled = _find_pooled(inputs.page, self._pooled_levels)
        for number in range(len(self._layers) + 1):
            if pool := self._pools.get(number):
                _pool_containers(state, pooled, *pool)
            if number < len(self._layers):
                _convolve(state, *self._layers[number])
        hidden = multiply(state, self._hidden)
        hidden += self._hidden_bias
        return np.maximum(hidden, 0, out=hidden)

    def _sum_words(self, inputs: _Input) -> Array:
        """Return the sum of the start vectors of the first words, and the mean of the other vectors of all words."""
        vectors = self._words.take(inputs.words, axis=0)  # (n, words, 2 * word columns)
        columns = vectors.shape[2] // 2
        sums = np.empty((len(vectors), 2 * columns), np.float32)
        np.add.reduce(vectors[:, :START_WORDS, :columns], axis=1, out=sums[:, :columns])
        np.add.reduce(vectors[:, :, columns:], axis=1, out=sums[:, columns:])
        sums[:, columns:] /= inputs.word_count
        return np.tanh(sums, out=sums)

    def _map_positions(self, inputs: _Input) -> Array:
        """Return the part of the first map that depends on the position: names, outer names, tag and outer tag."""
        state = self._tag.take(inputs.tags[:-1], axis=0)
        state += self._outer_tag.take(inputs.tags.take(inputs.enclosing[0], mode="wrap"), axis=0)
        name_columns = self._names.shape[1] // 2
        if name_columns:
            names = self._sum_names(inputs)  # near and far vectors of the position's names
            far = np.ascontiguousarray(names[:, name_columns:])
            outer_names = far.take(inputs.enclosing, axis=0, mode="wrap")
            outer_names *= _NAME_WEIGHTS
            np.add.reduce(outer_names, axis=0, out=names[:-1, name_columns:])
            state += multiply(np.tanh(names[:-1]), self._mix_names)
        return state

    def _sum_names(self, inputs: _Input) -> Array:
        """Return the sum of the vectors of each position's names, and one row of zeros at the end."""
        vectors = self._names.take(inputs.names, axis=0)
        running = np.zeros((len(vectors) + 1, vectors.shape[1]))
        np.cumsum(vectors, axis=0, out=running[1:])
        sums = running.take(inputs.name_ends, axis=0)
        sums[1:] -= sums[:-1].copy()
        return sums.astype(np.float32)


def name_member_array(name: str, member: int) -> str:
    """Return the name of an array of one member in the weights."""
    return f"member{member}.{name}"


def _select_member(arrays: Mapping[str, NDArray[Any]], member: int) -> dict[str, Array]:
    prefix = name_member_array("", member)
    return {
        name.removeprefix(prefix): array.astype(np.float32) for name, array in arrays.items() if name.startswith(prefix)
    }


def find_rows(keys: NDArray[np.uint32], hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Return the row of each hash in a table of sorted keys; row 0 is for unknown ones."""
    if not len(keys):
        return np.zeros(hashes.shape, np.intp)
    rows = np.minimum(keys.searchsorted(hashes), len(keys) - 1)
    return np.where(keys.take(rows) == hashes, rows + 1, 0)


def read_network(weights: Weights, features: int) -> BlockNetwork:
    """Read the network of a weights folder. Raise UsageError if an array is missing or has the wrong shape."""
    check_arrays(weights, {"name_keys": (None,), "word_keys": (None,)}, kinds="iu")
    check_arrays(weights, {"mean": (features,), "spread": (features,)})
    for member in range(read_setting(weights, "network", "members", kind=int)):
        sized = {"mix_bias": (None,), **dict.fromkeys(("near", "tag", "outer_tag", "word"), (None, None))}
        check_arrays(weights, {name_member_array(name, member): shape for name, shape in sized.items()})
        shapes = _list_shapes(weights, member, features)
        check_arrays(weights, {name_member_array(name, member): shape for name, shape in shapes.items()})
    return BlockNetwork(weights.arrays, weights.config["network"])


def _list_shapes(weights: Weights, member: int, features: int) -> dict[str, tuple[int, ...]]:
    """List the expected shapes of a member. Sizes that may vary are read from the arrays."""
    arrays = weights.arrays
    width, near, tag, outer_tag, word = (
        arrays[name_member_array(name, member)].shape[-1] for name in ("mix_bias", "near", "tag", "outer_tag", "word")
    )
    names = len(arrays["name_keys"]) + 1  # row 0 is for unknown names and tags
    tags = len(read_setting(weights, "network", "tags", kind=tuple[str, ...])) + 1
    layers, pools, pooled = (
        len(read_setting(weights, "network", name, kind=tuple[int, ...])) for name in ("reach", "pool_before", "pooled")
    )
    names = names if near else 1  # a member without names has no columns
    return {
        "near": (names, near),
        "far": (names, near),
        "tag": (tags, tag),
        "outer_tag": (tags, outer_tag),
        "word": (len(arrays["word_keys"]) + 1, word),
        "mix": (features + 2 * near + tag + outer_tag + word, width),
        **{f"conv{number}": (width, 3 * width) for number in range(layers)},
        **{f"conv_bias{number}": (width,) for number in range(layers)},
        **{f"pool{number}": ((pooled + 2) * width, width) for number in range(pools)},
        **{f"pool_bias{number}": (width,) for number in range(pools)},
        "hidden": (width, width),
        "hidden_bias": (width,),
        "out": (width, len(OUTPUT_ROLES)),
        "out_bias": (len(OUTPUT_ROLES),),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Pooled:
    """The containers around each of n blocks over which means are taken, at each pooled level."""

    first_block: NDArray[np.intp]  # (levels, n)
    end_block: NDArray[np.intp]  # (levels, n)
    weight: Array  # (levels, n, 1): one divided by the number of blocks


def _find_pooled(page: BlockInput, levels: Sequence[int]) -> _Pooled:
    enclosing = page.enclosing.take(levels, axis=0)
    first_block, end_block = page.first_block.take(enclosing), page.end_block.take(enclosing)
    weight = np.reciprocal((end_block - first_block).astype(np.float32))
    return _Pooled(first_block, end_block, weight[:, :, None])


def _pool_containers(state: Array, pooled: _Pooled, weight: Array, bias: Array) -> None:
    """Add a linear map of the block, the means over its containers and the mean over the page, after ReLU."""
    number, width = state.shape
    running = np.zeros((number + 1, width), np.float32)
    np.cumsum(state, axis=0, out=running[1:])
    means = running.take(pooled.end_block, axis=0)
    means -= running.take(pooled.first_block, axis=0)
    means *= pooled.weight
    change = multiply(state, weight[:width])
    for part, mean in enumerate(means, 1):
        change += multiply(mean, weight[part * width : (part + 1) * width])
    change += running[-1] / number @ weight[-width:] + bias
    np.maximum(change, 0, out=change)
    state += change


def _convolve(state: Array, reach: int, weight: Array, bias: Array) -> None:
    """Add a convolution of each block and the two blocks `reach` before and after it, after ReLU.

    The parts of `weight`, (width, 3 * width), apply to the block before, the block itself and the block after.
    """
    width = state.shape[1]
    parts = multiply(state, weight)
    change = parts[:, width : 2 * width] + bias
    if reach < len(state):
        change[reach:] += parts[:-reach, :width]
        change[:-reach] += parts[reach:, 2 * width :]
    np.maximum(change, 0, out=change)
    state += change

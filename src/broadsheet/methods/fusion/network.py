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
from typing import Any, NamedTuple

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
    """A trained network: the mean of several members of the same shape, which were trained with different seeds.

    The first maps of all members are computed together: their columns are put side by side.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        members = [_select_member(arrays, member) for member in range(config["members"])]
        mean, deviation = (arrays[name].astype(np.float32) for name in ("mean", "spread"))
        self._first_map = _FirstMap(arrays, members, (mean, deviation), config["tags"])
        self._members = [_Member(member, config) for member in members]
        self._pooled_levels = [POOLED_LEVELS.start + int(level) for level in config["pooled"]]

    def run(self, page: BlockInput) -> Array:
        """Return the probability of each role for every block: (n, roles)."""
        states = np.split(self._first_map.run(page), len(self._members), axis=1)
        pooled = _find_pooled(page, self._pooled_levels)
        total = self._members[0].run(np.ascontiguousarray(states[0]), pooled)
        for member, state in zip(self._members[1:], states[1:], strict=True):
            total += member.run(np.ascontiguousarray(state), pooled)
        total /= len(self._members)
        return total


class _FirstMap:
    """The first linear map, of all members: from features, names, tags and words to the states of the blocks."""

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        members: Sequence[Mapping[str, Array]],
        moments: tuple[Array, Array],
        tags: Sequence[str],
    ) -> None:
        mean, deviation = moments
        self._name_rows = {key: row for row, key in enumerate(arrays["name_keys"].tolist(), 1)}
        self._word_keys = arrays["word_keys"]
        self._tag_rows = {tag: row for row, tag in enumerate(tags, 1)}
        self._mean, self._max_distance = mean[:, None], MAX_DEVIATIONS * deviation[:, None]
        mixes = [_split_mix(member, len(mean)) for member in members]
        self._features = np.concatenate([mix.features / deviation[:, None] for mix in mixes], axis=1)  # standardises
        # Columns of the tables: near vectors of all members, then far vectors; start vectors, then mean vectors.
        near, far = (
            [_fill_rows(member[name], len(self._name_rows) + 1) for member in members] for name in ("near", "far")
        )
        self._names = np.concatenate((*near, *far), axis=1)
        self._mix_names = np.concatenate(
            [_join_diagonal(half) for half in zip(*(mix.names for mix in mixes), strict=True)]
        )
        halves = [np.split(member["word"], 2, axis=1) for member in members]
        self._words = np.concatenate([table for half in zip(*halves, strict=True) for table in half], axis=1)
        self._mix_words = np.concatenate(
            [_join_diagonal(half) for half in zip(*(mix.words for mix in mixes), strict=True)]
        )
        self._tag = np.concatenate(
            [member["tag"] @ mix.tag + member["mix_bias"] for member, mix in zip(members, mixes, strict=True)], axis=1
        )
        self._outer_tag = np.concatenate(
            [member["outer_tag"] @ mix.outer_tag for member, mix in zip(members, mixes, strict=True)], axis=1
        )

    def run(self, page: BlockInput) -> Array:
        """Return the states of the blocks: (n, members * width)."""
        features = page.features - self._mean
        np.maximum(features, -self._max_distance, out=features)
        np.minimum(features, self._max_distance, out=features)
        state = multiply(features.T, self._features)
        state += self._map_positions(page).take(page.position, axis=0)
        state += multiply(self._sum_words(page.words), self._mix_words)
        return np.maximum(state, 0, out=state)

    def _sum_words(self, words: NDArray[np.uint32]) -> Array:
        """Return the sum of the start vectors of the first words, and the mean of the other vectors of all words."""
        vectors = self._words.take(find_rows(self._word_keys, words), axis=0)  # (n, words, columns)
        sums = np.empty((len(words), vectors.shape[2]), np.float32)
        start, mean = np.split(sums, 2, axis=1)
        columns = start.shape[1]
        np.add.reduce(vectors[:, :START_WORDS, :columns], axis=1, out=start)
        np.add.reduce(vectors[:, :, columns:], axis=1, out=mean)
        mean /= np.maximum((words > 0).sum(1, keepdims=True, dtype=np.float32), 1)
        return np.tanh(sums, out=sums)

    def _map_positions(self, page: BlockInput) -> Array:
        """Return the part of the map that depends on the position: names, outer names, tag and outer tag."""
        count, name_columns = len(page.outer), self._names.shape[1] // 2
        # Index -1 is one more position, without names and tag, for "none around".
        outer = np.fromiter((*page.outer, -1), np.intp, count + 1)
        tags = np.fromiter((*map(self._tag_rows.get, page.tags, repeat(0)), 0), np.intp, count + 1)
        names = self._sum_names(page.names)  # near and far vectors of the position's names
        far = np.ascontiguousarray(names[:, name_columns:])
        enclosing = np.empty((MAX_NAME_LEVELS, count), np.intp)
        enclosing[0] = outer[:-1]
        for level in range(1, MAX_NAME_LEVELS):
            outer.take(enclosing[level - 1], out=enclosing[level], mode="wrap")
        outer_names = far.take(enclosing, axis=0, mode="wrap")
        outer_names *= _NAME_WEIGHTS
        np.add.reduce(outer_names, axis=0, out=names[:-1, name_columns:])
        state = multiply(np.tanh(names[:-1]), self._mix_names)
        state += self._tag.take(tags[:-1], axis=0)
        state += self._outer_tag.take(tags.take(outer[:-1], mode="wrap"), axis=0)
        return state

    def _sum_names(self, names: Sequence[tuple[int, ...]]) -> Array:
        """Return the sum of the vectors of each position's names, and one row of zeros at the end."""
        counts = np.fromiter((*map(len, names), 0), np.intp, len(names) + 1)
        ends = np.cumsum(counts)
        rows = map(self._name_rows.get, chain.from_iterable(names), repeat(0))  # unknown names: row 0, all zeros
        vectors = self._names.take(np.fromiter(rows, np.intp, int(ends[-1])), axis=0)
        running = np.zeros((len(vectors) + 1, vectors.shape[1]))
        np.cumsum(vectors, axis=0, out=running[1:])
        sums = running.take(ends, axis=0)
        sums[1:] -= sums[:-1].copy()
        return sums.astype(np.float32)


def _fill_rows(table: Array, rows: int) -> Array:
    """Return the table of a member. That of a member without names has no columns, and only the first row."""
    return table if table.shape[1] else np.zeros((rows, 0), np.float32)


class _Mix(NamedTuple):
    """The rows of a member's first map, by input."""

    features: Array
    names: tuple[Array, Array]  # near and far
    tag: Array
    outer_tag: Array
    words: tuple[Array, Array]  # start and mean


def _split_mix(member: Mapping[str, Array], features: int) -> _Mix:
    """Split the first map. Its rows are in this order: features, names, tag, outer tag, words."""
    near, tag, outer_tag, word = (member[name].shape[1] for name in ("near", "tag", "outer_tag", "word"))
    ends = np.cumsum((features, near, near, tag, outer_tag, word // 2))
    parts = np.split(member["mix"], ends)
    return _Mix(parts[0], (parts[1], parts[2]), parts[3], parts[4], (parts[5], parts[6]))


def _join_diagonal(parts: Sequence[Array]) -> Array:
    """Join the maps of members, so that the columns of a member depend on its rows only."""
    joined = np.zeros(tuple(np.sum([part.shape for part in parts], axis=0)), np.float32)
    row = column = 0
    for part in parts:
        rows, columns = part.shape
        joined[row : row + rows, column : column + columns] = part
        row, column = row + rows, column + columns
    return joined


class _Member:
    """The layers of a member after the first map."""

    def __init__(self, arrays: Mapping[str, Array], config: Mapping[str, Any]) -> None:
        self._layers = [
            (int(reach), arrays[f"conv{number}"], arrays[f"conv_bias{number}"])
            for number, reach in enumerate(config["reach"])
        ]
        self._pools = {
            int(layer): (arrays[f"pool{number}"], arrays[f"pool_bias{number}"])
            for number, layer in enumerate(config["pool_before"])
        }
        self._hidden, self._hidden_bias = arrays["hidden"], arrays["hidden_bias"]
        self._out, self._out_bias = arrays["out"], arrays["out_bias"]

    def run(self, state: Array, pooled: _Pooled) -> Array:
        """Return the probability of each role for every block: (n, roles). `state` is changed."""
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

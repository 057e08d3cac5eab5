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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Role
from broadsheet.errors import UsageError
from broadsheet.kernel import array_layers, is_compiled
from broadsheet.kernel import layers as compiled_layers
from broadsheet.methods.fusion.site_terms import KEYS, TERMS, SiteTerms
from broadsheet.models.config import read_setting
from broadsheet.models.multiply import multiply
from broadsheet.models.weights import CONFIG, Weights, check_arrays

Array = NDArray[np.float32]
layers = compiled_layers if is_compiled() else array_layers

# BODY: article text of any kind
OUTPUT_ROLES = (Role.BODY, Role.COMMENT, Role.TITLE, Role.BYLINE, Role.DATE, Role.CAPTION)
BODY, COMMENT, TITLE, BYLINE, DATE, CAPTION = range(len(OUTPUT_ROLES))  # columns of the output
POOLED_LEVELS = slice(1, 5)  # levels of containers over which the network may pool
NAME_DECAY = 0.7  # weight of a name relative to the same name one container further in
MAX_NAME_LEVELS = 6  # containers outwards whose names are read
START_WORDS = 3  # words at the start of a block, which have vectors of their own
MAX_DEVIATIONS = 5  # features are clipped at this many standard deviations from the mean
MAX_LOGIT = 30.0  # more would not change a float32 probability
_MAX_REACH = 10_000  # blocks; more than a page has
_NAME_WEIGHTS = NAME_DECAY ** np.arange(MAX_NAME_LEVELS, dtype=np.float32)


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
        self._word_keys = np.ascontiguousarray(arrays["word_keys"], np.uint32)
        self._word_starts = self._word_keys.searchsorted(np.arange(2**12 + 1) << 20)
        self._tag_rows = {tag: row for row, tag in enumerate(config["tags"], 1)}
        self.mean_features: Array = arrays["mean"].astype(np.float32)  # (features,) in training
        deviation: Array = arrays["spread"].astype(np.float32)[:, None]
        self._max_distance = MAX_DEVIATIONS * deviation[:, 0]
        self._pooled_levels = [POOLED_LEVELS.start + int(level) for level in config["pooled"]]
        self._members = [
            _Member(_select_member(arrays, member), deviation, config) for member in range(config["members"])
        ]
        self._site_terms = SiteTerms(arrays[KEYS], arrays[TERMS]) if KEYS in arrays else None

    def run(self, page: BlockInput, chars: Array | None = None, min_doubt: float = 0.0) -> Array:
        """Return the probability of each role for every block: (n, roles).

        With the lengths of the blocks, the members after the first one run only if the doubt of the first one is at
        least `min_doubt`.
        """
        inputs = self._read_input(page)
        terms = self._site_terms.sum_terms(page) if self._site_terms else None
        total = self._members[0].run(inputs, terms)
        if chars is not None and measure_doubt(total[:, BODY], chars) < min_doubt:
            return total
        for member in self._members[1:]:
            total += member.run(inputs, terms)
        total /= len(self._members)
        return total

    def compute_hidden(self, page: BlockInput) -> list[Array]:
        """Return the input of each member's output layer: (n, width). Training of the output layer needs only these."""
        inputs = self._read_input(page)
        return [member.compute_hidden(inputs) for member in self._members]

    def _read_input(self, page: BlockInput) -> _Input:
        """Clip the features, and look up the rows of names, words and tags."""
        features = np.empty(page.features.shape[::-1], np.float32)
        layers.clip_features(np.ascontiguousarray(page.features), self.mean_features, self._max_distance, features)
        count, words = len(page.outer), np.ascontiguousarray(page.words)
        name_ends, tags = np.empty(count, np.intp), np.zeros(count + 1, np.intp)
        name_rows = np.empty(sum(map(len, page.names)), np.intp)
        layers.find_name_rows(self._name_rows, list(page.names), name_ends, name_rows)
        layers.find_tag_rows(self._tag_rows, list(page.tags), tags)
        word_rows, word_counts = np.empty(words.shape, np.intp), np.empty(len(words), np.intp)
        layers.find_word_rows(self._word_keys, self._word_starts, words.reshape(-1), word_rows.reshape(-1))
        layers.count_words(words, word_counts)
        return _Input(
            page=page,
            features=features,
            pooled=_find_pooled(page, self._pooled_levels),
            names=name_rows,
            name_ends=name_ends,
            outer=np.array(page.outer, np.intp),
            words=word_rows,
            word_counts=word_counts,
            tags=tags,
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
    pooled: Sequence[_PooledLevel]
    names: NDArray[np.intp]  # rows of the names of all positions, in sequence
    name_ends: NDArray[np.intp]  # (p,)
    outer: NDArray[np.intp]  # (p,) position around each position, -1 for none
    words: NDArray[np.intp]  # (n, words)
    word_counts: NDArray[np.intp]  # (n,)
    tags: NDArray[np.intp]  # (p + 1,); the last one is for position -1


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
        self._pools = {
            int(layer): (arrays[f"pool{number}"], arrays[f"pool_bias{number}"])
            for number, layer in enumerate(config["pool_before"])
        }
        self._hidden, self._hidden_bias = arrays["hidden"], arrays["hidden_bias"]
        self._out, self._out_bias = arrays["out"], arrays["out_bias"]

    def run(self, inputs: _Input, terms: Array | None) -> Array:
        """Return the probability of each role for every block: (n, roles). `terms`: added to article text, (n,)."""
        logits = multiply(self.compute_hidden(inputs), self._out)
        logits += self._out_bias
        if terms is not None:
            logits[:, BODY] += terms
        return _apply_sigmoid(logits)

    def compute_hidden(self, inputs: _Input) -> Array:
        """Return the input of the output layer: (n, width)."""
        state = multiply(inputs.features, self._mix_features)
        layers.add_rows(state, self._map_positions(inputs), inputs.page.position)
        state += multiply(self._sum_words(inputs), self._mix_words)
        np.maximum(state, 0, out=state)
        for number in range(len(self._layers) + 1):
            if pool := self._pools.get(number):
                _pool_containers(state, inputs.pooled, *pool)
            if number < len(self._layers):
                reach, weight, bias = self._layers[number]
                layers.add_convolution(state, multiply(state, weight), bias, reach)
        hidden = multiply(state, self._hidden)
        hidden += self._hidden_bias
        return np.maximum(hidden, 0, out=hidden)

    def _sum_words(self, inputs: _Input) -> Array:
        """Return the sum of the start vectors of the first words, and the mean of the other vectors of all words."""
        sums = np.empty((len(inputs.words), self._words.shape[1]), np.float32)
        layers.sum_words(self._words, inputs.words, inputs.word_counts, START_WORDS, sums)
        return np.tanh(sums, out=sums)

    def _map_positions(self, inputs: _Input) -> Array:
        """Return the part of the first map that depends on the position: names, outer names, tag and outer tag."""
        state = self._tag.take(inputs.tags[:-1], axis=0)
        layers.add_rows(state, self._outer_tag, inputs.tags.take(inputs.outer, mode="wrap"))
        columns = self._names.shape[1]
        if columns:
            names = np.empty((len(inputs.outer), columns), np.float32)  # near and far vectors of the position's names
            outer_names = np.empty((len(names), columns // 2), np.float32)
            layers.sum_names(self._names, inputs.names, inputs.name_ends, names)
            layers.sum_outer_names(names, inputs.outer, _NAME_WEIGHTS, outer_names)
            names[:, columns // 2 :] = outer_names
            state += multiply(np.tanh(names, out=names), self._mix_names)
        return state


def _apply_sigmoid(logits: Array) -> Array:
    """Turn logits into probabilities, in place."""
    np.minimum(logits, MAX_LOGIT, out=logits)
    np.maximum(logits, -MAX_LOGIT, out=logits)
    np.negative(logits, out=logits)
    np.exp(logits, out=logits)
    logits += 1
    return np.divide(1, logits, out=logits)


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
    if KEYS in weights.arrays:
        check_arrays(weights, {KEYS: (None,)}, kinds="u")
        check_arrays(weights, {TERMS: weights.arrays[KEYS].shape})
    for member in range(read_setting(weights, "network", "members", kind=int)):
        sized = {"mix_bias": (None,), **dict.fromkeys(("near", "tag", "outer_tag", "word"), (None, None))}
        check_arrays(weights, {name_member_array(name, member): shape for name, shape in sized.items()})
        shapes = _list_shapes(weights, member, features)
        check_arrays(weights, {name_member_array(name, member): shape for name, shape in shapes.items()})
    _check_ranges(weights)
    return BlockNetwork(weights.arrays, weights.config["network"])


def _check_ranges(weights: Weights) -> None:
    """Raise UsageError for numbers that would lead outside the arrays: compiled loops do not check their indices."""
    levels = POOLED_LEVELS.stop - POOLED_LEVELS.start
    ranges = {"reach": range(1, _MAX_REACH + 1), "pooled": range(levels)}
    for name, allowed in ranges.items():
        for number in read_setting(weights, "network", name, kind=tuple[int, ...]):
            if number not in allowed:
                raise UsageError(
                    f"'network.{name}' in {weights.folder / CONFIG} has {number}, expected {allowed.start} to "
                    f"{allowed.stop - 1}; {weights.advice}"
                )
    if read_setting(weights, "network", "members", kind=int) < 1:
        raise UsageError(f"'network.members' in {weights.folder / CONFIG} is less than 1; {weights.advice}")


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
class _PooledLevel:
    """The containers of one level over which means are taken."""

    first_block: NDArray[np.intp]  # (containers,)
    end_block: NDArray[np.intp]  # (containers,)
    container: NDArray[np.intp]  # (n,) index of each block's container


def _find_pooled(page: BlockInput, levels: Sequence[int]) -> list[_PooledLevel]:
    total = len(page.first_block)
    pooled = []
    for level in levels:
        containers = np.ascontiguousarray(page.enclosing[level])
        numbers, used = np.zeros(total, np.intp), np.empty(total, np.intp)
        used = used[: layers.find_used(containers, numbers, used)]
        first_block, end_block = page.first_block.take(used), page.end_block.take(used)
        pooled.append(_PooledLevel(first_block, end_block, numbers.take(containers)))
    return pooled


def _pool_containers(state: Array, pooled: Sequence[_PooledLevel], weight: Array, bias: Array) -> None:
    """Add a linear map of the block, the means over its containers and the mean over the page, after ReLU."""
    number, width = state.shape
    running = np.empty((number + 1, width), np.float32)
    layers.sum_running(state, running)
    change = multiply(state, weight[:width])
    for part, level in enumerate(pooled, 1):
        means = np.empty((len(level.first_block), width), np.float32)
        layers.average_rows(running, level.first_block, level.end_block, means)
        layers.add_rows(change, multiply(means, weight[part * width : (part + 1) * width]), level.container)
    layers.add_positive(state, change, running[-1] / number @ weight[-width:] + bias)

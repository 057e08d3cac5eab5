"""The block network in NumPy: the reference for `kernel/network.pyx`, and used where nothing is compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.arrays import multiply

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]
Hashes = NDArray[np.uint32]

MAX_LOGIT = 30.0  # more would not change a float32 probability


class BlockInput(NamedTuple):
    """The network's input: a page of n blocks, c containers and p positions."""

    features: Floats  # (features, n)
    words: Hashes  # (n, words) hashes of the first words of each block; 0 for none
    enclosing: Indices  # (levels, n) containers around each block, the innermost first
    first_block: Indices  # (c,) the last container is the page
    end_block: Indices  # (c,)
    position: Indices  # (n,)
    outer: Indices  # (p,) position around each position, always a smaller number; -1 for none
    tags: NDArray[np.uint16]  # (p,) indices into `html.names.TAG_NAMES`; 0 for none
    name_hashes: Hashes  # hashes of the words of class and id of all positions, in sequence
    name_ends: Indices  # (p,) where the names of each position end


class MemberWeights(NamedTuple):
    """The arrays of one member. It may have no columns for names."""

    names: Floats  # (names + 1, 2 * columns) vectors for the position of the name, and for the positions inside it
    words: Floats  # (words + 1, 2 * columns) vectors for the first words, and for all words
    tags: Floats  # (tags + 1, width) multiplied by the first map; with its bias
    outer_tags: Floats  # (tags + 1, width) multiplied by the first map
    mix_features: Floats  # (features, width)
    mix_names: Floats  # (2 * columns, width)
    mix_words: Floats  # (2 * columns, width)
    convolutions: Sequence[tuple[int, Floats, Floats]]  # reach, (width, 3 * width) weight, (width,) bias
    pools: Mapping[int, tuple[Floats, Floats]]  # number of the next layer -> weight, bias
    hidden: Floats  # (width, width)
    hidden_bias: Floats  # (width,)
    out: Floats  # (width, roles)
    out_bias: Floats  # (roles,)


class NetworkWeights(NamedTuple):
    """What members share, and their arrays. Row 0 of the tables of names, words and tags is for unknown ones."""

    name_keys: Hashes  # (names,) sorted
    word_keys: Hashes  # (words,) sorted
    tag_rows: Indices  # the row of each tag of `html.names.TAG_NAMES` in the tables of tags
    mean: Floats  # (features,)
    max_distance: Floats  # (features,) features are clipped at this distance from the mean
    pooled_levels: Sequence[int]
    start_words: int  # words at the start of a block, which have vectors of their own
    name_weights: Floats  # (levels,) weights of names around a position, the innermost first
    body_column: int  # of the output: article text, to which terms are added
    members: Sequence[MemberWeights]


class Network:
    """Runs the members on pages."""

    def __init__(self, weights: NetworkWeights) -> None:
        self._weights = weights

    def run(
        self, page: BlockInput, terms: Floats | None = None, chars: Floats | None = None, min_doubt: float = 0.0
    ) -> Floats:
        """Return the mean probability of each role: (n, roles). `terms`, (n,), are added to the logits of article text.

        With the lengths of the blocks, `chars`, the members after the first one run only if the doubt of the first one
        is at least `min_doubt`.
        """
        inputs, column = self._read_page(page), self._weights.body_column
        members = self._weights.members
        total = np.zeros((len(page.position), len(members[0].out_bias)), np.float32)
        for number, member in enumerate(members):
            logits = multiply(_compute_hidden(member, inputs), member.out) + member.out_bias
            if terms is not None:
                logits[:, column] += terms
            total += 1 / (1 + np.exp(-logits.clip(-MAX_LOGIT, MAX_LOGIT)))
            if number == 0 and chars is not None and measure_doubt(total[:, column], chars) < min_doubt:
                return total
        return total / np.float32(len(members))

    def compute_hidden(self, page: BlockInput) -> list[Floats]:
        """Return the input of each member's output layer: (n, width)."""
        inputs = self._read_page(page)
        return [_compute_hidden(member, inputs) for member in self._weights.members]

    def _read_page(self, page: BlockInput) -> _Inputs:
        weights = self._weights
        limit, levels = weights.max_distance[:, None], page.enclosing[list(weights.pooled_levels)]
        return _Inputs(
            page=page,
            features=np.ascontiguousarray((page.features - weights.mean[:, None]).clip(-limit, limit).T),
            first=page.first_block[levels],
            end=page.end_block[levels],
            tags=weights.tag_rows.take(page.tags),
            names=find_rows(weights.name_keys, page.name_hashes),
            words=find_rows(weights.word_keys, page.words),
            start_words=weights.start_words,
            name_weights=weights.name_weights,
        )


def measure_doubt(scores: Floats, chars: Floats) -> float:
    """Return the mean distance of scores from 0 or 1, per expected character of article text."""
    doubt = float(chars @ np.minimum(scores, 1 - scores))
    return doubt / max(float(chars @ scores), 1.0)


def find_rows(keys: Hashes, hashes: Hashes) -> Indices:
    """Return the row of each hash in a table of sorted keys; row 0 is for unknown ones."""
    if not len(keys):
        return np.zeros(hashes.shape, np.intp)
    rows = np.minimum(keys.searchsorted(hashes), len(keys) - 1)
    return np.where(keys.take(rows) == hashes, rows + 1, 0)


class _Inputs(NamedTuple):
    """A page, and its rows of the tables."""

    page: BlockInput
    features: Floats  # (n, features), clipped
    first: Indices  # (pooled levels, n) first block of the container around each block
    end: Indices  # (pooled levels, n)
    tags: Indices  # (p,)
    names: Indices
    words: Indices  # (n, words)
    start_words: int
    name_weights: Floats


def _compute_hidden(member: MemberWeights, inputs: _Inputs) -> Floats:
    """Return the input of the output layer: (n, width)."""
    state = multiply(inputs.features, member.mix_features) + multiply(_sum_words(member, inputs), member.mix_words)
    state = _apply_relu(state + _map_positions(member, inputs).take(inputs.page.position, axis=0))
    for number in range(len(member.convolutions) + 1):
        if pool := member.pools.get(number):
            state = state + _pool_containers(state, inputs, *pool)
        if number < len(member.convolutions):
            state = state + _convolve(state, *member.convolutions[number])
    return _apply_relu(multiply(state, member.hidden) + member.hidden_bias)


def _apply_relu(values: Floats) -> Floats:
    return np.asarray(np.maximum(values, 0))


def _sum_words(member: MemberWeights, inputs: _Inputs) -> Floats:
    """Return the sum of the start vectors of the first words, and the mean of the other vectors of all words."""
    vectors, half = member.words.take(inputs.words, axis=0), member.words.shape[1] // 2
    counts = np.maximum(np.count_nonzero(inputs.page.words, axis=1), 1).astype(np.float32)
    starts = vectors[:, : inputs.start_words, :half].sum(axis=1)
    means = vectors[:, :, half:].sum(axis=1) / counts[:, None]
    return np.asarray(np.tanh(np.concatenate((starts, means), axis=1)))


def _map_positions(member: MemberWeights, inputs: _Inputs) -> Floats:
    """Return the part of the first map that depends on the position: names, outer names, tag and outer tag."""
    page, tags, half = inputs.page, inputs.tags, member.names.shape[1] // 2
    state = member.tags.take(tags, axis=0)
    state += member.outer_tags.take(np.where(page.outer >= 0, tags.take(page.outer, mode="wrap"), 0), axis=0)
    if half:
        running = np.zeros((len(inputs.names) + 1, 2 * half))
        np.cumsum(member.names.take(inputs.names, axis=0), axis=0, out=running[1:])
        sums = running.take(page.name_ends, axis=0) - running.take(np.append(0, page.name_ends[:-1]), axis=0)
        outer_sums = _sum_outer(sums[:, half:], page.outer, inputs.name_weights)
        state += multiply(np.tanh(np.append(sums[:, :half], outer_sums, axis=1), dtype=np.float32), member.mix_names)
    return state


def _sum_outer(names: NDArray[np.float64], outer: Indices, weights: Floats) -> NDArray[np.float64]:
    """Sum the vectors of the names around each position with the weights of the levels, the innermost first."""
    padded = np.append(names, np.zeros((1, names.shape[1])), axis=0)  # the last row is for position -1
    around, level, total = np.append(outer, -1), outer, np.zeros_like(names)
    for weight in weights.tolist():
        total += weight * padded[level]
        level = around[level]
    return total


def _convolve(state: Floats, reach: int, weight: Floats, bias: Floats) -> Floats:
    """Map the rows `reach` blocks before, at and after each block, with zeros outside the page; then ReLU."""
    count, width = state.shape
    parts = multiply(state, weight)
    change = parts[:, width : 2 * width] + bias
    if reach < count:
        change[reach:] += parts[:-reach, :width]
        change[:-reach] += parts[reach:, 2 * width :]
    return _apply_relu(change)


def _pool_containers(state: Floats, inputs: _Inputs, weight: Floats, bias: Floats) -> Floats:
    """Map the block, the means over its containers and the mean over the page; then ReLU."""
    running = np.append(np.zeros((1, state.shape[1]), np.float32), np.cumsum(state, axis=0), axis=0)
    means = [
        (running.take(end, axis=0) - running.take(first, axis=0)) / (end - first).astype(np.float32)[:, None]
        for first, end in zip(inputs.first, inputs.end, strict=True)
    ]
    page = np.broadcast_to(running[-1] / np.float32(len(state)), state.shape)
    return _apply_relu(multiply(np.concatenate((state, *means, page), axis=1), weight) + bias)

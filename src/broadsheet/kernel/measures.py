# cython: boundscheck=False, wraparound=False
"""Features of blocks that depend on their places: containers, positions, order, distance to the headline, context.

The columns of a group are written into one flat buffer, (names, n): the value of feature f for block b is at f * n + b.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel.texts import MIN_LONG_CHARS, make_logs

# The values of a container or of a position, in the order of the columns.
CONTAINER_NAMES = ("chars", "share", "links", "prose", "long", "long_share", "blocks")
POSITION_NAMES = ("blocks", "share", "links", "prose", "long_share", "chars")
ORDER_NAMES = ("at", "before", "left", "page_blocks", "chars_at", "long_at", "page_chars")
HEADLINE_NAMES = (
    *("has_headline", "from_headline", "is_headline", "after_headline", "levels_to_headline", "share_with_headline"),
    "headlines_since",
)
SENTENCE_CHARS = 20  # scales commas and sentence ends per character to about 1 in prose

_SENTENCE_CHARS = SENTENCE_CHARS
_CONTAINER_VALUES, _POSITION_SUMS = len(CONTAINER_NAMES), 5
_LOGS = make_logs()
_LOG_COUNT = len(_LOGS)

_MIN_LONG_CHARS = MIN_LONG_CHARS
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Indices = NDArray[np.intp]
FloatBuffer = Any  # a memoryview; its type in Python allows only integers


class BlockPlaces:
    """Where n blocks are: their containers and positions, and running sums of their texts. All are flat buffers."""

    __slots__ = ("enclosing", "end_block", "first_block", "levels", "number", "position", "positions", "sums")

    def __init__(  # noqa: PLR0913
        self,
        *,
        number: int,
        levels: int,
        sums: FloatBuffer,
        enclosing: memoryview,
        first_block: memoryview,
        end_block: memoryview,
        position: memoryview,
        positions: int,
    ) -> None:
        self.number = number
        self.levels = levels
        self.sums = sums  # float64, (texts.SUMS, n + 1): see `texts.measure_texts`
        self.enclosing = enclosing  # (levels + 1, n) containers around each block, the innermost first, the page last
        self.first_block = first_block  # (containers,)
        self.end_block = end_block  # (containers,)
        self.position = position  # (n,)
        self.positions = positions  # number of positions


def measure_containers(places: BlockPlaces, features: FloatBuffer) -> None:
    """Write CONTAINER_NAMES for each level of containers, then how far into each of them the block is."""
    sums, first_block, end_block, enclosing = places.sums, places.first_block, places.end_block, places.enclosing
    number, levels, count = places.number, places.levels, len(places.first_block)
    row = number + 1  # of the sums
    total_chars, total_long_chars = max(sums[number], 1.0), max(sums[5 * row - 1], 1.0)
    table = array("f", bytes(4 * _CONTAINER_VALUES * count))
    for container in range(count):
        start, stop = first_block[container], end_block[container]
        chars = sums[stop] - sums[start]
        some_chars = max(chars, 1.0)
        at = container * _CONTAINER_VALUES
        table[at] = find_log(chars)
        table[at + 1] = chars / total_chars
        table[at + 2] = (sums[row + stop] - sums[row + start]) / some_chars
        table[at + 3] = (sums[2 * row + stop] - sums[2 * row + start]) * (_SENTENCE_CHARS / some_chars)
        table[at + 4] = find_log(sums[3 * row + stop] - sums[3 * row + start])
        table[at + 5] = (sums[4 * row + stop] - sums[4 * row + start]) / total_long_chars
        table[at + 6] = find_log(stop - start)
    for level in range(levels):
        for block in range(number):
            container = enclosing[level * number + block]
            at = level * number + block
            for value in range(_CONTAINER_VALUES):
                features[at] = table[container * _CONTAINER_VALUES + value]
                at += levels * number
            start, stop = first_block[container], end_block[container]
            features[at] = (block - start) / (stop - start)


def measure_positions(places: BlockPlaces, features: FloatBuffer) -> None:
    """Write POSITION_NAMES: sums over all blocks of the same position."""
    sums, position, number = places.sums, places.position, places.number
    row = number + 1
    total_chars, total_long_chars = max(sums[number], 1.0), max(sums[5 * row - 1], 1.0)
    totals = array("d", bytes(8 * _POSITION_SUMS * places.positions))  # blocks, chars, links, punctuation, long chars
    for block in range(number):
        at = position[block] * _POSITION_SUMS
        totals[at] += 1
        totals[at + 1] += sums[block + 1] - sums[block]
        totals[at + 2] += sums[row + block + 1] - sums[row + block]
        totals[at + 3] += sums[2 * row + block + 1] - sums[2 * row + block]
        totals[at + 4] += sums[4 * row + block + 1] - sums[4 * row + block]
    for block in range(number):
        at = position[block] * _POSITION_SUMS
        blocks, chars = totals[at], totals[at + 1]
        some_chars = max(chars, 1.0)
        features[block] = find_log(blocks)
        features[number + block] = chars / total_chars
        features[2 * number + block] = totals[at + 2] / some_chars
        features[3 * number + block] = totals[at + 3] / (some_chars / _SENTENCE_CHARS)
        features[4 * number + block] = totals[at + 4] / total_long_chars
        features[5 * number + block] = find_log(chars / blocks)


def measure_order(places: BlockPlaces, features: FloatBuffer) -> None:
    """Write ORDER_NAMES: where the block is in the sequence of blocks."""
    sums, number = places.sums, places.number
    row = number + 1
    total_chars, total_long_chars = max(sums[number], 1.0), max(sums[5 * row - 1], 1.0)
    log_blocks, log_chars = find_log(number), find_log(total_chars)
    for block in range(number):
        features[block] = block / number
        features[number + block] = find_log(block)
        features[2 * number + block] = find_log(number - block)
        features[3 * number + block] = log_blocks
        features[4 * number + block] = sums[block] / total_chars
        features[5 * number + block] = sums[4 * row + block] / total_long_chars
        features[6 * number + block] = log_chars


def measure_headline(  # noqa: PLR0913, PLR0917
    places: BlockPlaces, headline: int, tags: Any, containers: Any, tag: int, features: FloatBuffer
) -> None:
    """Write HEADLINE_NAMES. `features` are zeros, and there is a headline.

    `tags` has the tags of all rows of the page, `containers` the row of each block's container. `tag` is that of the
    headline if it is a heading, else -1.
    """
    sums, enclosing, number = places.sums, places.enclosing, places.number
    first_block, end_block, levels = places.first_block, places.end_block, places.levels
    total_chars = max(sums[number], 1.0)
    for block in range(number):
        # Level of the innermost container that holds both; the page, the last one, holds all blocks.
        level = 0
        container = enclosing[block]
        while level < levels and not (first_block[container] <= headline < end_block[container]):
            level += 1
            container = enclosing[level * number + block]
        distance = find_log(abs(block - headline)) / 3
        features[block] = 1
        features[number + block] = distance if block >= headline else -distance
        features[3 * number + block] = block > headline
        features[4 * number + block] = level / levels
        features[5 * number + block] = (sums[end_block[container]] - sums[first_block[container]]) / total_chars
    features[2 * number + headline] = 1
    count = 0  # of headings of the same tag since the headline
    if tag >= 0:
        for block in range(headline + 1, number):
            row = containers[block]
            if row >= 0 and tags[row] == tag:
                count += 1
            features[6 * number + block] = find_log(count)


def measure_context(contexts: Sequence[int], bits: int, features: FloatBuffer) -> None:
    """Write one column for each bit of the context flags, the lowest first."""
    number = len(contexts)
    for block in range(number):
        flags = contexts[block]
        for bit in range(bits):
            features[bit * number + block] = flags >> bit & 1


def measure_depth(depths: Any, places: BlockPlaces, texts: Sequence[str], features: FloatBuffer) -> None:
    """Write the depth of each block, given that of each position, and the number of other blocks with its text."""
    position, number = places.position, places.number
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    for block in range(number):
        depth = depths[position[block]]
        features[block] = depth / 10.0
    if len(counts) == number:
        for block in range(number):
            features[number + block] = 0.0
        return
    for block in range(number):
        count = counts[texts[block]]
        features[number + block] = find_log(count - 1)


def sum_blocks(  # noqa: C901, PLR0913, PLR0917 - one pass over the blocks
    features: Floats, rows: Indices, scores: Floats, chars: Floats, threshold: float, sums: Doubles, extremes: Doubles
) -> None:
    """Write sums over the blocks of a page. Blocks whose score of article text is above the threshold are kept.

    `features` is (names, n), `scores` is (n, roles). `sums` and `extremes` must be zeros.

    The rows of `sums`: all blocks, weighted by their characters; kept blocks, weighted in the same way; kept blocks,
    not weighted. Its columns: the features in `rows`; the number 1; the first two scores; whether the block is long;
    the distance of the first score from 0 or 1.

    `extremes`: characters of the longest kept block; number of sequences of kept blocks; the last kept block, or -1;
    the highest score of each role.
    """
    number, roles, count = scores.shape[0], scores.shape[1], len(rows)
    last = -1
    for block in range(number):
        score, weight = scores[block, 0], chars[block]
        is_kept = score > threshold
        if is_kept:
            if last < 0 or last < block - 1:
                extremes[1] += 1
            extremes[0] = max(extremes[0], weight)
            last = block
        for column in range(count + 5):
            if column < count:
                value = features[rows[column], block]
            elif column == count:
                value = 1.0
            elif column == count + 1:
                value = score
            elif column == count + 2:
                value = scores[block, 1]
            elif column == count + 3:
                value = weight > _MIN_LONG_CHARS
            else:
                value = min(score, 1.0 - score)
            sums[0, column] += weight * value
            if is_kept:
                sums[1, column] += weight * value
                sums[2, column] += value
        for role in range(roles):
            extremes[3 + role] = max(extremes[3 + role], scores[block, role])
    extremes[2] = last


def find_log(count: float) -> float:
    """Return log(1 + count). Most counts are small integers or halves."""
    halves = 2 * count
    if halves < _LOG_COUNT:
        index = int(halves)
        if index == halves:
            return _LOGS[index]
    return log1p(count)

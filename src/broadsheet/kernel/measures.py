# cython: boundscheck=False, wraparound=False
"""Features of blocks that depend on their places: containers, positions, order, distance to the headline, context.

All features of a page are one flat buffer, (names, n): the value of feature f for block b is at f * n + b. Each
function writes the columns of one group, given the first of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import log1p
from typing import Any

from broadsheet.kernel.texts import MIN_LONG_CHARS, make_logs

# The values of a container or of a position, in the order of the columns.
CONTAINER_NAMES = ("chars", "share", "links", "prose", "long", "long_share", "blocks")
POSITION_NAMES = ("blocks", "share", "links", "prose", "long_share", "chars")
ORDER_NAMES = ("at", "before", "left", "page_blocks", "chars_at", "long_at", "page_chars")
HEADLINE_NAMES = (
    *("has_headline", "from_headline", "is_headline", "after_headline", "levels_to_headline", "share_with_headline"),
    "headlines_since",
)
# Features of the network's output, in the order in which `measure_outcome` writes them. Kept blocks are those above the
# threshold. Shares and means of kept blocks are weighted by characters.
OUTCOME_NAMES = (
    "chars",  # kept, log
    "blocks",  # kept, log
    "share",  # of the page's characters that are kept
    "sureness",  # mean score of kept blocks
    "doubt",  # distance of scores from 0 or 1, per expected character of text
    "expected_f1",
    "links",  # share of link characters in kept blocks
    "runs",  # sequences of kept blocks, log
    "longest",  # characters of the longest kept block, log
    "block_chars",  # mean length of kept blocks, log
    "before_headline",  # share of kept characters
    "has_headline",
    "page_blocks",  # log
    "page_chars",  # log
    "page_links",  # share of link characters
    "ends_sentence",  # share of kept blocks
    "ends_cut",  # share of kept blocks
    "headings",  # share of kept blocks
    "repeats",  # in kept blocks
    "comments",  # mean comment score of the page
    "title",  # highest score of the role in the page
    "byline",
    "date",
    "long_share",  # share of kept characters in long blocks
    "in_body",  # share of kept characters that the stated article text has
    "has_body",
    "ends_at",  # relative index of the last kept block
    "likely",  # highest score
    "unspaced",  # share of unspaced characters in kept blocks
)
# The block features that they are made of: sums, then values of the first block, then of the last kept block.
SUMMED_NAMES = (
    *("links", "after_headline", "ends_sentence", "ends_cut", "in_heading", "repeats", "in_body", "unspaced_share"),
    *("has_headline", "has_body", "at"),
)
SENTENCE_CHARS = 20  # scales commas and sentence ends per character to about 1 in prose

_SENTENCE_CHARS = SENTENCE_CHARS
_CONTAINER_VALUES, _POSITION_SUMS = len(CONTAINER_NAMES), 5
_LOGS = make_logs()
_LOG_COUNT = len(_LOGS)
_LENGTHS = 512
# Columns of the sums: the first SUMMED_NAMES, the number 1, the first two scores, ... (see `sum_blocks`).
_LINKS, _AFTER, _ENDS, _CUT, _HEADINGS, _REPEATS, _BODY, _UNSPACED, _ONE, _SCORE, _COMMENT, _LONG, _DOUBT = range(13)
_SUMMED, _WIDTH = 8, 13

_MIN_LONG_CHARS = MIN_LONG_CHARS
FloatBuffer = Any  # a memoryview; its type in Python allows only integers


class BlockPlaces:
    """Where n blocks are: their containers and positions, and running sums of their texts. All are flat buffers."""

    def __init__(  # noqa: PLR0913
        self,
        *,
        number: int,
        levels: int,
        features: FloatBuffer,
        sums: FloatBuffer,
        enclosing: Any,
        first_block: Any,
        end_block: Any,
        position: Any,
        containers: int,
        positions: int,
    ) -> None:
        self.number = number
        self.levels = levels
        self.features = features  # float32, (names, n); columns that are written in part are zeros
        self.sums = sums  # float64, (texts.SUMS, n + 1): see `texts.measure_texts`
        self.enclosing = enclosing  # (levels + 1, n) containers around each block, the innermost first, the page last
        self.first_block = first_block  # (containers,)
        self.end_block = end_block  # (containers,)
        self.position = position  # (n,)
        self.containers = containers  # number of containers
        self.positions = positions  # number of positions


def measure_containers(places: BlockPlaces, column: int) -> None:
    """Write CONTAINER_NAMES for each level of containers, then how far into each of them the block is."""
    features, sums, enclosing = places.features, places.sums, places.enclosing
    first_block, end_block = places.first_block, places.end_block
    number, levels, count = places.number, places.levels, places.containers
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
            at = (column + level) * number + block
            for value in range(_CONTAINER_VALUES):
                features[at] = table[container * _CONTAINER_VALUES + value]
                at += levels * number
            start, stop = first_block[container], end_block[container]
            features[at] = (block - start) / (stop - start)


def measure_positions(places: BlockPlaces, column: int) -> None:
    """Write POSITION_NAMES: sums over all blocks of the same position."""
    features, sums, position, number = places.features, places.sums, places.position, places.number
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
        target = column * number + block
        features[target] = find_log(blocks)
        features[target + number] = chars / total_chars
        features[target + 2 * number] = totals[at + 2] / some_chars
        features[target + 3 * number] = totals[at + 3] / (some_chars / _SENTENCE_CHARS)
        features[target + 4 * number] = totals[at + 4] / total_long_chars
        features[target + 5 * number] = find_log(chars / blocks)


def measure_order(places: BlockPlaces, column: int) -> None:
    """Write ORDER_NAMES: where the block is in the sequence of blocks."""
    features, sums, number = places.features, places.sums, places.number
    row = number + 1
    total_chars, total_long_chars = max(sums[number], 1.0), max(sums[5 * row - 1], 1.0)
    log_blocks, log_chars = find_log(number), find_log(total_chars)
    for block in range(number):
        at = column * number + block
        features[at] = block / number
        features[at + number] = find_log(block)
        features[at + 2 * number] = find_log(number - block)
        features[at + 3 * number] = log_blocks
        features[at + 4 * number] = sums[block] / total_chars
        features[at + 5 * number] = sums[4 * row + block] / total_long_chars
        features[at + 6 * number] = log_chars


def measure_headline(  # noqa: PLR0913, PLR0917
    places: BlockPlaces, column: int, headline: int, tags: Any, containers: Any, tag: int
) -> None:
    """Write HEADLINE_NAMES. There is a headline.

    `tags` has the tags of all rows of the page, `containers` the row of each block's container. `tag` is that of the
    headline if it is a heading, else -1.
    """
    features, sums, enclosing, number = places.features, places.sums, places.enclosing, places.number
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
        at = column * number + block
        features[at] = 1
        features[at + number] = distance if block >= headline else -distance
        features[at + 3 * number] = block > headline
        features[at + 4 * number] = level / levels
        features[at + 5 * number] = (sums[end_block[container]] - sums[first_block[container]]) / total_chars
    features[(column + 2) * number + headline] = 1
    count = 0  # of headings of the same tag since the headline
    if tag >= 0:
        for block in range(headline + 1, number):
            row = containers[block]
            if row >= 0 and tags[row] == tag:
                count += 1
            features[(column + 6) * number + block] = find_log(count)


def measure_context(places: BlockPlaces, column: int, contexts: Sequence[int], bits: int) -> None:
    """Write one column for each bit of the context flags, the lowest first."""
    features, number = places.features, places.number
    for block in range(number):
        flags = contexts[block]
        for bit in range(bits):
            features[(column + bit) * number + block] = flags >> bit & 1


def measure_depth(places: BlockPlaces, column: int, depths: Any, texts: Sequence[str]) -> None:
    """Write the depth of each block, given that of each position, and the number of other blocks with its text."""
    features, position, number = places.features, places.position, places.number
    counts: dict[str, int] = {}
    lengths: Any = array("i", bytes(4 * _LENGTHS))  # number of texts of each length
    for block in range(number):
        lengths[len(texts[block]) % _LENGTHS] += 1
    for block in range(number):
        text = texts[block]
        if lengths[len(text) % _LENGTHS] > 1:  # a long text without a copy is not hashed
            counts[text] = counts.get(text, 0) + 1
    for block in range(number):
        depth, text = depths[position[block]], texts[block]
        count = counts[text] if lengths[len(text) % _LENGTHS] > 1 else 1
        features[column * number + block] = depth / 10.0
        features[(column + 1) * number + block] = find_log(count - 1)


def measure_articles(places: BlockPlaces, column: int, first_rows: Any, headline: int, articles: Any) -> None:
    """Write whether a block is in the article of the headline, and in another one; and the number of articles.

    `articles` has the first row of each article and the row after it, in document order: an inner one follows the
    outer one. `first_rows` are the first rows of the blocks.
    """
    features, number, count = places.features, places.number, len(articles) // 2
    log_count = find_log(count)
    around: Any = array("i", bytes(4 * number))  # the innermost article of each block plus 1; 0 for none
    opened: Any = array("i", bytes(4 * count))  # a stack of articles
    depth = 0  # of the stack
    start = 0  # of the articles that are not opened
    for block in range(number):
        row = first_rows[block]
        while start < count and articles[2 * start] <= row:
            opened[depth] = start
            depth += 1
            start += 1
        while depth > 0 and articles[2 * opened[depth - 1] + 1] <= row:
            depth -= 1
        around[block] = opened[depth - 1] + 1 if depth > 0 else 0
    headline_article = around[headline] if headline >= 0 else 0
    for block in range(number):
        at = column * number + block
        if around[block]:
            features[at if around[block] == headline_article else at + number] = 1
        features[at + 2 * number] = log_count


def sum_blocks(  # noqa: C901, PLR0913, PLR0917 - one pass over the blocks
    features: FloatBuffer,
    columns: bytes,
    scores: FloatBuffer,
    chars: FloatBuffer,
    threshold: float,
    sums: Any,
    extremes: Any,
) -> None:
    """Write sums over the blocks of a page. Blocks whose score of article text is above the threshold are kept.

    All are flat buffers: `features` is (names, n), `scores` is (n, roles). `sums` and `extremes` must be zeros.

    The rows of `sums`: all blocks, weighted by their characters; kept blocks, weighted in the same way; kept blocks,
    not weighted. Its columns: the features in `columns`; the number 1; the first two scores; whether the block is long;
    the distance of the first score from 0 or 1.

    `extremes`: characters of the longest kept block; number of sequences of kept blocks; the last kept block, or -1;
    the highest score of each role.
    """
    number, count, width, roles = len(chars), len(columns), len(columns) + 5, len(extremes) - 3
    last = -1
    for block in range(number):
        first = block * roles
        score, weight = scores[first], chars[block]
        is_kept = score > threshold
        if is_kept:
            if last < 0 or last < block - 1:
                extremes[1] += 1
            extremes[0] = max(extremes[0], weight)
            last = block
        for column in range(width):
            if column < count:
                value = features[columns[column] * number + block]
            elif column == count:
                value = 1.0
            elif column == count + 1:
                value = score
            elif column == count + 2:
                value = scores[first + 1]
            elif column == count + 3:
                value = weight > _MIN_LONG_CHARS
            else:
                value = min(score, 1.0 - score)
            sums[column] += weight * value
            if is_kept:
                sums[width + column] += weight * value
                sums[2 * width + column] += value
        for role in range(roles):
            extremes[3 + role] = max(extremes[3 + role], scores[first + role])
    extremes[2] = last


def measure_outcome(  # noqa: PLR0913, PLR0917
    features: FloatBuffer, columns: bytes, scores: FloatBuffer, chars: FloatBuffer, threshold: float, row: FloatBuffer
) -> None:
    """Write OUTCOME_NAMES into a row of float32. `columns` are those of SUMMED_NAMES.

    `scores` is (n, roles): article text, comment, title, byline, date and others.
    """
    number = len(chars)
    roles = len(scores) // number
    sums, extremes = array("d", bytes(8 * 3 * _WIDTH)), array("d", bytes(8 * (3 + roles)))
    sum_blocks(features, columns[:_SUMMED], scores, chars, threshold, sums, extremes)
    page_chars, some_chars = max(sums[_ONE], 1.0), max(sums[_WIDTH + _ONE], 1.0)
    kept_chars, kept_score, blocks = sums[_WIDTH + _ONE], sums[_WIDTH + _SCORE], max(sums[2 * _WIDTH + _ONE], 1.0)
    last = int(extremes[2])
    row[0] = log1p(kept_chars)
    row[1] = log1p(sums[2 * _WIDTH + _ONE])
    row[2] = kept_chars / page_chars
    row[3] = kept_score / some_chars
    row[4] = sums[_DOUBT] / max(sums[_SCORE], 1.0)
    row[5] = 2 * kept_score / max(kept_chars + sums[_SCORE], 1.0)
    row[6] = sums[_WIDTH + _LINKS] / some_chars
    row[7] = log1p(extremes[1])
    row[8] = log1p(extremes[0])
    row[9] = log1p(kept_chars / blocks)
    row[10] = 1 - sums[_WIDTH + _AFTER] / some_chars
    row[11] = features[columns[_SUMMED] * number]
    row[12] = log1p(number)
    row[13] = log1p(page_chars)
    row[14] = sums[_LINKS] / page_chars
    row[15] = sums[2 * _WIDTH + _ENDS] / blocks
    row[16] = sums[2 * _WIDTH + _CUT] / blocks
    row[17] = sums[2 * _WIDTH + _HEADINGS] / blocks
    row[18] = sums[_WIDTH + _REPEATS] / some_chars
    row[19] = sums[_COMMENT] / page_chars
    row[20], row[21], row[22] = extremes[5], extremes[6], extremes[7]
    row[23] = sums[_WIDTH + _LONG] / some_chars
    row[24] = sums[_WIDTH + _BODY] / some_chars
    row[25] = features[columns[_SUMMED + 1] * number]
    row[26] = features[columns[_SUMMED + 2] * number + last] if last >= 0 else 0.0
    row[27] = extremes[3]
    row[28] = sums[_WIDTH + _UNSPACED] / some_chars


def find_log(count: float) -> float:
    """Return log(1 + count). Most counts are small integers or halves."""
    halves = 2 * count
    if halves < _LOG_COUNT:
        index = int(halves)
        if index == halves:
            return _LOGS[index]
    return log1p(count)

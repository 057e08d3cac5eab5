# cython: boundscheck=False, wraparound=False
"""Layers of the block network between its matrix products, as loops over single numbers.

Plain Python would take fifty times as long for them as NumPy. So, unlike the other modules of this folder, this one is
used only where it is compiled; otherwise `array_layers` does the same with NumPy, and a test compares the two. Callers
guarantee that all indices are inside the arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]


def clip_features(features: Floats, mean: Floats, max_distance: Floats, clipped: Floats) -> None:
    """Write the distances of features (f, n) from their means, (f,), into (n, f), clipped at the largest distances."""
    count, number = features.shape[0], features.shape[1]
    for feature in range(count):
        center, limit = mean[feature], max_distance[feature]
        for row in range(number):
            value = features[feature, row] - center
            if value > limit:
                value = limit
            elif value < -limit:
                value = -limit
            clipped[row, feature] = value


def find_used(containers: Indices, numbers: Indices, used: Indices) -> int:
    """List the different containers in ascending order in `used`, and return their number.

    `numbers`, zeros for all containers of the page, gets the number of each in that list.
    """
    number, count, total = len(containers), 0, len(numbers)
    for row in range(number):
        numbers[containers[row]] = 1
    for container in range(total):
        if numbers[container]:
            numbers[container] = count
            used[count] = container
            count += 1
    return count


def add_convolution(state: Floats, parts: Floats, bias: Floats, reach: int) -> None:
    """Add to each row of `state` (n, w) the positive part of a sum of three rows and the bias.

    `parts`, (n, 3 * w), contributes its first third from `reach` rows before, its second third from the same row and
    its last third from `reach` rows after.
    """
    number, width, zero = len(state), len(bias), 0.0
    for row in range(number):
        before, after = row - reach, row + reach
        for column in range(width):
            parts[row, width + column] += bias[column]
        if before >= 0:
            for column in range(width):
                parts[row, width + column] += parts[before, column]
        if after < number:
            for column in range(width):
                parts[row, width + column] += parts[after, 2 * width + column]
        for column in range(width):
            value = parts[row, width + column]
            state[row, column] += max(zero, value)


def sum_running(values: Floats, running: Floats) -> None:
    """Write the sum of the rows of `values`, (n, w), before row i into row i of `running`, (n + 1, w)."""
    number, width = values.shape[0], values.shape[1]
    for column in range(width):
        running[0, column] = 0.0
    for row in range(number):
        for column in range(width):
            running[row + 1, column] = running[row, column] + values[row, column]


def average_rows(running: Floats, first: Indices, end: Indices, means: Floats) -> None:
    """Write the mean of the rows first[i] to end[i] - 1 into row i of `means`; see `sum_running`."""
    count, width = means.shape[0], means.shape[1]
    for row in range(count):
        start, stop = first[row], end[row]
        weight = 1.0 / (stop - start)
        for column in range(width):
            means[row, column] = (running[stop, column] - running[start, column]) * weight


def add_rows(state: Floats, table: Floats, rows: Indices) -> None:
    """Add a row of the table to each row of `state`."""
    number, width = state.shape[0], state.shape[1]
    for row in range(number):
        chosen = rows[row]
        for column in range(width):
            state[row, column] += table[chosen, column]


def add_positive(state: Floats, change: Floats, bias: Floats) -> None:
    """Add the positive part of `change` and the bias."""
    number, width, zero = state.shape[0], state.shape[1], 0.0
    for row in range(number):
        for column in range(width):
            value = change[row, column] + bias[column]
            state[row, column] += max(zero, value)


def sum_words(table: Floats, rows: Indices, counts: Indices, start_words: int, sums: Floats) -> None:
    """Sum the vectors of the first words of n texts, given as rows of the table: (n, words).

    The first half of the columns is the sum over the first `start_words` words, the second half the mean over the
    `counts` words of the text. Row 0 of the table is all zeros.
    """
    number, words, half = rows.shape[0], rows.shape[1], sums.shape[1] // 2
    for row in range(number):
        for column in range(2 * half):
            sums[row, column] = 0.0
        for word in range(words):
            chosen = rows[row, word]
            if chosen > 0:
                for column in range(0 if word < start_words else half, 2 * half):
                    sums[row, column] += table[chosen, column]
        weight = 1.0 / max(counts[row], 1)
        for column in range(half, 2 * half):
            sums[row, column] *= weight


def sum_names(table: Floats, rows: Indices, ends: Indices, sums: Floats) -> None:
    """Sum the vectors of the names of each position: the rows of the table from ends[i - 1] to ends[i]."""
    number, width, row = sums.shape[0], sums.shape[1], 0
    for position in range(number):
        for column in range(width):
            sums[position, column] = 0.0
        while row < ends[position]:
            chosen = rows[row]
            if chosen > 0:
                for column in range(width):
                    sums[position, column] += table[chosen, column]
            row += 1


def sum_outer_names(names: Floats, outer: Indices, weights: Floats, sums: Floats) -> None:
    """Sum the vectors of the names around each position with the weights of the levels, the innermost first.

    The vectors are the second half of the columns of `names`; `outer` is the position around each, -1 for none.
    """
    number, half, levels = sums.shape[0], sums.shape[1], len(weights)
    for position in range(number):
        for column in range(half):
            sums[position, column] = 0.0
        around_position, level = outer[position], 0
        while around_position >= 0 and level < levels:
            for column in range(half):
                sums[position, column] += weights[level] * names[around_position, half + column]
            around_position = outer[around_position]
            level += 1


def find_word_rows(keys: NDArray[np.uint32], starts: Indices, hashes: NDArray[np.uint32], rows: Indices) -> None:
    """Write the row of each hash in a table of sorted keys, counted from 1; 0 for unknown ones.

    `starts[i]` is the first key whose first 12 bits are at least i.
    """
    number = len(hashes)
    for index in range(number):
        word = hashes[index]
        row, stop = starts[word >> 20], starts[(word >> 20) + 1]
        while row < stop and keys[row] < word:
            row += 1
        rows[index] = row + 1 if row < stop and keys[row] == word else 0


def count_words(words: NDArray[np.uint32], counts: Indices) -> None:
    """Write the number of words of each text, given their hashes, (n, words); 0 is for none."""
    number, columns = words.shape[0], words.shape[1]
    for row in range(number):
        count = 0
        for column in range(columns):
            if words[row, column]:
                count += 1
        counts[row] = count


def find_name_rows(table: dict[int, int], names: list[tuple[int, ...]], ends: Indices, rows: Indices) -> None:
    """Write the row of each name in a table, 0 for unknown ones, and where the names of each position end."""
    number, index = len(names), 0
    for position in range(number):
        for name in names[position]:
            rows[index] = table.get(name, 0)
            index += 1
        ends[position] = index


def find_tag_rows(table: dict[str, int], tags: list[str], rows: Indices) -> None:
    """Write the row of each tag in a table; 0 for unknown ones."""
    number = len(tags)
    for position in range(number):
        rows[position] = table.get(tags[position], 0)

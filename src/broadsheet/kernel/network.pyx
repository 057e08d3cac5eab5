# cython: boundscheck=False, wraparound=False, cdivision=True
"""The block network of `fusion` in one pass without the GIL, and matrix products in the caller's thread.

This module exists only compiled. `methods/fusion/array_network.py` is the same network in NumPy, and describes it; a
test compares the scores. Indices that come from a page are checked once, when the page is read.

Rows of states have a multiple of 16 columns; the columns beyond the width are 0. Weights are packed at load: 16 columns
of all rows, then the next 16 columns.
"""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    _TILE_COLUMNS = 16
    _KEY_BITS = 12  # first bits of a hash, by which keys are found
    _MAX_BUFFERS = 32
    _SPREAD_ROWS = 48  # of a convolution at a time: they stay in the cache
    _SPREAD_STEP = _SPREAD_ROWS + 1  # an odd number: at powers of 2, rows would displace each other in the cache
    _MAX_COUNT = 1 << 30  # of blocks, positions and names

include "tiles.pxi"
include "page_rows.pxi"
include "member.pxi"

choose_functions(True)
TILE_COLUMNS = _TILE_COLUMNS


cdef class Network:
    """Runs the members on pages."""

    cdef KeyTable names, words
    cdef const float[::1] mean, max_distance
    cdef list members, levels
    cdef const Py_ssize_t[::1] tag_rows  # of each tag of a page
    cdef Py_ssize_t body_column

    def __init__(self, weights):
        self.names, self.words = KeyTable(weights.name_keys), KeyTable(weights.word_keys)
        self.mean = np.ascontiguousarray(weights.mean, np.float32)
        self.max_distance = np.ascontiguousarray(weights.max_distance, np.float32)
        _check(len(weights.max_distance) == len(weights.mean))
        self.levels = list(weights.pooled_levels)
        self.members = [Member(weights, member) for member in weights.members]
        self.body_column = weights.body_column
        self.tag_rows = np.ascontiguousarray(weights.tag_rows, np.intp)
        tag_count = min([(<Member>member).tags.shape[0] for member in self.members])
        _check(all([0 <= row < tag_count for row in self.tag_rows]))
        _check(0 <= self.body_column < min([(<Member>member).roles for member in self.members]))

    def run(self, page, terms=None, chars=None, double min_doubt=0.0):
        """Return the mean probability of each role: (n, roles). See `array_network`."""
        cdef Member member = self.members[0]
        cdef Page rows
        cdef Py_ssize_t count = len(page.position)
        total = np.zeros((count, member.roles), np.float32)
        cdef float[:, ::1] scores = total
        cdef const float[::1] added = None if terms is None else np.ascontiguousarray(terms, np.float32)
        cdef const float[::1] lengths = None if chars is None else np.ascontiguousarray(chars, np.float32)
        _check((terms is None or len(terms) == count) and (chars is None or len(chars) == count))
        buffers = _take_buffers()
        self.read_page(page, buffers, &rows)
        for number, member in enumerate(self.members):
            _check(member.roles == scores.shape[1])
            member.add_scores(&rows, buffers, added, self.body_column, scores)
            if number == 0 and chars is not None and _measure_doubt(scores, self.body_column, lengths) < min_doubt:
                break
        else:
            total /= len(self.members)
        _give_back(buffers)
        return total

    def compute_hidden(self, page):
        """Return the input of each member's output layer: (n, width)."""
        cdef Member member
        cdef Page rows
        cdef Buffers buffers = _take_buffers()
        hidden = []
        self.read_page(page, buffers, &rows)
        for member in self.members:
            hidden.append(member.copy_hidden(&rows, buffers))
        _give_back(buffers)
        return hidden

    cdef read_page(self, page, Buffers buffers, Page *rows):
        """Look up the rows of a page. Raise ValueError if an index is outside the page."""
        cdef const float[:, ::1] features = np.ascontiguousarray(page.features)
        cdef const unsigned int[:, ::1] words = np.ascontiguousarray(page.words)
        cdef const unsigned int[::1] names = page.name_hashes
        cdef Py_ssize_t name
        rows.blocks, rows.words, rows.positions = words.shape[0], words.shape[1], len(page.outer)
        _check(features.shape[0] == self.mean.shape[0] and features.shape[1] == rows.blocks < _MAX_COUNT)
        # Rows of features start at an odd multiple of 64 bytes: at powers of 2 they would displace each other in caches.
        rows.feature_step = ((rows.blocks + 15) // 16 | 1) * 16
        rows.features = <float *>buffers.reserve(features.shape[0] * rows.feature_step)
        rows.word_rows = <int *>buffers.reserve(rows.blocks * rows.words)
        rows.word_weights = <float *>buffers.reserve(rows.blocks)
        rows.name_rows = <int *>buffers.reserve(names.shape[0])
        self.read_positions(page, buffers, rows)
        self.read_containers(page, buffers, rows)
        with nogil:
            _clip_features(features, self.mean, self.max_distance, rows)
            self.find_words(words, rows)
            for name in range(names.shape[0]):
                rows.name_rows[name] = self.names.find(names[name])

    cdef read_positions(self, page, Buffers buffers, Page *rows):
        cdef const unsigned short[:] tags = page.tags
        cdef Py_ssize_t position
        cdef int outer, last = 0
        _check(len(page.position) == rows.blocks and len(page.tags) == len(page.name_ends) == rows.positions)
        rows.position = _copy_indices(page.position, 0, rows.positions, buffers)
        rows.outer = _copy_indices(page.outer, -1, rows.positions, buffers)
        rows.tag_rows = <int *>buffers.reserve(rows.positions)
        rows.name_ends = _copy_indices(page.name_ends, 0, len(page.name_hashes) + 1, buffers)
        rows.outer_tag_rows = <int *>buffers.reserve(rows.positions)
        for position in range(rows.positions):
            outer = rows.outer[position]
            _check(outer < position and rows.name_ends[position] >= last and tags[position] < self.tag_rows.shape[0])
            last = rows.name_ends[position]
            rows.tag_rows[position] = <int>self.tag_rows[tags[position]]
            rows.outer_tag_rows[position] = rows.tag_rows[outer] if outer >= 0 else 0

    cdef read_containers(self, page, Buffers buffers, Page *rows):
        cdef Py_ssize_t number, level, count = len(self.levels)
        cdef int *numbers = <int *>buffers.reserve(len(page.first_block))
        rows.container = <int *>buffers.reserve(count * rows.blocks)
        rows.first, rows.end = <int *>buffers.reserve(count * rows.blocks), <int *>buffers.reserve(count * rows.blocks)
        rows.used = <int *>buffers.reserve(count)
        for number in range(count):
            level = self.levels[number]
            _check(0 <= level < len(page.enclosing))
            _number_containers(page.enclosing[level], page.first_block, page.end_block, numbers, rows, number)

    cdef void find_words(self, const unsigned int[:, ::1] words, Page *rows) noexcept nogil:
        cdef Py_ssize_t block, word
        cdef int count
        memset(rows.word_rows, 0, rows.blocks * rows.words * sizeof(int))
        for block in range(rows.blocks):
            count = 0
            for word in range(rows.words):
                if words[block, word]:
                    count += 1
                    rows.word_rows[block * rows.words + word] = self.words.find(words[block, word])
            rows.word_weights[block] = <float>1.0 / max(count, 1)


cdef double _measure_doubt(const float[:, ::1] scores, Py_ssize_t column, const float[::1] chars) noexcept nogil:
    """Return the mean distance of scores from 0 or 1, per expected character of article text."""
    cdef double doubt = 0, expected = 0
    cdef float score
    cdef Py_ssize_t block
    for block in range(scores.shape[0]):
        score = scores[block, column]
        doubt += chars[block] * min(score, 1 - score)
        expected += chars[block] * score
    return doubt / max(expected, 1.0)


def can_multiply():
    """Tell whether `write_product` uses the vector instructions of this processor; NumPy is faster otherwise."""
    return bool(has_vectors)


def use_vectors(bint is_allowed):
    """Allow vector instructions, where the processor has them, or run plain loops: for tests."""
    choose_functions(is_allowed)


def write_product(const float[:, ::1] rows, const float[:, ::1] weight, float[:, ::1] product):
    """Write the product of (n, a) and (a, b) into (n, b). The number of columns must be a multiple of TILE_COLUMNS."""
    cdef Py_ssize_t count = rows.shape[0], depth = rows.shape[1], columns = weight.shape[1]
    cdef Product task
    if weight.shape[0] != depth or product.shape[0] != count or product.shape[1] != columns or columns % _TILE_COLUMNS:
        raise ValueError("the shapes do not fit")
    if not count or not columns or not depth:
        product[:, :] = 0
        return
    task = _make_product(&weight[0, 0], depth, NULL, &product[0, 0], count, columns)
    task.weight_step, task.panel_step = columns, _TILE_COLUMNS
    _add_part(&task, &rows[0, 0], depth, depth)
    with nogil:
        multiply_rows(&task)

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

include "tiles.pxi"

cdef enum:
    _TILE_COLUMNS = 16
    _KEY_BITS = 12  # first bits of a hash, by which keys are found

# Buffers of a run.
cdef enum:
    _FEATURES, _WORD_ROWS, _WORD_WEIGHTS, _NAME_ROWS, _POSITION, _OUTER, _NAME_ENDS, _TAGS, _OUTER_TAGS
    _NUMBERS, _CONTAINER, _FIRST, _END, _USED, _NAMES, _OUTER_NAMES, _POSITIONS, _WORDS
    _STATE, _NEXT_STATE, _RUNNING, _MEANS, _MAPPED, _CHANGE, _LOGITS
    _BUFFERS

find_vectors()
TILE_COLUMNS = _TILE_COLUMNS
_MAX_KEPT_BYTES = 1 << 22  # of the buffers of one run
_MAX_KEPT = 8
_spare_buffers = []  # of finished runs: new memory would be cleared by the operating system, page by page


cdef class Buffers:
    """Memory for one run at a time."""

    cdef void *memory[_BUFFERS]
    cdef size_t sizes[_BUFFERS]

    def __dealloc__(self):
        for buffer in range(_BUFFERS):
            free(self.memory[buffer])

    cdef void *reserve(self, int buffer, Py_ssize_t count) except NULL:
        """Return a buffer of at least `count` numbers of 4 bytes; what it contained is lost."""
        cdef size_t size = 4 * <size_t>max(count, 1)
        if self.sizes[buffer] < size:
            free(self.memory[buffer])
            self.sizes[buffer] = 0
            self.memory[buffer] = malloc(size)
            if self.memory[buffer] == NULL:
                raise MemoryError
            self.sizes[buffer] = size
        return self.memory[buffer]

    cdef size_t count_bytes(self):
        cdef size_t total = 0
        for buffer in range(_BUFFERS):
            total += self.sizes[buffer]
        return total


cdef Buffers _take_buffers():
    try:
        return _spare_buffers.pop()
    except IndexError:
        return Buffers()


cdef _give_back(Buffers buffers):
    if len(_spare_buffers) < _MAX_KEPT and buffers.count_bytes() <= _MAX_KEPT_BYTES:
        _spare_buffers.append(buffers)


cdef struct Page:
    # A page of n blocks and p positions, as rows of the tables.
    Py_ssize_t blocks, positions, words, levels, feature_step, tags
    float *features  # (features, feature_step) distances from the mean, clipped
    int *word_rows  # (n, words)
    float *word_weights  # (n,) 1 / number of words
    int *name_rows
    int *name_ends  # (p,)
    int *position  # (n,)
    int *outer  # (p,)
    int *tag_rows  # (p,)
    int *outer_tag_rows  # (p,)
    int *container  # (levels, n) the number of each block's container among the used ones of the level
    int *first  # (levels, n) first block of each used container
    int *end  # (levels, n)
    int *used  # (levels,) number of used containers


cdef class KeyTable:
    """Finds the row of a hash among sorted keys."""

    cdef const unsigned int[::1] keys
    cdef const int[::1] starts

    def __init__(self, keys):
        self.keys = np.ascontiguousarray(keys, np.uint32)
        firsts = np.arange((1 << _KEY_BITS) + 1, dtype=np.uint64) << np.uint64(32 - _KEY_BITS)
        self.starts = np.searchsorted(np.asarray(self.keys), firsts).astype(np.intc)

    cdef inline int find(self, unsigned int key) noexcept nogil:
        """Return the row of a key, counted from 1; 0 if it is unknown."""
        cdef int row = self.starts[key >> (32 - _KEY_BITS)], stop = self.starts[(key >> (32 - _KEY_BITS)) + 1]
        while row < stop and self.keys[row] < key:
            row += 1
        return row + 1 if row < stop and self.keys[row] == key else 0


cdef class Network:
    """Runs the members on pages."""

    cdef KeyTable names, words
    cdef const float[::1] mean, max_distance
    cdef list members
    cdef object levels
    cdef Py_ssize_t body_column

    def __init__(self, weights):
        self.names, self.words = KeyTable(weights.name_keys), KeyTable(weights.word_keys)
        self.mean = np.ascontiguousarray(weights.mean, np.float32)
        self.max_distance = np.ascontiguousarray(weights.max_distance, np.float32)
        _check(len(weights.max_distance) == len(weights.mean))
        self.levels = list(weights.pooled_levels)
        self.members = [Member(weights, member) for member in weights.members]
        self.body_column = weights.body_column
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
            values = np.empty((rows.blocks, member.columns), np.float32)
            member.write_hidden(&rows, buffers, values)
            hidden.append(values[:, :member.width].copy())
        _give_back(buffers)
        return hidden

    cdef read_page(self, page, Buffers buffers, Page *rows):
        """Look up the rows of a page. Raise ValueError if an index is outside the page."""
        cdef const float[:, ::1] features = np.ascontiguousarray(page.features)
        cdef const unsigned int[:, ::1] words = np.ascontiguousarray(page.words)
        cdef const unsigned int[::1] name_hashes = page.name_hashes
        cdef Py_ssize_t level, number = 0
        rows.blocks, rows.words, rows.positions = words.shape[0], words.shape[1], len(page.outer)
        rows.levels = len(self.levels)
        _check(features.shape[0] == self.mean.shape[0] and features.shape[1] == rows.blocks)
        _check(len(page.position) == rows.blocks and len(page.tags) == len(page.name_ends) == rows.positions)
        rows.position = _copy(buffers, _POSITION, page.position, 0, rows.positions)
        rows.outer = _copy(buffers, _OUTER, page.outer, -1, rows.positions)
        rows.name_ends = _copy(buffers, _NAME_ENDS, page.name_ends, 0, name_hashes.shape[0] + 1)
        rows.tag_rows = _copy(buffers, _TAGS, page.tags, 0, min([(<Member>member).tag_count for member in self.members]))
        rows.outer_tag_rows = <int *>buffers.reserve(_OUTER_TAGS, rows.positions)
        # Rows of features start at an odd multiple of 64 bytes: at powers of 2 they would displace each other in caches.
        rows.feature_step = ((rows.blocks + 15) // 16 | 1) * 16
        rows.features = <float *>buffers.reserve(_FEATURES, features.shape[0] * rows.feature_step)
        rows.word_rows = <int *>buffers.reserve(_WORD_ROWS, rows.blocks * rows.words)
        rows.word_weights = <float *>buffers.reserve(_WORD_WEIGHTS, rows.blocks)
        rows.name_rows = <int *>buffers.reserve(_NAME_ROWS, name_hashes.shape[0])
        for buffer in (_CONTAINER, _FIRST, _END):
            buffers.reserve(buffer, rows.levels * rows.blocks)
        rows.container = <int *>buffers.memory[_CONTAINER]
        rows.first, rows.end = <int *>buffers.memory[_FIRST], <int *>buffers.memory[_END]
        rows.used = <int *>buffers.reserve(_USED, rows.levels)
        for number, level in enumerate(self.levels):
            _check(0 <= level < len(page.enclosing))
            _number_containers(page.enclosing[level], page.first_block, page.end_block, buffers, rows, number)
        _check(_fits(rows))
        with nogil:
            _clip_features(features, self.mean, self.max_distance, rows)
            self.find_words(words, rows)
            for number in range(name_hashes.shape[0]):
                rows.name_rows[number] = self.names.find(name_hashes[number])

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


cdef class Member:
    """One network of the mean."""

    cdef readonly Py_ssize_t width, columns, roles, tag_count
    cdef Py_ssize_t out_columns, layers, levels, word_columns, start_words, name_columns, feature_count
    cdef const float[:, ::1] names, words, tags, outer_tags
    cdef const float[::1] name_weights, mix, mix_names, hidden, hidden_bias, out, out_bias
    cdef const float[:, ::1] convolutions, convolution_biases, pools, pool_biases
    cdef const Py_ssize_t[::1] reaches, pool_before  # the number of the pool before each layer, -1 for none

    def __init__(self, shared, weights):
        self.feature_count, self.width = weights.mix_features.shape
        self.roles, self.tag_count = len(weights.out_bias), len(weights.tags)
        self.columns, self.out_columns = _pad(self.width), _pad(self.roles)
        self.layers, self.levels = len(weights.convolutions), len(shared.pooled_levels)
        self.word_columns, self.name_columns = weights.words.shape[1], weights.names.shape[1] // 2
        self.start_words, self.name_weights = shared.start_words, np.ascontiguousarray(shared.name_weights, np.float32)
        _check(self.feature_count == len(shared.mean) and len(weights.outer_tags) == self.tag_count > 0)
        _check(len(weights.words) > len(shared.word_keys))
        _check(not self.name_columns or len(weights.names) > len(shared.name_keys))
        self.names, self.words = _copy_floats(weights.names), _copy_floats(weights.words)
        self.tags, self.outer_tags = _pad_columns(weights.tags), _pad_columns(weights.outer_tags)
        self.mix = self.pack(np.concatenate((weights.mix_features, weights.mix_words)), -1)
        _check(len(weights.mix_words) == self.word_columns and len(weights.mix_names) == 2 * self.name_columns)
        self.mix_names = self.pack(weights.mix_names, -1)
        self.hidden, self.hidden_bias = self.pack(weights.hidden, 1), self.pad_bias(weights.hidden_bias)
        _check(weights.out.shape == (self.width, self.roles))
        self.out, self.out_bias = _pack(weights.out), _pad_columns(np.atleast_2d(weights.out_bias))[0]
        self.read_layers(weights)

    cdef read_layers(self, weights):
        pools = [number for number in weights.pools if 0 <= number <= self.layers]
        before = np.full(self.layers + 1, -1, np.intp)
        before[pools] = range(len(pools))
        self.pool_before = before
        self.pools = self.stack([self.pack(weights.pools[number][0], self.levels + 2) for number in pools])
        self.pool_biases = self.stack([self.pad_bias(weights.pools[number][1]) for number in pools])
        self.reaches = np.array([reach for reach, _, _ in weights.convolutions], np.intp)
        _check(all(reach > 0 for reach in self.reaches))
        # The three thirds of the columns are for the block before, the same block and the block after.
        taps = [np.concatenate(np.split(weight, 3, axis=1)) for _, weight, _ in weights.convolutions]
        self.convolutions = self.stack([self.pack(weight, 3) for weight in taps])
        self.convolution_biases = self.stack([self.pad_bias(bias) for _, _, bias in weights.convolutions])

    cdef stack(self, arrays):
        return np.stack(arrays) if arrays else np.zeros((0, 1), np.float32)

    cdef pack(self, weight, Py_ssize_t parts):
        """Pack a weight of (parts * width, width); any number of rows for -1."""
        _check(weight.shape[1] == self.width and (parts < 0 or len(weight) == parts * self.width))
        return _pack(weight)

    cdef pad_bias(self, bias):
        _check(len(bias) == self.width)
        return _pad_columns(np.atleast_2d(bias))[0]

    cdef add_scores(
        self, Page *page, Buffers buffers, const float[::1] terms, Py_ssize_t body_column, float[:, ::1] scores
    ):
        """Add the probabilities of this member to the scores."""
        cdef float *hidden = <float *>buffers.reserve(_CHANGE, page.blocks * self.columns)
        cdef float *logits = <float *>buffers.reserve(_LOGITS, page.blocks * self.out_columns)
        cdef Py_ssize_t block, role
        cdef Product task
        self.reserve_states(page, buffers)
        if not page.blocks:
            return
        with nogil:
            self.run_layers(page, buffers, hidden)
            task = _make_product(&self.out[0], self.width, &self.out_bias[0], logits, page.blocks, self.out_columns)
            _add_part(&task, hidden, self.columns, self.width)
            multiply_rows(&task)
            if terms is not None:
                for block in range(page.blocks):
                    logits[block * self.out_columns + body_column] += terms[block]
            apply_sigmoid(logits, page.blocks * self.out_columns)
            for block in range(page.blocks):
                for role in range(self.roles):
                    scores[block, role] += logits[block * self.out_columns + role]

    cdef write_hidden(self, Page *page, Buffers buffers, float[:, ::1] hidden):
        """Write the input of the output layer: (n, columns)."""
        buffers.reserve(_CHANGE, page.blocks * self.columns)
        self.reserve_states(page, buffers)
        if page.blocks:
            with nogil:
                self.run_layers(page, buffers, &hidden[0, 0])

    cdef reserve_states(self, Page *page, Buffers buffers):
        cdef Py_ssize_t rows = page.blocks + 2 * self.find_padding(page)
        for buffer in (_STATE, _NEXT_STATE):
            buffers.reserve(buffer, rows * self.columns)
        for buffer in (_RUNNING, _MEANS, _MAPPED):
            buffers.reserve(buffer, (page.blocks + 1) * self.columns)
        buffers.reserve(_NAMES, 3 * page.positions * self.name_columns)
        buffers.reserve(_POSITIONS, page.positions * self.columns)
        buffers.reserve(_WORDS, page.blocks * self.word_columns)

    cdef Py_ssize_t find_padding(self, Page *page) noexcept nogil:
        """Return the number of rows of zeros before and after a state, for convolutions at the ends of the page."""
        cdef Py_ssize_t padding = 0, layer
        for layer in range(self.layers):
            if self.reaches[layer] < page.blocks:
                padding = max(padding, self.reaches[layer])
        return padding

    cdef void run_layers(self, Page *page, Buffers buffers, float *hidden) noexcept nogil:
        cdef Py_ssize_t padding = self.find_padding(page) * self.columns, size = page.blocks * self.columns
        cdef float *state = <float *>buffers.memory[_STATE] + padding
        cdef float *next_state = <float *>buffers.memory[_NEXT_STATE] + padding
        cdef Py_ssize_t layer
        cdef Product task
        for layer in range(2):
            memset(state - padding, 0, padding * sizeof(float))
            memset(state + size, 0, padding * sizeof(float))
            state, next_state = next_state, state
        self.map_positions(page, buffers)
        self.sum_words(page, <float *>buffers.memory[_WORDS])
        self.mix_input(page, buffers, state)
        for layer in range(self.layers + 1):
            if self.pool_before[layer] >= 0:
                self.pool_containers(page, buffers, self.pool_before[layer], state, next_state)
                state, next_state = next_state, state
            if layer < self.layers:
                self.convolve(page, layer, state, next_state)
                state, next_state = next_state, state
        task = _make_product(&self.hidden[0], self.width, &self.hidden_bias[0], hidden, page.blocks, self.columns)
        _add_part(&task, state, self.columns, self.width)
        task.is_positive = True
        multiply_rows(&task)

    cdef void mix_input(self, Page *page, Buffers buffers, float *state) noexcept nogil:
        """Map features, words and positions; then ReLU."""
        cdef const float *positions = <const float *>buffers.memory[_POSITIONS]
        cdef Py_ssize_t block, rows = self.feature_count + self.word_columns
        cdef Product task = _make_product(&self.mix[0], rows, state, state, page.blocks, self.columns)
        for block in range(page.blocks):
            memcpy(
                state + block * self.columns,
                positions + page.position[block] * self.columns,
                self.columns * sizeof(float),
            )
        task.start_step, task.is_positive = self.columns, True
        _add_part(&task, page.features, 1, self.feature_count)
        task.value_step[0] = page.feature_step
        _add_part(&task, <const float *>buffers.memory[_WORDS], self.word_columns, self.word_columns)
        multiply_rows(&task)

    cdef void sum_words(self, Page *page, float *sums) noexcept nogil:
        """Write the sum of the start vectors of the first words, and the mean of the other vectors of all words."""
        cdef Py_ssize_t block, word, half = self.word_columns // 2
        cdef float *start_sums = sums
        cdef const int *rows = page.word_rows
        memset(sums, 0, page.blocks * self.word_columns * sizeof(float))
        for block in range(page.blocks):
            for word in range(page.words):
                if rows[word]:
                    if word < self.start_words:
                        add_row(start_sums, &self.words[rows[word], 0], half, 1)
                    add_row(start_sums + half, &self.words[rows[word], half], half, page.word_weights[block])
            start_sums += self.word_columns
            rows += page.words
        apply_tanh(sums, page.blocks * self.word_columns)

    cdef void map_positions(self, Page *page, Buffers buffers) noexcept nogil:
        """Write the part of the first map that depends on the position: names, outer names, tag and outer tag."""
        cdef float *state = <float *>buffers.memory[_POSITIONS]
        cdef float *names = <float *>buffers.memory[_NAMES]
        cdef Py_ssize_t position, column, size = page.positions * self.name_columns
        cdef const float *tag
        cdef const float *outer_tag
        cdef Product task
        for position in range(page.positions):
            tag, outer_tag = &self.tags[page.tag_rows[position], 0], &self.outer_tags[page.outer_tag_rows[position], 0]
            for column in range(self.columns):
                state[position * self.columns + column] = tag[column] + outer_tag[column]
        if not size:
            return
        self.sum_names(page, names, names + size, names + 2 * size)
        apply_tanh(names, 2 * size)
        task = _make_product(&self.mix_names[0], 2 * self.name_columns, state, state, page.positions, self.columns)
        task.start_step = self.columns
        _add_part(&task, names, self.name_columns, self.name_columns)
        _add_part(&task, names + size, self.name_columns, self.name_columns)
        multiply_rows(&task)

    cdef void sum_names(self, Page *page, float *near, float *outer, float *far) noexcept nogil:
        """Sum the vectors of the names of each position, and those of the positions around it with their weights."""
        cdef Py_ssize_t position, name = 0, level, width = self.name_columns
        cdef int row, around
        memset(near, 0, 3 * page.positions * width * sizeof(float))  # all three
        for position in range(page.positions):
            while name < page.name_ends[position]:
                row = page.name_rows[name]
                if row:
                    add_row(near + position * width, &self.names[row, 0], width, 1)
                    add_row(far + position * width, &self.names[row, width], width, 1)
                name += 1
            around = page.outer[position]
            for level in range(self.name_weights.shape[0]):
                if around < 0:
                    break
                add_row(outer + position * width, far + around * width, width, self.name_weights[level])
                around = page.outer[around]

    cdef void convolve(self, Page *page, Py_ssize_t layer, const float *state, float *next_state) noexcept nogil:
        """Add a map of the rows before, at and after each block, after ReLU."""
        cdef Py_ssize_t reach = self.reaches[layer] * self.columns
        cdef const float *bias = &self.convolution_biases[layer, 0]
        cdef const float *weight = &self.convolutions[layer, 0]
        cdef Product task = _make_product(weight, 3 * self.width, bias, next_state, page.blocks, self.columns)
        task.is_positive, task.residual = True, state
        if self.reaches[layer] < page.blocks:
            _add_part(&task, state - reach, self.columns, self.width)
            _add_part(&task, state, self.columns, self.width)
            _add_part(&task, state + reach, self.columns, self.width)
        else:  # no block has another one that far
            task.weight += self.width * _TILE_COLUMNS
            _add_part(&task, state, self.columns, self.width)
        multiply_rows(&task)

    cdef void pool_containers(
        self, Page *page, Buffers buffers, Py_ssize_t pool, const float *state, float *next_state
    ) noexcept nogil:
        """Add a map of the block, the means over its containers and the mean over the page, after ReLU."""
        cdef float *running = <float *>buffers.memory[_RUNNING]
        cdef float *means = <float *>buffers.memory[_MEANS]
        cdef float *mapped = <float *>buffers.memory[_MAPPED]
        cdef float *change = <float *>buffers.memory[_CHANGE]
        cdef Py_ssize_t block, column, level, container, width = self.columns, last = page.blocks * self.columns
        cdef Py_ssize_t part_size = self.width * _TILE_COLUMNS
        cdef const float *bias = &self.pool_biases[pool, 0]
        cdef const float *weight = &self.pools[pool, 0]
        cdef Product task
        memset(running, 0, width * sizeof(float))
        for block in range(page.blocks * width):
            running[width + block] = running[block] + state[block]
        for column in range(width):
            means[column] = running[last + column] / page.blocks
        self.map_means(weight + (self.levels + 1) * part_size, bias, means, mapped, 1)
        for block in range(page.blocks):
            memcpy(change + block * width, mapped, width * sizeof(float))
        for level in range(self.levels):
            _average_rows(page, level, running, means, width)
            self.map_means(weight + (level + 1) * part_size, NULL, means, mapped, page.used[level])
            for block in range(page.blocks):
                container = page.container[level * page.blocks + block]
                add_row(change + block * width, mapped + container * width, width, 1)
        task = _make_product(weight, (self.levels + 2) * self.width, change, next_state, page.blocks, width)
        task.start_step, task.is_positive, task.residual = width, True, state
        _add_part(&task, state, width, self.width)
        multiply_rows(&task)

    cdef void map_means(
        self, const float *weight, const float *bias, const float *means, float *mapped, Py_ssize_t count
    ) noexcept nogil:
        cdef Product task = _make_product(weight, (self.levels + 2) * self.width, bias, mapped, count, self.columns)
        _add_part(&task, means, self.columns, self.width)
        multiply_rows(&task)


cdef inline Product _make_product(
    const float *weight, Py_ssize_t rows, const float *start, float *product, Py_ssize_t count, Py_ssize_t columns
) noexcept nogil:
    """Make a product with a packed weight of `rows` rows, without parts."""
    cdef Product task
    task.parts = 0
    task.weight, task.weight_step, task.panel_step = weight, _TILE_COLUMNS, rows * _TILE_COLUMNS
    task.start, task.start_step = start, 0
    task.is_positive, task.residual = False, NULL
    task.product, task.count, task.columns = product, count, columns
    return task


cdef inline void _add_part(Product *task, const float *rows, Py_ssize_t row_step, Py_ssize_t depth) noexcept nogil:
    task.rows[task.parts] = rows
    task.row_step[task.parts], task.value_step[task.parts], task.depth[task.parts] = row_step, 1, depth
    task.parts += 1


cdef void _average_rows(
    Page *page, Py_ssize_t level, const float *running, float *means, Py_ssize_t width
) noexcept nogil:
    """Write the mean over the rows of each used container, given running sums of the rows."""
    cdef Py_ssize_t container, column, at
    cdef const float *first
    cdef const float *end
    cdef float weight
    for container in range(page.used[level]):
        at = level * page.blocks + container
        first, end = running + page.first[at] * width, running + page.end[at] * width
        weight = <float>1.0 / (page.end[at] - page.first[at])
        for column in range(width):
            means[container * width + column] = (end[column] - first[column]) * weight


cdef void _clip_features(
    const float[:, ::1] features, const float[::1] mean, const float[::1] max_distance, Page *page
) noexcept nogil:
    cdef Py_ssize_t feature, block
    cdef float value, limit
    for feature in range(features.shape[0]):
        limit = max_distance[feature]
        for block in range(page.blocks):
            value = features[feature, block] - mean[feature]
            value = limit if value > limit else value
            value = -limit if value < -limit else value
            page.features[feature * page.feature_step + block] = value


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


cdef bint _fits(Page *page) noexcept:
    """Tell whether positions and names are in order; write the rows of the tags around positions."""
    cdef Py_ssize_t position
    cdef int last = 0, outer
    for position in range(page.positions):
        outer = page.outer[position]
        if outer >= position or page.name_ends[position] < last:
            return False
        last = page.name_ends[position]
        page.outer_tag_rows[position] = page.tag_rows[outer] if outer >= 0 else 0
    return True


cdef _number_containers(
    const Py_ssize_t[:] containers,
    const Py_ssize_t[:] first_block,
    const Py_ssize_t[:] end_block,
    Buffers buffers,
    Page *page,
    Py_ssize_t level,
):
    """Number the different containers of a level, with the blocks that they contain."""
    cdef Py_ssize_t block, container, total = first_block.shape[0], start = level * page.blocks
    cdef int *numbers = <int *>buffers.reserve(_NUMBERS, total)
    cdef int count = 0
    _check(containers.shape[0] == page.blocks and end_block.shape[0] == total)
    memset(numbers, 0, total * sizeof(int))
    for block in range(page.blocks):
        container = containers[block]
        _check(0 <= container < total)
        if not numbers[container]:
            _check(0 <= first_block[container] < end_block[container] <= page.blocks)
            page.first[start + count] = <int>first_block[container]
            page.end[start + count] = <int>end_block[container]
            count += 1
            numbers[container] = count
        page.container[start + block] = numbers[container] - 1
    page.used[level] = count


cdef int *_copy(
    Buffers buffers, int buffer, const Py_ssize_t[:] values, Py_ssize_t lowest, Py_ssize_t end
) except NULL:
    """Copy indices. Raise ValueError if one is not in the range from `lowest` to `end`."""
    cdef int *copied = <int *>buffers.reserve(buffer, values.shape[0])
    cdef Py_ssize_t index
    for index in range(values.shape[0]):
        _check(lowest <= values[index] < end and end < 2**31)
        copied[index] = <int>values[index]
    return copied


cdef inline int _check(bint condition) except -1:
    if not condition:
        raise ValueError("an array has the wrong shape, or an index is outside its array")
    return 0


cdef Py_ssize_t _pad(Py_ssize_t columns):
    return (columns + _TILE_COLUMNS - 1) // _TILE_COLUMNS * _TILE_COLUMNS


cdef _copy_floats(array):
    return np.ascontiguousarray(array, np.float32)


cdef _pad_columns(array):
    """Return (rows, columns) with columns of zeros up to a multiple of 16."""
    padded = np.zeros((array.shape[0], _pad(array.shape[1])), np.float32)
    padded[:, : array.shape[1]] = array
    return padded


cdef _pack(weight):
    """Return 16 columns of all rows of a weight, then the next 16 columns, ..., flat."""
    padded = _pad_columns(weight)
    panels = padded.reshape(len(padded), padded.shape[1] // _TILE_COLUMNS, _TILE_COLUMNS)
    return np.ascontiguousarray(panels.swapaxes(0, 1)).reshape(-1)


def can_multiply():
    """Tell whether `write_product` uses the vector instructions of this processor; NumPy is faster otherwise."""
    return bool(has_vectors)


def use_vectors(bint is_allowed):
    """Allow vector instructions, where the processor has them, or run plain loops: for tests."""
    global has_vectors
    has_vectors = 0
    if is_allowed:
        find_vectors()


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

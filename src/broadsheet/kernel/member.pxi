# One member of the network: its packed weights and its layers. Included by `network`.

cdef struct States:
    # What a member computes, row by row.
    float *names  # (3, p, columns) own names, names around, own names for the positions inside
    float *positions  # (p, columns)
    float *words  # (n, columns)
    float *state  # (n, columns) between rows of zeros
    float *next_state
    float *running  # (n + 1, columns) sums of the states before each block
    float *means  # (n + 1, columns) of containers
    float *mapped  # (n + 1, columns) means after the map
    float *change  # (n, columns)
    float *logits  # (n, columns)
    float *spread  # (6, _SPREAD_STEP, columns) rows to multiply for a convolution
    float *products  # (6, _SPREAD_STEP, columns)


cdef class Member:
    """One network of the mean."""

    cdef Py_ssize_t width, columns, roles
    cdef Py_ssize_t out_columns, layers, levels, word_columns, start_words, name_columns, feature_count
    cdef const float[:, ::1] names, words, tags, outer_tags
    cdef const float[::1] name_weights, mix, mix_names, hidden, hidden_bias, out, out_bias
    cdef const float[:, ::1] convolutions, convolution_biases, pools, pool_biases
    cdef const float[:, :, ::1] spread_convolutions  # (layers, 6, packed)
    cdef const Py_ssize_t[::1] reaches, pool_before  # the number of the pool before each layer, -1 for none

    def __init__(self, shared, weights):
        self.feature_count, self.width = weights.mix_features.shape
        self.roles = len(weights.out_bias)
        self.columns, self.out_columns = _pad(self.width), _pad(self.roles)
        self.layers, self.levels = len(weights.convolutions), len(shared.pooled_levels)
        self.word_columns, self.name_columns = weights.words.shape[1], weights.names.shape[1] // 2
        self.start_words, self.name_weights = shared.start_words, np.ascontiguousarray(shared.name_weights, np.float32)
        _check(self.feature_count == len(shared.mean) and weights.tags.shape == weights.outer_tags.shape)
        _check(len(weights.tags) > 0 and weights.tags.shape[1] == self.width)
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
        spread = [[self.pack(part, 1) for part in _spread_taps(weight, self.width)] for weight in taps]
        self.spread_convolutions = np.array(spread, np.float32) if spread else np.zeros((0, 6, 1), np.float32)
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
        cdef States states
        cdef Py_ssize_t block, role
        cdef Product task
        self.reserve_states(page, buffers, &states)
        if not page.blocks:
            return
        with nogil:
            self.run_layers(page, &states)
            task = _make_product(
                &self.out[0], self.width, &self.out_bias[0], states.logits, page.blocks, self.out_columns
            )
            _add_part(&task, states.state, self.columns, self.width)
            multiply_rows(&task)
            if terms is not None:
                for block in range(page.blocks):
                    states.logits[block * self.out_columns + body_column] += terms[block]
            apply_sigmoid(states.logits, page.blocks * self.out_columns)
            for block in range(page.blocks):
                for role in range(self.roles):
                    scores[block, role] += states.logits[block * self.out_columns + role]

    cdef copy_hidden(self, Page *page, Buffers buffers):
        """Return the input of the output layer: (n, width)."""
        cdef States states
        cdef Py_ssize_t block
        values = np.empty((page.blocks, self.width), np.float32)
        cdef float[:, ::1] hidden = values
        self.reserve_states(page, buffers, &states)
        if page.blocks:
            with nogil:
                self.run_layers(page, &states)
                for block in range(page.blocks):
                    memcpy(&hidden[block, 0], states.state + block * self.columns, self.width * sizeof(float))
        return values

    cdef reserve_states(self, Page *page, Buffers buffers, States *states):
        cdef Py_ssize_t size = page.blocks * self.columns, padding = self.find_padding(page) * self.columns
        cdef int used = buffers.used
        states.names = <float *>buffers.reserve(3 * page.positions * self.name_columns)
        states.positions = <float *>buffers.reserve(page.positions * self.columns)
        states.words = <float *>buffers.reserve(page.blocks * self.word_columns)
        states.state = <float *>buffers.reserve(size + 2 * padding) + padding
        states.next_state = <float *>buffers.reserve(size + 2 * padding) + padding
        states.running = <float *>buffers.reserve(size + self.columns)
        states.means = <float *>buffers.reserve(size + self.columns)
        states.mapped = <float *>buffers.reserve(size + self.columns)
        states.change = <float *>buffers.reserve(size)
        states.logits = <float *>buffers.reserve(page.blocks * self.out_columns)
        states.spread = <float *>buffers.reserve(6 * _SPREAD_STEP * self.columns)
        states.products = <float *>buffers.reserve(6 * _SPREAD_STEP * self.columns)
        _clear_ends(states.state, size, padding)
        _clear_ends(states.next_state, size, padding)
        buffers.used = used  # the next member uses the same memory

    cdef Py_ssize_t find_padding(self, Page *page):
        """Return the number of rows of zeros before and after a state, for convolutions at the ends of the page.

        Half of four results may be beyond the last block, and the last one of them reads the row after it.
        """
        return 3 * max([reach for reach in self.reaches if reach < page.blocks], default=0)

    cdef void run_layers(self, Page *page, States *states) noexcept nogil:
        """Compute the input of the output layer, in `states.state`."""
        cdef Py_ssize_t layer
        cdef Product task
        self.map_positions(page, states)
        self.sum_words(page, states.words)
        self.mix_input(page, states)
        for layer in range(self.layers + 1):
            if self.pool_before[layer] >= 0:
                self.pool_containers(page, states, self.pool_before[layer])
            if layer < self.layers:
                self.convolve(page, states, layer)
        task = self.make_layer(page, states, &self.hidden[0], self.width, &self.hidden_bias[0])
        task.residual = NULL
        _add_part(&task, states.state, self.columns, self.width)
        _finish_layer(&task, states)

    cdef Product make_layer(
        self, Page *page, States *states, const float *weight, Py_ssize_t rows, const float *start
    ) noexcept nogil:
        """Make a layer without parts: ReLU of a product, added to the state."""
        cdef Product task = _make_product(weight, rows, start, states.next_state, page.blocks, self.columns)
        task.is_positive, task.residual = True, states.state
        return task

    cdef void mix_input(self, Page *page, States *states) noexcept nogil:
        """Map features, words and positions; then ReLU."""
        cdef Py_ssize_t block, rows = self.feature_count + self.word_columns, size = self.columns * sizeof(float)
        cdef float *state = states.state
        cdef Product task = _make_product(&self.mix[0], rows, state, state, page.blocks, self.columns)
        for block in range(page.blocks):
            memcpy(state + block * self.columns, states.positions + page.position[block] * self.columns, size)
        task.start_step, task.is_positive = self.columns, True
        _add_part(&task, page.features, 1, self.feature_count)
        task.value_step[0] = page.feature_step
        _add_part(&task, states.words, self.word_columns, self.word_columns)
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

    cdef void map_positions(self, Page *page, States *states) noexcept nogil:
        """Write the part of the first map that depends on the position: names, outer names, tag and outer tag."""
        cdef float *state = states.positions
        cdef float *names = states.names
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

    cdef void convolve(self, Page *page, States *states, Py_ssize_t layer) noexcept nogil:
        """Add a map of the rows before, at and after each block, after ReLU."""
        cdef Py_ssize_t reach = self.reaches[layer], tile = 4 * reach, done = 0, step = reach * self.columns
        cdef const float *bias = &self.convolution_biases[layer, 0]
        cdef const float *rows
        cdef Product task = self.make_layer(page, states, &self.convolutions[layer, 0], 3 * self.width, bias)
        if reach < page.blocks:
            done = (page.blocks + tile // 2 - 1) // tile * tile  # the last tile may have rows beyond the last block
            self.convolve_tiles(page, states, layer, done // 4)
            rows = states.state + done * self.columns
            task.count = max(page.blocks - done, 0)
            task.product, task.residual = task.product + done * self.columns, rows
            _add_part(&task, rows - step, self.columns, self.width)
            _add_part(&task, rows, self.columns, self.width)
            _add_part(&task, rows + step, self.columns, self.width)
        else:  # no block has another one that far
            task.weight += self.width * _TILE_COLUMNS
            _add_part(&task, states.state, self.columns, self.width)
        _finish_layer(&task, states)

    cdef void convolve_tiles(self, Page *page, States *states, Py_ssize_t layer, Py_ssize_t total) noexcept nogil:
        """Compute a convolution for tiles of 4 * reach rows: in each, `reach` times four rows that are `reach` apart."""
        cdef Py_ssize_t first = 0, count, number, part, row, step = _SPREAD_STEP * self.columns
        cdef Py_ssize_t reach = self.reaches[layer], width = self.columns
        cdef Product task
        while first < total:
            count = min(total - first, _SPREAD_ROWS)
            for number in range(count):
                row = _find_tile_row(first + number, reach) * width
                spread_rows(states.state + row, reach * width, width, states.spread + number * width, step)
            for part in range(6):
                task = _make_product(
                    &self.spread_convolutions[layer, part, 0],
                    self.width,
                    NULL,
                    states.products + part * step,
                    count,
                    width,
                )
                _add_part(&task, states.spread + part * step, width, self.width)
                multiply_rows(&task)
            for number in range(count):
                row = _find_tile_row(first + number, reach)
                join_products(
                    states.products + number * width,
                    step,
                    &self.convolution_biases[layer, 0],
                    states.state + row * width,
                    reach * width,
                    <int>min((page.blocks - row + reach - 1) // reach, 4),
                    width,
                    states.next_state + row * width,
                )
            first += count

    cdef void pool_containers(self, Page *page, States *states, Py_ssize_t pool) noexcept nogil:
        """Add a map of the block, the means over its containers and the mean over the page, after ReLU."""
        cdef Py_ssize_t block, column, level, width = self.columns, part_size = self.width * _TILE_COLUMNS
        cdef const int *container = page.container
        cdef const float *weight = &self.pools[pool, 0]
        cdef Product task
        memset(states.running, 0, width * sizeof(float))
        for column in range(page.blocks * width):
            states.running[width + column] = states.running[column] + states.state[column]
        for column in range(width):
            states.means[column] = states.running[page.blocks * width + column] / page.blocks
        self.map_means(states, weight + (self.levels + 1) * part_size, &self.pool_biases[pool, 0], 1)
        for block in range(page.blocks):
            memcpy(states.change + block * width, states.mapped, width * sizeof(float))
        for level in range(self.levels):
            _average_rows(page, level, states, width)
            self.map_means(states, weight + (level + 1) * part_size, NULL, page.used[level])
            for block in range(page.blocks):
                add_row(states.change + block * width, states.mapped + container[block] * width, width, 1)
            container += page.blocks
        task = self.make_layer(page, states, weight, (self.levels + 2) * self.width, states.change)
        task.start_step = width
        _add_part(&task, states.state, width, self.width)
        _finish_layer(&task, states)

    cdef void map_means(self, States *states, const float *weight, const float *bias, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t rows = (self.levels + 2) * self.width
        cdef Product task = _make_product(weight, rows, bias, states.mapped, count, self.columns)
        _add_part(&task, states.means, self.columns, self.width)
        multiply_rows(&task)


cdef inline Py_ssize_t _find_tile_row(Py_ssize_t number, Py_ssize_t reach) noexcept nogil:
    """Return the first of four rows that are `reach` apart, given their number: each tile has `reach` of them."""
    return number // reach * 4 * reach + number % reach


cdef void _finish_layer(Product *task, States *states) noexcept nogil:
    multiply_rows(task)
    states.state, states.next_state = states.next_state, states.state


cdef void _clear_ends(float *state, Py_ssize_t size, Py_ssize_t padding) noexcept:
    memset(state - padding, 0, padding * sizeof(float))
    memset(state + size, 0, padding * sizeof(float))


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


cdef void _average_rows(Page *page, Py_ssize_t level, States *states, Py_ssize_t width) noexcept nogil:
    """Write the mean over the rows of each used container of a level."""
    cdef Py_ssize_t container, column, at
    cdef const float *first
    cdef const float *end
    cdef float weight
    for container in range(page.used[level]):
        at = level * page.blocks + container
        first, end = states.running + page.first[at] * width, states.running + page.end[at] * width
        weight = <float>1.0 / (page.end[at] - page.first[at])
        for column in range(width):
            states.means[container * width + column] = (end[column] - first[column]) * weight


cdef Py_ssize_t _pad(Py_ssize_t columns):
    return (columns + _TILE_COLUMNS - 1) // _TILE_COLUMNS * _TILE_COLUMNS


cdef _copy_floats(array):
    return np.ascontiguousarray(array, np.float32)


cdef _pad_columns(array):
    """Return (rows, columns) with columns of zeros up to a multiple of 16."""
    padded = np.zeros((array.shape[0], _pad(array.shape[1])), np.float32)
    padded[:, : array.shape[1]] = array
    return padded


cdef _spread_taps(taps, Py_ssize_t width):
    """Return the weights of the 6 products of a convolution, given its three taps: (3 * width, width)."""
    before, same, after = np.asarray(taps, np.float64).reshape(3, width, width)
    return (
        before / 4,
        -(before + same + after) / 6,
        -(before - same + after) / 6,
        (before + 2 * same + 4 * after) / 24,
        (before - 2 * same + 4 * after) / 24,
        after,
    )


cdef _pack(weight):
    """Return 16 columns of all rows of a weight, then the next 16 columns, ..., flat."""
    padded = _pad_columns(weight)
    panels = padded.reshape(len(padded), padded.shape[1] // _TILE_COLUMNS, _TILE_COLUMNS)
    return np.ascontiguousarray(panels.swapaxes(0, 1)).reshape(-1)

# A page as rows of the network's tables, and the memory of a run. Included by `network`.

_MAX_KEPT_BYTES = 1 << 22  # of one run
_spare_buffers = []  # of finished runs: the operating system clears new memory page by page


cdef class Buffers:
    """Memory for one run at a time."""

    cdef void *memory[_MAX_BUFFERS]
    cdef size_t sizes[_MAX_BUFFERS]
    cdef int used

    def __dealloc__(self):
        for buffer in range(_MAX_BUFFERS):
            free(self.memory[buffer])

    cdef void *reserve(self, Py_ssize_t count) except NULL:
        """Return memory for `count` numbers of 4 bytes."""
        cdef int buffer = self.used
        cdef size_t size = 4 * <size_t>max(count, 1)
        _check(buffer < _MAX_BUFFERS)
        if self.sizes[buffer] < size:
            free(self.memory[buffer])
            self.memory[buffer], self.sizes[buffer] = malloc(size), size
            if self.memory[buffer] == NULL:
                self.sizes[buffer] = 0
                raise MemoryError
        self.used += 1
        return self.memory[buffer]


cdef Buffers _take_buffers():
    try:
        return _spare_buffers.pop()
    except IndexError:
        return Buffers()


cdef _give_back(Buffers buffers):
    """Keep buffers for the next run, unless they are large or one thread for each already has some."""
    cdef size_t size = 0
    for buffer in range(_MAX_BUFFERS):
        size += buffers.sizes[buffer]
    buffers.used = 0
    if len(_spare_buffers) < 8 and size <= _MAX_KEPT_BYTES:
        _spare_buffers.append(buffers)


cdef struct Page:
    # A page of n blocks and p positions, as rows of the tables.
    Py_ssize_t blocks, positions, words, feature_step
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


cdef _number_containers(
    const Py_ssize_t[:] containers,
    const Py_ssize_t[:] first_block,
    const Py_ssize_t[:] end_block,
    int *numbers,
    Page *page,
    Py_ssize_t level,
):
    """Number the different containers of a level, with the blocks that they contain."""
    cdef Py_ssize_t block, container, total = first_block.shape[0], start = level * page.blocks
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


cdef int *_copy_indices(
    const Py_ssize_t[:] indices, Py_ssize_t lowest, Py_ssize_t end, Buffers buffers
) except NULL:
    """Copy indices. Raise ValueError if one is not in the range from `lowest` to `end`."""
    cdef int *copied = <int *>buffers.reserve(indices.shape[0])
    cdef Py_ssize_t index
    _check(end <= _MAX_COUNT)
    for index in range(indices.shape[0]):
        _check(lowest <= indices[index] < end)
        copied[index] = <int>indices[index]
    return copied


cdef inline int _check(bint condition) except -1:
    if not condition:
        raise ValueError("an array has the wrong shape, or an index is outside its array")
    return 0

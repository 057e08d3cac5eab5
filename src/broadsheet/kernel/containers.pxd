cimport cython

cdef int _CLASS, _ID
cdef unsigned int _HASH_FACTOR, _HASH_MASK
cdef Py_ssize_t _MAX_NAME_CHARS, _MAX_WORDS, _MAX_WORD_CHARS, _MIN_WORD_CHARS
cdef unsigned int[::1] _CRC_TABLE


cdef class NameWriter:
    cdef readonly object hashes, ends
    cdef unsigned int[::1] _hashes
    cdef long long[::1] _ends
    cdef Py_ssize_t _count
    cdef Py_ssize_t _first
    cdef Py_ssize_t _positions
    cdef const unsigned char[::1] _arena
    cdef int[::1] _start
    cdef int[::1] _end

    @cython.locals(
        start=Py_ssize_t, end=Py_ssize_t, words=Py_ssize_t, stop=Py_ssize_t, value=cython.uint, index=Py_ssize_t
    )
    cpdef add(self, Py_ssize_t attribute)

    @cython.locals(index=Py_ssize_t)
    cdef Py_ssize_t add_hash(self, unsigned int value) noexcept

    cpdef end_position(self)

    @cython.locals(chars=Py_ssize_t, index=Py_ssize_t)
    cdef Py_ssize_t find_limit(self, Py_ssize_t start, Py_ssize_t end) noexcept

    @cython.locals(stop=Py_ssize_t)
    cdef Py_ssize_t find_word_end(self, Py_ssize_t start, Py_ssize_t end) noexcept


@cython.locals(
    outer_rows="int[::1]", outer="int[::1]", rows="int[::1]", first_block="long long[::1]", end_block="long long[::1]",
    enclosing="Py_ssize_t[::1]", numbers="int[::1]", number=Py_ssize_t, count=Py_ssize_t, block=Py_ssize_t,
    row=Py_ssize_t, depth=Py_ssize_t, around=Py_ssize_t, step=Py_ssize_t, container=Py_ssize_t,
)
cpdef find_containers(table, int[::1] block_rows, Py_ssize_t levels, arrays)


@cython.locals(
    outer="int[::1]", first_block="long long[::1]", end_block="long long[::1]", enclosing="Py_ssize_t[::1]",
    container=Py_ssize_t, around=Py_ssize_t, block=Py_ssize_t, level=Py_ssize_t,
)
cpdef close_containers(arrays, Py_ssize_t count, Py_ssize_t number, Py_ssize_t levels)


@cython.locals(
    rows="int[::1]", outer="int[::1]", tags="unsigned short[::1]", count=Py_ssize_t,
    container_position="long long[::1]", position_outer="long long[::1]", position_tag="unsigned short[::1]",
    depths="int[::1]", index=PositionIndex, container=Py_ssize_t, row=Py_ssize_t, around=Py_ssize_t,
    outer_position=Py_ssize_t, number=Py_ssize_t, enclosing="Py_ssize_t[::1]", block_position="long long[::1]",
    block=Py_ssize_t,
)
cpdef group_positions(table, arrays, positions)


cdef class PositionIndex:
    cdef Py_ssize_t count
    cdef Py_ssize_t _size
    cdef int[::1] _slots
    cdef Py_ssize_t _slot
    cdef Py_ssize_t _class
    cdef Py_ssize_t _id
    cdef int[::1] _classes
    cdef int[::1] _ids
    cdef long long[::1] _outer
    cdef unsigned short[::1] _tag
    cdef NameWriter _names
    cdef int[::1] _first
    cdef unsigned short[::1] _total
    cdef unsigned short[::1] _name

    @cython.locals(key=cython.uint, slot=Py_ssize_t, position=Py_ssize_t)
    cdef Py_ssize_t find(self, Py_ssize_t row, Py_ssize_t tag, Py_ssize_t outer) except -1

    cdef int add(self, Py_ssize_t position) except -1

    @cython.locals(first=Py_ssize_t, index=Py_ssize_t, name=int)
    cdef int find_attributes(self, Py_ssize_t row) except -1

    @cython.locals(names=NameWriter, index=Py_ssize_t)
    cdef unsigned int hash_value(self, Py_ssize_t attribute, unsigned int key) noexcept

    @cython.locals(names=NameWriter, start=Py_ssize_t, other=Py_ssize_t, length=Py_ssize_t, offset=Py_ssize_t)
    cdef bint are_equal(self, Py_ssize_t left, Py_ssize_t right) noexcept

cimport cython

from broadsheet.kernel.names cimport NameWriter

cdef int _CLASS, _ID
cdef unsigned int _HASH_FACTOR, _HASH_MASK


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
    rows="int[::1]", outer="int[::1]", count=Py_ssize_t, tags="unsigned short[::1]", arena="const unsigned char[::1]",
    first="int[::1]", total="unsigned short[::1]", names="unsigned short[::1]", start="int[::1]", end="int[::1]",
    container_position="long long[::1]", position_outer="long long[::1]", position_tag="unsigned short[::1]",
    depths="int[::1]", writer=NameWriter, size=Py_ssize_t, slots="int[::1]", examples="int[::1]", number=Py_ssize_t,
    container=Py_ssize_t, row=Py_ssize_t, class_index=Py_ssize_t, id_index=Py_ssize_t, index=Py_ssize_t,
    around=Py_ssize_t, outer_position=Py_ssize_t, tag=int, key=cython.uint, slot=Py_ssize_t, position=Py_ssize_t,
)
cpdef group_positions(table, arrays, positions)


@cython.locals(index=Py_ssize_t)
cdef unsigned int hash_bytes(
    const unsigned char[::1] arena, Py_ssize_t start, Py_ssize_t end, unsigned int value
) except? 0


@cython.locals(length=Py_ssize_t, offset=Py_ssize_t)
cdef bint are_equal(
    const unsigned char[::1] arena, int[::1] start, int[::1] end, Py_ssize_t left, Py_ssize_t right
) except -1

cimport cython

cdef int _NO_CONTAINER


cdef class Texts:
    cdef bytes _arena
    cdef int[::1] _start
    cdef int[::1] _end
    cdef Py_ssize_t _length

    @cython.locals(start=Py_ssize_t, end=Py_ssize_t)
    cpdef str read(self, Py_ssize_t row)

    @cython.locals(row=Py_ssize_t)
    cpdef list read_range(self, Py_ssize_t start, Py_ssize_t stop)


cdef class Attributes:
    cdef bytes _arena
    cdef int[::1] _first
    cdef unsigned short[::1] _count
    cdef unsigned short[::1] _name
    cdef int[::1] _start
    cdef int[::1] _end
    cdef object _all_names
    cdef dict _ids

    @cython.locals(number=int)
    cpdef int find_id(self, str name)

    @cython.locals(first=Py_ssize_t, index=Py_ssize_t)
    cpdef Py_ssize_t find(self, Py_ssize_t row, int name_id)

    @cython.locals(start=Py_ssize_t, end=Py_ssize_t)
    cpdef str read(self, Py_ssize_t index)

    @cython.locals(index=Py_ssize_t)
    cpdef get(self, Py_ssize_t row, str name)

    @cython.locals(name_id=int, index=Py_ssize_t, row=Py_ssize_t)
    cpdef list get_all(self, rows, str name)

    @cython.locals(name_id=int, index=Py_ssize_t, row=Py_ssize_t, at=Py_ssize_t)
    cpdef dict get_beyond_ascii(self, rows, str name)

    @cython.locals(name_ids=list, values=list, row_values=list, row=Py_ssize_t, name_id=int, index=Py_ssize_t)
    cpdef list get_rows(self, rows, names)

    @cython.locals(first=Py_ssize_t, values=dict, index=Py_ssize_t)
    cpdef dict read_all(self, Py_ssize_t row)

    @cython.locals(first=Py_ssize_t, index=Py_ssize_t)
    cpdef tuple names(self, Py_ssize_t row)

    @cython.locals(name_id=int, row=Py_ssize_t)
    cpdef list rows_with(self, str name)

    @cython.locals(
        row=Py_ssize_t, first=Py_ssize_t, index=Py_ssize_t, name_ids=frozenset, parts=list,
        first_bytes=bytearray, part=bytes, rows=list,
    )
    cpdef list rows_containing(self, names, words, Py_ssize_t start=*, stop=*)

    @cython.locals(at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, word=bytes)
    cdef bint _has_word(self, Py_ssize_t index, list words, bytearray first_bytes) except -1


cdef unsigned char lower_byte(unsigned char byte) noexcept


@cython.locals(length=Py_ssize_t, offset=Py_ssize_t)
cdef bint starts_with(bytes arena, Py_ssize_t start, Py_ssize_t end, bytes word) except -1


@cython.locals(tags="unsigned short[::1]", row=Py_ssize_t)
cpdef list list_tags(table)


@cython.locals(row=Py_ssize_t)
cpdef list find_rows(unsigned short[::1] column, int value)


@cython.locals(row=Py_ssize_t, value="unsigned short", group="unsigned char", members=list)
cpdef list group_rows(unsigned short[::1] column, const unsigned char[::1] groups, Py_ssize_t count)


@cython.locals(row=Py_ssize_t)
cpdef list find_flagged_rows(unsigned char[::1] flags, int bit)


@cython.locals(row=Py_ssize_t)
cpdef dict find_outer(int[::1] outer)

cimport cython

cdef Py_ssize_t _MAX_NAME_CHARS, _MAX_WORDS, _MAX_WORD_CHARS, _MIN_WORD_CHARS
cdef unsigned int[::1] _CRC_TABLE


cdef class NameWriter:
    cdef readonly object hashes, ends
    cdef unsigned int[::1] _hashes
    cdef long long[::1] _ends
    cdef Py_ssize_t _count
    cdef Py_ssize_t _positions

    @cython.locals(words=Py_ssize_t, stop=Py_ssize_t, value=cython.uint, index=Py_ssize_t)
    cpdef add(self, const unsigned char[::1] arena, Py_ssize_t start, Py_ssize_t end)

    @cython.locals(first=Py_ssize_t, index=Py_ssize_t)
    cdef Py_ssize_t add_hash(self, unsigned int value) except -1

    cpdef end_position(self)


@cython.locals(chars=Py_ssize_t, index=Py_ssize_t)
cdef Py_ssize_t find_limit(const unsigned char[::1] arena, Py_ssize_t start, Py_ssize_t end) except -1


@cython.locals(stop=Py_ssize_t)
cdef Py_ssize_t find_word_end(const unsigned char[::1] name, Py_ssize_t start, Py_ssize_t length) except -1

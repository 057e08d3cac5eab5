cimport cython

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

cdef class RunTexts:
    cdef bytes _arena
    cdef const int[::1] _starts
    cdef const int[::1] _ends
    cdef const int[::1] _rows
    cdef const unsigned char[::1] _in_link

    cdef const unsigned char *find(self, Py_ssize_t item, Py_ssize_t *size) except NULL
    cpdef str read(self, Py_ssize_t item)
    cpdef str fold(self, Py_ssize_t start, Py_ssize_t stop)
    cpdef bint is_break(self, Py_ssize_t item) except -1
    cpdef bint is_space(self, Py_ssize_t item) except -1
    cpdef Py_ssize_t count_link_chars(self, Py_ssize_t start, Py_ssize_t stop) except -1


cpdef Py_ssize_t count_chars(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1

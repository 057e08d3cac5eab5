cpdef str fold_rows(
    bytes arena, const int[::1] starts, const int[::1] ends, const int[::1] rows, Py_ssize_t first, Py_ssize_t stop
)
cpdef Py_ssize_t count_chars(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1
cpdef Py_ssize_t count_stripped_chars(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1
cpdef bint is_space(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1

cimport cython


@cython.locals(
    roots="const Py_ssize_t[::1]", feature="const Py_ssize_t[::1]", threshold="const float[::1]",
    child="const Py_ssize_t[::1]", value="const double[::1]",
    tree=Py_ssize_t, node=Py_ssize_t, below=Py_ssize_t,
)
cpdef double sum_trees(table, const float[::1] sample, double total) except? -1

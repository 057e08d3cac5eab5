cimport cython


@cython.locals(
    total=double, highest_other=double, other_share=double, likely=list, block=Py_ssize_t, score=double, length=double,
    expected_chars=double, lowest=double, best=double, kept_chars=double, kept_expected=double, f1=double,
)
cpdef double find_lowest_score(const float[:] scores, const float[:] chars, double sharpness, double min_score) except? -1


@cython.locals(blocks=list, block=Py_ssize_t, context=int)
cpdef list find_likely(const float[:] scores, double minimum, int[::1] contexts, int flags)


@cython.locals(
    min_content=double, min_role=double, min_comment=double, comment_column=Py_ssize_t, date_column=Py_ssize_t,
    content=list, block=Py_ssize_t, first=Py_ssize_t, content_score=double, best=Py_ssize_t, best_score=double,
    column=Py_ssize_t, score=double, is_other=bint,
)
cpdef list choose_roles(const float[::1] scores, Py_ssize_t columns, list texts, limits, dict others)


@cython.locals(index=Py_ssize_t)
cdef bint has_digit(str text) except -1


@cython.locals(index=Py_ssize_t, value=double)
cpdef bint are_probabilities(values) except -1


@cython.locals(
    roots="const Py_ssize_t[::1]", feature="const Py_ssize_t[::1]", threshold="const float[::1]",
    child="const Py_ssize_t[::1]", value="const double[::1]",
    tree=Py_ssize_t, node=Py_ssize_t, below=Py_ssize_t,
)
cpdef double sum_trees(table, const float[::1] sample, double total) except? -1

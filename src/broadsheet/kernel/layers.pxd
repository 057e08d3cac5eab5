cimport cython


@cython.locals(
    count=Py_ssize_t, number=Py_ssize_t, feature=Py_ssize_t, row=Py_ssize_t, center=float, limit=float, value=float,
)
cpdef clip_features(
    const float[:, ::1] features, const float[::1] mean, const float[::1] max_distance, float[:, ::1] clipped
)


@cython.locals(number=Py_ssize_t, count=Py_ssize_t, total=Py_ssize_t, row=Py_ssize_t, container=Py_ssize_t)
cpdef Py_ssize_t find_used(const Py_ssize_t[::1] containers, Py_ssize_t[::1] numbers, Py_ssize_t[::1] used) except -1


@cython.locals(
    number=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, before=Py_ssize_t, after=Py_ssize_t, column=Py_ssize_t,
    value=float, zero=float,
)
cpdef add_convolution(float[:, ::1] state, float[:, ::1] parts, const float[::1] bias, Py_ssize_t reach)


@cython.locals(number=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t)
cpdef sum_running(const float[:, ::1] values, float[:, ::1] running)


@cython.locals(
    count=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t,
    weight=float,
)
cpdef average_rows(
    const float[:, ::1] running, const Py_ssize_t[::1] first, const Py_ssize_t[::1] end, float[:, ::1] means
)


@cython.locals(number=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t, chosen=Py_ssize_t)
cpdef add_rows(float[:, ::1] state, const float[:, ::1] table, const Py_ssize_t[::1] rows)


@cython.locals(number=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t, value=float, zero=float)
cpdef add_positive(float[:, ::1] state, float[:, ::1] change, const float[::1] bias)


@cython.locals(
    number=Py_ssize_t, words=Py_ssize_t, half=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t, word=Py_ssize_t,
    chosen=Py_ssize_t, weight=float,
)
cpdef sum_words(
    const float[:, ::1] table, const Py_ssize_t[:, ::1] rows, const Py_ssize_t[::1] counts, Py_ssize_t start_words, float[:, ::1] sums
)


@cython.locals(
    number=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, position=Py_ssize_t, column=Py_ssize_t, chosen=Py_ssize_t,
)
cpdef sum_names(const float[:, ::1] table, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] ends, float[:, ::1] sums)


@cython.locals(
    number=Py_ssize_t, half=Py_ssize_t, levels=Py_ssize_t, position=Py_ssize_t, column=Py_ssize_t,
    around_position=Py_ssize_t, level=Py_ssize_t,
)
cpdef sum_outer_names(const float[:, ::1] names, const Py_ssize_t[::1] outer, const float[::1] weights, float[:, ::1] sums)


@cython.locals(number=Py_ssize_t, index=Py_ssize_t, word=cython.uint, row=Py_ssize_t, stop=Py_ssize_t)
cpdef find_word_rows(
    const unsigned int[::1] keys, const Py_ssize_t[::1] starts, const unsigned int[::1] hashes, Py_ssize_t[::1] rows
)


@cython.locals(number=Py_ssize_t, columns=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t, count=Py_ssize_t)
cpdef count_words(const unsigned int[:, ::1] words, Py_ssize_t[::1] counts)


@cython.locals(number=Py_ssize_t, index=Py_ssize_t, position=Py_ssize_t)
cpdef find_name_rows(dict table, list names, Py_ssize_t[::1] ends, Py_ssize_t[::1] rows)


@cython.locals(number=Py_ssize_t, position=Py_ssize_t)
cpdef find_tag_rows(dict table, list tags, Py_ssize_t[::1] rows)

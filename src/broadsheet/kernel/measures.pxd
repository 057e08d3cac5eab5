cimport cython

cdef Py_ssize_t _LOG_COUNT, _CONTAINER_VALUES, _POSITION_SUMS
cdef double _SENTENCE_CHARS, _MIN_LONG_CHARS
cdef float[::1] _LOGS


@cython.locals(
    sums="const double[::1]", first_block="const long long[::1]", end_block="const long long[::1]",
    enclosing="const Py_ssize_t[::1]", table="float[::1]", number=Py_ssize_t, levels=Py_ssize_t, count=Py_ssize_t,
    row=Py_ssize_t, total_chars=double, total_long_chars=double, container=Py_ssize_t, start=Py_ssize_t,
    stop=Py_ssize_t, chars=double, some_chars=double, at=Py_ssize_t, level=Py_ssize_t, block=Py_ssize_t,
    value=Py_ssize_t,
)
cpdef measure_containers(places, float[::1] features)


@cython.locals(
    sums="const double[::1]", position="const long long[::1]", totals="double[::1]", number=Py_ssize_t,
    row=Py_ssize_t, total_chars=double, total_long_chars=double, block=Py_ssize_t, at=Py_ssize_t, blocks=double,
    chars=double, some_chars=double,
)
cpdef measure_positions(places, float[::1] features)


@cython.locals(
    sums="const double[::1]", number=Py_ssize_t, row=Py_ssize_t, total_chars=double, total_long_chars=double,
    log_blocks=double, log_chars=double, block=Py_ssize_t,
)
cpdef measure_order(places, float[::1] features)


@cython.locals(
    sums="const double[::1]", enclosing="const Py_ssize_t[::1]", first_block="const long long[::1]",
    end_block="const long long[::1]", number=Py_ssize_t, levels=Py_ssize_t, total_chars=double, block=Py_ssize_t,
    level=Py_ssize_t, container=Py_ssize_t, distance=double, count=Py_ssize_t, row=Py_ssize_t,
)
cpdef measure_headline(
    places, Py_ssize_t headline, unsigned short[::1] tags, int[::1] containers, int tag, float[::1] features
)


@cython.locals(number=Py_ssize_t, block=Py_ssize_t, flags=int, bit=int)
cpdef measure_context(int[::1] contexts, int bits, float[::1] features)


@cython.locals(
    position="const long long[::1]", number=Py_ssize_t, counts=dict, block=Py_ssize_t, depth=double, count=Py_ssize_t,
)
cpdef measure_depth(const int[::1] depths, places, list texts, float[::1] features)


@cython.locals(halves=double, index=Py_ssize_t)
cdef double find_log(double count) except? -1


@cython.locals(
    number=Py_ssize_t, roles=Py_ssize_t, count=Py_ssize_t, last=Py_ssize_t, block=Py_ssize_t, score=double,
    weight=double, is_kept=bint, column=Py_ssize_t, value=double, role=Py_ssize_t,
)
cpdef sum_blocks(
    const float[:, :] features, const Py_ssize_t[::1] rows, const float[:, :] scores, const float[:] chars,
    double threshold, double[:, ::1] sums, double[::1] extremes
)

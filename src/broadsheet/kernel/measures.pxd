cimport cython

cdef Py_ssize_t _LINKS, _AFTER, _ENDS, _CUT, _HEADINGS, _REPEATS, _BODY, _UNSPACED, _ONE, _SCORE, _COMMENT, _LONG, _DOUBT
cdef Py_ssize_t _SUMMED, _WIDTH, _LENGTHS, _LOG_COUNT, _CONTAINER_VALUES, _POSITION_SUMS
cdef double _SENTENCE_CHARS, _MIN_LONG_CHARS
cdef float[::1] _LOGS


cdef class BlockPlaces:
    cdef Py_ssize_t number, levels, containers, positions
    cdef float[::1] features
    cdef const double[::1] sums
    cdef const Py_ssize_t[::1] enclosing
    cdef const long long[::1] first_block, end_block, position


@cython.locals(
    features="float[::1]", sums="const double[::1]", first_block="const long long[::1]",
    end_block="const long long[::1]", enclosing="const Py_ssize_t[::1]", table="float[::1]", number=Py_ssize_t,
    levels=Py_ssize_t, count=Py_ssize_t, row=Py_ssize_t, total_chars=double, total_long_chars=double,
    container=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t, chars=double, some_chars=double, at=Py_ssize_t,
    level=Py_ssize_t, block=Py_ssize_t, value=Py_ssize_t,
)
cpdef measure_containers(BlockPlaces places, Py_ssize_t column)


@cython.locals(
    features="float[::1]", sums="const double[::1]", position="const long long[::1]", totals="double[::1]",
    number=Py_ssize_t, row=Py_ssize_t, total_chars=double, total_long_chars=double, block=Py_ssize_t, at=Py_ssize_t,
    blocks=double, chars=double, some_chars=double, target=Py_ssize_t,
)
cpdef measure_positions(BlockPlaces places, Py_ssize_t column)


@cython.locals(
    features="float[::1]", sums="const double[::1]", number=Py_ssize_t, row=Py_ssize_t, total_chars=double,
    total_long_chars=double, log_blocks=double, log_chars=double, block=Py_ssize_t, at=Py_ssize_t,
)
cpdef measure_order(BlockPlaces places, Py_ssize_t column)


@cython.locals(
    features="float[::1]", sums="const double[::1]", enclosing="const Py_ssize_t[::1]",
    first_block="const long long[::1]", end_block="const long long[::1]", number=Py_ssize_t, levels=Py_ssize_t,
    total_chars=double, block=Py_ssize_t, level=Py_ssize_t, container=Py_ssize_t, distance=double, count=Py_ssize_t,
    row=Py_ssize_t, at=Py_ssize_t,
)
cpdef measure_headline(
    BlockPlaces places, Py_ssize_t column, Py_ssize_t headline, unsigned short[::1] tags, int[::1] containers, int tag
)


@cython.locals(features="float[::1]", number=Py_ssize_t, block=Py_ssize_t, flags=int, bit=int)
cpdef measure_context(BlockPlaces places, Py_ssize_t column, int[::1] contexts, int bits)


@cython.locals(
    features="float[::1]", position="const long long[::1]", number=Py_ssize_t, counts=dict, block=Py_ssize_t,
    depth=double, count=Py_ssize_t, lengths="int[::1]", text=str,
)
cpdef measure_depth(BlockPlaces places, Py_ssize_t column, const int[::1] depths, list texts)


@cython.locals(
    features="float[::1]", around="int[::1]", number=Py_ssize_t, count=Py_ssize_t, log_count=double, opened="int[::1]",
    depth=Py_ssize_t, start=Py_ssize_t, block=Py_ssize_t, row=Py_ssize_t, headline_article=int, at=Py_ssize_t,
)
cpdef measure_articles(
    BlockPlaces places, Py_ssize_t column, int[::1] first_rows, Py_ssize_t headline, int[::1] articles
)


@cython.locals(halves=double, index=Py_ssize_t)
cdef double find_log(double count) except? -1


@cython.locals(
    number=Py_ssize_t, roles=Py_ssize_t, count=Py_ssize_t, width=Py_ssize_t, last=Py_ssize_t, block=Py_ssize_t,
    first=Py_ssize_t, score=double, weight=double, is_kept=bint, column=Py_ssize_t, value=double, role=Py_ssize_t,
)
cpdef sum_blocks(
    const float[::1] features, const unsigned char[::1] columns, const float[::1] scores, const float[::1] chars,
    double threshold, double[::1] sums, double[::1] extremes
)


@cython.locals(
    number=Py_ssize_t, roles=Py_ssize_t, sums="double[::1]", extremes="double[::1]", page_chars=double,
    some_chars=double, kept_chars=double, kept_score=double, blocks=double, last=Py_ssize_t,
)
cpdef measure_outcome(
    const float[::1] features, const unsigned char[::1] columns, const float[::1] scores, const float[::1] chars,
    double threshold, float[::1] row
)

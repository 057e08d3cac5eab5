cimport cython

cdef int _UNSPACED, _DIGIT, _LOWER, _COMMA, _END, _COLON, _QUOTE, _SPACE, _LAST_CODE
cdef Py_ssize_t _LOG_COUNT, _STATED_SLOTS, _MIN_LONG_CHARS
cdef double _MAX_LONG_LINK_SHARE
cdef unsigned long long _HASH_MASK
cdef unsigned long long[::1] _POWERS
cdef float[::1] _LOGS
cdef const unsigned char[::1] _SHARES, _RARE_SHARES, _STARTS


@cython.locals(
    count=Py_ssize_t, total=cython.ulonglong, offset=Py_ssize_t, previous=int, character=Py_UCS4, code=Py_ssize_t, kind=int,
)
cdef Py_ssize_t read_words(
    str text, const unsigned char[::1] kinds, unsigned short[::1] lower, unsigned int[::1] hashes
) except -1


@cython.locals(kind=Py_ssize_t, character=Py_UCS4, code=Py_ssize_t)
cdef int count_kinds(str text, const unsigned char[::1] kinds, int[::1] counts) except -1


@cython.locals(
    lower="unsigned short[::1]", kinds="const unsigned char[::1]", features="float[::1]", sums="double[::1]",
    shared="float[::1]", slots="const unsigned char[::1]", bits=dict, words="unsigned int[::1]",
    hashes="unsigned int[::1]", counts="int[::1]",
    max_words=Py_ssize_t, author_count=Py_ssize_t, number=Py_ssize_t, index=Py_ssize_t, text=str, links=Py_ssize_t,
    count=Py_ssize_t, word=Py_ssize_t, word_hash=cython.uint, found=int,
    in_title=Py_ssize_t, in_description=Py_ssize_t, in_authors=Py_ssize_t,
)
cpdef measure_texts(list texts, int[::1] link_chars, tables, stated, output)


@cython.locals(index=Py_ssize_t, text=str)
cpdef find_quotes(list texts, str quoted, Py_ssize_t min_chars, Py_ssize_t quote_chars, float[::1] is_quoted)


@cython.locals(length=Py_ssize_t, half_words=Py_ssize_t, first=int, last=int, before_last=int, at=Py_ssize_t, kind=int)
cdef int write_text(
    str text, Py_ssize_t links, Py_ssize_t index, Py_ssize_t number,
    const unsigned char[::1] kinds, int[::1] counts, float[::1] features,
) except -1


@cython.locals(is_long=bint, at=Py_ssize_t)
cdef int write_sums(
    Py_ssize_t length, Py_ssize_t links, Py_ssize_t index, Py_ssize_t number, int[::1] counts, double[::1] sums
) except -1


@cython.locals(code=Py_ssize_t)
cdef int find_kind(str text, Py_ssize_t index, const unsigned char[::1] kinds) except -1


cdef double find_log(Py_ssize_t halves) except -1

cimport cython

cdef int _UNSPACED, _DIGIT, _LOWER, _COMMA, _END, _COLON, _QUOTE, _SPACE, _LAST_CODE, _KINDS
cdef Py_ssize_t _LOG_COUNT, _STATED_SLOTS, _MIN_LONG_CHARS, _MAX_CHARS, _MAX_BLOCK_WORDS
cdef double _MAX_LONG_LINK_SHARE
cdef unsigned long long _HASH_MASK
cdef unsigned long long[::1] _POWERS
cdef float[::1] _LOGS
cdef const unsigned char[::1] _SHARES, _RARE_SHARES, _STARTS


cdef class TextReader:
    cdef const unsigned char[::1] kinds
    cdef unsigned short[::1] lower
    cdef readonly unsigned int[::1] hashes
    cdef readonly int[::1] counts

    @cython.locals(
        count=Py_ssize_t, total=cython.ulonglong, offset=Py_ssize_t, previous=int, length=Py_ssize_t,
        index=Py_ssize_t, code=Py_UCS4, kind=int,
    )
    cpdef Py_ssize_t read_words(self, str text) except -1

    @cython.locals(kind=Py_ssize_t, index=Py_ssize_t, code=Py_UCS4)
    cdef int count_kinds(self, str text) except -1

    @cython.locals(code=Py_UCS4)
    cdef int find_kind(self, str text, Py_ssize_t index) except -1


cdef class StatedWords:
    cdef readonly TextReader reader
    cdef readonly dict bits
    cdef readonly bytearray slots
    cdef readonly Py_ssize_t author_count

    @cython.locals(count=Py_ssize_t, word=Py_ssize_t, word_hash=cython.uint)
    cpdef Py_ssize_t add(self, str text, int bit) except -1


@cython.locals(writer=TextWriter, index=Py_ssize_t, text=str, links=Py_ssize_t)
cpdef measure_texts(list texts, int[::1] link_chars, StatedWords stated, output)


cdef class TextWriter:
    cdef TextReader reader
    cdef int[::1] counts
    cdef float[::1] features
    cdef double[::1] sums
    cdef Py_ssize_t shared
    cdef unsigned int[::1] words
    cdef const unsigned char[::1] slots
    cdef dict bits
    cdef Py_ssize_t author_count
    cdef Py_ssize_t number

    @cython.locals(
        count=Py_ssize_t, number=Py_ssize_t, word=Py_ssize_t, word_hash=cython.uint, bits=int,
        in_title=Py_ssize_t, in_description=Py_ssize_t, in_authors=Py_ssize_t, at=Py_ssize_t,
    )
    cdef int write_words(self, str text, Py_ssize_t index) except -1

    @cython.locals(
        counts="int[::1]", features="float[::1]", number=Py_ssize_t, length=Py_ssize_t, half_words=Py_ssize_t,
        first=int, last=int, before_last=int, at=Py_ssize_t, kind=int,
    )
    cdef int write_text(self, str text, Py_ssize_t links, Py_ssize_t index) except -1

    @cython.locals(counts="int[::1]", sums="double[::1]", row=Py_ssize_t, is_long=bint, at=Py_ssize_t)
    cdef int write_sums(self, Py_ssize_t length, Py_ssize_t links, Py_ssize_t index) except -1


@cython.locals(end=Py_ssize_t)
cdef bint is_cut(str text) except -1


@cython.locals(index=Py_ssize_t, text=str, quotes=list)
cpdef list find_quotes(list texts, str quoted, Py_ssize_t min_chars, Py_ssize_t quote_chars)


cdef double find_log(Py_ssize_t halves) except -1

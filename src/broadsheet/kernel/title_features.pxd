cimport cython

cdef Py_ssize_t _CASE_CHARS, _MAX_DISTANCE, _MAX_BOLD_STEPS


@cython.locals(
    h1_count=Py_ssize_t, first_h1=Py_ssize_t, first_heading=Py_ssize_t, first_shown=str, most_similar=str,
    row=Py_ssize_t, sources=set, words=str, block=Py_ssize_t, level=Py_ssize_t,
)
cpdef write_sources(float[:, ::1] samples, list candidates, page, Py_ssize_t no_level)


@cython.locals(
    title_element=str, title_element_words=set, address_words=set, opengraph_words=set, json_ld_words=set,
    h1_words=list, body_words=set, row=Py_ssize_t, words=set, text=str, folded=str, chars=Py_ssize_t,
    count=Py_ssize_t, start=str, is_in_title_element=bint, like_h1=double,
)
cpdef write_texts(float[:, ::1] samples, list candidates, list word_sets, page, has_separator)


@cython.locals(count=Py_ssize_t, character=Py_UCS4)
cdef Py_ssize_t count_capitals(str text) except -1


@cython.locals(count=Py_ssize_t, character=Py_UCS4)
cpdef Py_ssize_t count_digits(str text) except -1


@cython.locals(both=Py_ssize_t)
cpdef double find_similarity(set words, set others) except -1


@cython.locals(
    texts=list, link_chars="int[::1]", containers="int[::1]", first_rows="int[::1]", tags="unsigned short[::1]",
    parents="int[::1]", count=Py_ssize_t, row=Py_ssize_t, block=Py_ssize_t, context=int, container=Py_ssize_t,
    first_body=Py_ssize_t, distance=Py_ssize_t, is_inner=bint,
)
cpdef write_positions(float[:, ::1] samples, list candidates, page, int[::1] contexts, tuple masks, frozenset bold_tags)


cdef bint is_bold(
    unsigned short[::1] tags, int[::1] parents, Py_ssize_t row, Py_ssize_t container, frozenset bold_tags
) except -1

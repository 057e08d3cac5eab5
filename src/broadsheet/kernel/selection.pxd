cimport cython

cdef int _TABLE_KIND, _STRUCTURED_KIND


@cython.locals(index=Py_ssize_t)
cpdef list find_members(values, members)


@cython.locals(index=Py_ssize_t, context=int)
cpdef list find_flagged(int[::1] contexts, int mask, int flags)


@cython.locals(chars=Py_ssize_t, index=Py_ssize_t, text=str, context=int)
cpdef Py_ssize_t count_chars(list texts, int[::1] contexts, int excluded) except -1


@cython.locals(paths=list, path=list, first=Py_ssize_t, row=Py_ssize_t)
cpdef list list_ancestors(rows, parents, tags, Py_ssize_t max_levels)


@cython.locals(indices=list, is_listed=bytearray, length=Py_ssize_t, index=Py_ssize_t, text=str)
cpdef list find_texts_like(list texts, dict first_letters)


@cython.locals(indices=list, index=Py_ssize_t, text=str, first=str)
cpdef list find_texts_between(list texts, Py_ssize_t min_chars, Py_ssize_t max_chars, set first_letters)


@cython.locals(numbered=list, index=Py_ssize_t, text=str, character=Py_UCS4)
cpdef list find_numbered_texts(list texts, indices, Py_ssize_t max_chars)


@cython.locals(
    tags="unsigned short[::1]", parents="int[::1]", is_seen="unsigned char[::1]", tables=list, tag_count=Py_ssize_t,
    block=Py_ssize_t, item=Py_ssize_t, row=Py_ssize_t, kind=int,
)
cpdef find_tables_around(
    table, int[::1] rows, int[::1] row_end, list blocks, const unsigned char[::1] tag_kinds
)

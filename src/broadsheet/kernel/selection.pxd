cimport cython


@cython.locals(index=Py_ssize_t)
cpdef list find_members(values, members)


@cython.locals(index=Py_ssize_t, context=long)
cpdef list find_flagged(contexts, long mask, long flags)


@cython.locals(chars=Py_ssize_t, index=Py_ssize_t, text=str, context=long)
cpdef Py_ssize_t count_chars(texts, contexts, long excluded) except -1


@cython.locals(paths=list, path=list, first=Py_ssize_t, row=Py_ssize_t)
cpdef list list_ancestors(rows, parents, tags, Py_ssize_t max_levels)


@cython.locals(indices=list, index=Py_ssize_t, text=str)
cpdef list find_texts_like(texts, dict first_letters)

cimport cython

cdef const unsigned char[::1] _WORD_CHARACTERS


@cython.locals(
    length=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t, index=Py_ssize_t, is_after_space=bint, character=Py_UCS4,
)
cpdef str fold_spaces(str text)


cpdef str split_and_join(str text)


cpdef bint has_invisible(str text) except -1


@cython.locals(folded=bytearray, length=Py_ssize_t, is_after_word=bint, index=Py_ssize_t, character=int)
cpdef str fold_ascii_words(str text)


cpdef str drop_invisible(str text)

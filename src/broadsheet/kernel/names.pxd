cimport cython

cdef unsigned int[::1] _CRC_TABLE


@cython.locals(
    hashes=list, length=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t, index=Py_ssize_t, value=cython.uint,
)
cpdef tuple hash_identifiers(str name, Py_ssize_t max_words, Py_ssize_t max_chars)


@cython.locals(stop=Py_ssize_t)
cdef Py_ssize_t find_word_end(str name, Py_ssize_t start, Py_ssize_t length) except -1


@cython.locals(
    names=list, index=Py_ssize_t, class_name=str, element_id=str, hashes=tuple, id_hashes=tuple, cached=tuple,
    no_hashes=tuple,
)
cpdef list list_names(list class_names, list ids, dict cache, hash_name)

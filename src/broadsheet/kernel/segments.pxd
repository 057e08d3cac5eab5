cimport cython

from broadsheet.kernel.runs cimport RunTexts, count_chars

cdef int _HIDDEN, _NO_CONTAINER


cdef class BlockColumns:
    cdef readonly list texts
    cdef readonly object rows, row_end, first, last, container, link_chars
    cdef int[::1] _run_rows
    cdef int[::1] _rows
    cdef int[::1] _row_end
    cdef int[::1] _first
    cdef int[::1] _last
    cdef int[::1] _container
    cdef int[::1] _link_chars
    cdef Py_ssize_t _count
    cdef Py_ssize_t _row_count

    @cython.locals(block=Py_ssize_t, at=Py_ssize_t, item=Py_ssize_t)
    cdef add(self, str text, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t container, Py_ssize_t link_chars)


@cython.locals(
    container="int[::1]", run_end="int[::1]", run_breaks="int[::1]", columns=BlockColumns, texts=RunTexts,
    in_link="unsigned char[::1]", start=Py_ssize_t, stop=Py_ssize_t, run=Py_ssize_t, text=str, link_chars=Py_ssize_t, is_link=bint,
)
cpdef BlockColumns cut_blocks(table)


@cython.locals(lines=list, line_start=Py_ssize_t, item=Py_ssize_t, breaks=Py_ssize_t, text=str)
cdef split_run(RunTexts texts, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t container, BlockColumns columns)


@cython.locals(
    arena=bytes, starts="int[::1]", ends="int[::1]", run_end="int[::1]", rows="int[::1]", in_link="unsigned char[::1]",
    chars=Py_ssize_t, prose=Py_ssize_t, item=Py_ssize_t, run=Py_ssize_t, run_chars=Py_ssize_t, row=Py_ssize_t,
    has_other_text=bint,
)
cpdef tuple count_shown(table, Py_ssize_t min_prose_chars, Py_ssize_t max_chars=*, bint skip_links=*)


@cython.locals(
    tags="unsigned short[::1]", outer="int[::1]", flags="unsigned char[::1]", contexts="int[::1]",
    context_of="int[::1]", count=Py_ssize_t, not_cell=int, context=int, row=Py_ssize_t, around=Py_ssize_t,
    block=Py_ssize_t,
)
cpdef find_contexts(table, int[::1] containers, int[::1] tag_flags, int cell_flag, int hidden_flag)


@cython.locals(
    tags="unsigned short[::1]", parents="int[::1]", starts="int[::1]", ends="int[::1]", arena=bytes,
    tag_count=Py_ssize_t, number=Py_ssize_t, item=Py_ssize_t, block=Py_ssize_t, row=Py_ssize_t, tag=Py_ssize_t,
    at=Py_ssize_t, share=double,
)
cpdef measure_emphasis(
    table, int[::1] rows, int[::1] row_end, list block_texts, const unsigned char[::1] tag_columns, float[::1] shares,
    Py_ssize_t first
)

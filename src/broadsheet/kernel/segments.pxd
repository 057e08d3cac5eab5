cimport cython


@cython.locals(
    node_texts=list, texts=list, rows=list, containers=list, link_chars=list, run_rows=list, link_rows=list, text=str,
    container=Py_ssize_t, breaks=Py_ssize_t, chars=Py_ssize_t, row=Py_ssize_t, block_rows=list,
)
cpdef cut_runs(runs, nodes, fold_text, columns)


@cython.locals(
    container=Py_ssize_t, run_rows=list, link_rows=list, texts=list, in_link=set, paragraph=list, lines=list,
    text=str, chars=Py_ssize_t, row=Py_ssize_t,
)
cpdef split_run(nodes, tuple run, fold_text, columns)


@cython.locals(tags=list, texts=list, paragraph=list, paragraphs=list, breaks=Py_ssize_t, row=Py_ssize_t)
cpdef list split_paragraphs(nodes, list rows)


@cython.locals(
    tags=list, outer=dict, flags=int, not_cell=int, contexts="int[::1]", row=Py_ssize_t, around=Py_ssize_t,
)
cpdef list find_contexts(nodes, containers, dict tag_flags, int cell_flag, int hidden_flag)


@cython.locals(
    tags=list, parents=list, texts=list, number=Py_ssize_t, block=Py_ssize_t, row=Py_ssize_t, tag=str,
    at=Py_ssize_t, share=double, rows=list,
)
cpdef measure_emphasis(list rows_of_blocks, list block_texts, nodes, dict tag_columns, float[::1] shares)

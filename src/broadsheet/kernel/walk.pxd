cimport cython


@cython.locals(
    tags=list, parents=list, ends=list, texts=list, elements=list, classes=list, runs=list,
    outer=dict, indexed=dict, hidden=set, hosts=dict, opened=list, open_rows=list, tag_names=dict, parent_row=object,
    text_row=object, element_row=object, run_rows=list, link_rows=list,
    max_depth=Py_ssize_t, max_nodes=Py_ssize_t, next_check=Py_ssize_t,
    is_container=int, is_dropped=int, is_indexed=int, is_break=int, is_link=int, is_template=int, tag_kind=int,
    marked_count=Py_ssize_t, marked_index=Py_ssize_t,
    breaks=Py_ssize_t, row=Py_ssize_t, parent=Py_ssize_t, depth=Py_ssize_t, deepest=Py_ssize_t,
    container=Py_ssize_t, link=Py_ssize_t, dropped=Py_ssize_t,
    is_text=bint, is_hidden=bint, data=str, tag=str,
)
cpdef walk_tree(document, columns, dict tag_kinds, list marked, limits)


@cython.locals(values=list, row=Py_ssize_t)
cpdef list read_attributes(list elements, rows, str name)

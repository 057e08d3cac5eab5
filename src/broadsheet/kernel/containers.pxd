cimport cython


@cython.locals(
    outer="Py_ssize_t[::1]", first_block="Py_ssize_t[::1]", end_block="Py_ssize_t[::1]", enclosing="Py_ssize_t[::1]",
    number=Py_ssize_t, rows=list, numbers="int[::1]", new_rows=list, block=Py_ssize_t, row=Py_ssize_t, around=Py_ssize_t,
    container=Py_ssize_t, count=Py_ssize_t, level=Py_ssize_t,
)
cpdef list find_containers(list block_rows, dict outer_rows, Py_ssize_t row_count, Py_ssize_t levels, arrays)


@cython.locals(
    outer="Py_ssize_t[::1]", position="Py_ssize_t[::1]", position_outer=list, position_tags=list,
    position_classes=list, position_ids=list, depths=list, numbers=dict, count=Py_ssize_t, container=Py_ssize_t,
    row=Py_ssize_t, around=Py_ssize_t, outer_position=Py_ssize_t, number=Py_ssize_t, key=tuple, index=Py_ssize_t,
    tags=list, ids=list, all_rows=list, all_classes=list, all_row=Py_ssize_t,
)
cpdef group_positions(list rows, names, arrays)

"""The compiled HTML parser: HTML5 tokenization and tree construction in C, straight into the columns of the node table.

The C sources follow the WHATWG standard, section 13.2, and have its names. Only a compiled install has this module.
"""

from cpython cimport array
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from array import array as make_array

from broadsheet.html.names import ATTRIBUTE_NAMES, TAG_NAMES
from broadsheet.html.normalize import normalize_text
from broadsheet.html.table import NodeTable


cdef extern from "Python.h":
    int PyUnicode_KIND(object)
    void *PyUnicode_DATA(object)


cdef extern from "rows.h" nogil:
    ctypedef struct Buffer:
        uint8_t *bytes
        uint32_t length
    ctypedef struct Name:
        uint32_t start, length
    ctypedef struct NameTable:
        Name *names
        Buffer text
        uint32_t count
    ctypedef struct AttributeList:
        uint32_t count
    ctypedef struct Parser:
        uint32_t node_count
        uint64_t text_bytes, value_bytes
        AttributeList attributes
        NameTable tags, attribute_names
        bint is_cut, is_quirky, has_no_memory
    ctypedef struct Columns:
        uint16_t *tag
        uint16_t *attribute_count
        uint16_t *attribute_name
        int32_t *parent
        int32_t *end
        int32_t *text_start
        int32_t *text_end
        int32_t *first_attribute
        int32_t *outer
        int32_t *value_start
        int32_t *value_end
        int32_t *run_container
        int32_t *run_end
        int32_t *run_breaks
        int32_t *run_rows
        uint8_t *flags
        uint8_t *run_in_link
        uint8_t *arena
        uint32_t row_count, run_count, run_row_count, arena_length
        int32_t *unsure
        uint32_t unsure_count
    int SLACK, SOURCE_READ, SOURCE_UNSUPPORTED
    bint prepare_tables()
    int start_parser(Parser *, const void *, int, size_t, uint32_t)
    bint parse_slice(Parser *, uint32_t)
    void finish_parsing(Parser *)
    void write_rows(Parser *, Columns *, const uint8_t *, uint32_t, int32_t)
    void free_parser(Parser *)


if not prepare_tables():
    raise MemoryError

_ROW_COLUMNS = (
    *("tag", "parent", "end", "text_start", "text_end", "first_attribute", "attribute_count", "flags", "outer"),
)
_ATTRIBUTE_COLUMNS = ("attribute_name", "value_start", "value_end")
_RUN_COLUMNS = ("run_container", "run_end", "run_breaks")
_RUN_ROW_COLUMNS = ("run_rows", "run_in_link")
cdef uint32_t _SLICE = 1_000_000  # bytes of source between two checks of the deadline
cdef array.array _UINT16 = make_array("H"), _INT32 = make_array("i"), _UINT8 = make_array("B")


def parse(str html not None, bytes kinds not None, max_nodes, max_depth, check_deadline):
    """Return the node table of a page, or None if only the other parser can read it (NUL, lone surrogates).

    `kinds` says for each tag with a fixed number how it is treated; `check_deadline` raises if the time is up.
    """
    cdef Parser parser
    cdef uint32_t node_limit = max(1, min(max_nodes, INT32_MAX // 64))
    cdef int32_t depth_limit = max(1, min(max_depth, INT32_MAX))
    cdef const void *characters = PyUnicode_DATA(html)
    cdef int width = PyUnicode_KIND(html), result
    cdef size_t count = len(html)
    cdef bint has_more = True
    if len(kinds) < len(TAG_NAMES):
        raise ValueError("kinds must have an item for each tag")
    try:
        with nogil:
            result = start_parser(&parser, characters, width, count, node_limit)
        if result == SOURCE_UNSUPPORTED:
            return None
        if result != SOURCE_READ:
            raise MemoryError
        while has_more:
            with nogil:
                has_more = parse_slice(&parser, _SLICE)
            check_deadline()
        finish_parsing(&parser)
        if parser.has_no_memory:
            raise MemoryError
        return _make_table(&parser, kinds, node_limit, depth_limit)
    finally:
        free_parser(&parser)


cdef void *_add_column(table, str name, array.array kind, Py_ssize_t size) except NULL:
    """Give the table a column with room for `size` items."""
    cdef array.array column = array.clone(kind, size, False)
    setattr(table, name, column)
    return column.data.as_voidptr


cdef _make_table(Parser *parser, bytes kinds, uint32_t max_rows, int32_t max_depth):
    """Let the parser write the columns, and cut them to their size."""
    cdef Columns columns
    cdef Py_ssize_t rows = min(parser.node_count, max_rows) + 1, attributes = parser.attributes.count + 1
    cdef bytes arena = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>(parser.text_bytes + parser.value_bytes) + SLACK)
    cdef const uint8_t *kind_bytes = <const uint8_t *>PyBytes_AS_STRING(kinds)
    table = NodeTable()
    memset(&columns, 0, sizeof(columns))
    columns.tag = <uint16_t *>_add_column(table, "tag", _UINT16, rows)
    columns.parent = <int32_t *>_add_column(table, "parent", _INT32, rows)
    columns.end = <int32_t *>_add_column(table, "end", _INT32, rows)
    columns.text_start = <int32_t *>_add_column(table, "text_start", _INT32, rows)
    columns.text_end = <int32_t *>_add_column(table, "text_end", _INT32, rows)
    columns.first_attribute = <int32_t *>_add_column(table, "first_attribute", _INT32, rows)
    columns.attribute_count = <uint16_t *>_add_column(table, "attribute_count", _UINT16, rows)
    columns.flags = <uint8_t *>_add_column(table, "flags", _UINT8, rows)
    columns.outer = <int32_t *>_add_column(table, "outer", _INT32, rows)
    columns.attribute_name = <uint16_t *>_add_column(table, "attribute_name", _UINT16, attributes)
    columns.value_start = <int32_t *>_add_column(table, "value_start", _INT32, attributes)
    columns.value_end = <int32_t *>_add_column(table, "value_end", _INT32, attributes)
    columns.run_container = <int32_t *>_add_column(table, "run_container", _INT32, rows)
    columns.run_end = <int32_t *>_add_column(table, "run_end", _INT32, rows)
    columns.run_breaks = <int32_t *>_add_column(table, "run_breaks", _INT32, rows)
    columns.run_rows = <int32_t *>_add_column(table, "run_rows", _INT32, rows)
    columns.run_in_link = <uint8_t *>_add_column(table, "run_in_link", _UINT8, rows)
    columns.arena = <uint8_t *>PyBytes_AS_STRING(arena)
    try:
        with nogil:
            write_rows(parser, &columns, kind_bytes, max_rows, max_depth)
        if parser.has_no_memory:
            raise MemoryError
        _resize_columns(table, _ROW_COLUMNS, columns.row_count)
        _resize_columns(table, _ATTRIBUTE_COLUMNS, parser.attributes.count)
        _resize_columns(table, _RUN_COLUMNS, columns.run_count)
        _resize_columns(table, _RUN_ROW_COLUMNS, columns.run_row_count)
        table.arena = _normalize_texts(arena[: columns.arena_length], table.text_start, table.text_end, &columns)
    finally:
        free(columns.unsure)
    table.tag_names = _list_names(&parser.tags, TAG_NAMES)
    table.attribute_names = _list_names(&parser.attribute_names, ATTRIBUTE_NAMES)
    table.is_cut, table.is_quirky = parser.is_cut, parser.is_quirky
    return table


cdef _resize_columns(table, tuple names, Py_ssize_t size):
    for name in names:
        array.resize(getattr(table, name), size)


cdef bytes _normalize_texts(bytes arena, array.array starts, array.array ends, Columns *columns):
    """Append the normal form of the texts that are not in NFC to the arena."""
    cdef list changed = []
    cdef Py_ssize_t size = len(arena)
    for row in columns.unsure[: columns.unsure_count]:
        text = arena[starts[row] : ends[row]].decode()
        normal = normalize_text(text)
        if normal is not text:
            data = normal.encode()
            changed.append(data)
            starts[row], ends[row] = size, size + len(data)
            size += len(data)
    return arena + b"".join(changed) if changed else arena


cdef tuple _list_names(NameTable *table, tuple fixed):
    """Return the fixed names and those of the page."""
    cdef uint32_t number
    cdef Name *name
    cdef list others = []
    if table.count == len(fixed):
        return fixed
    for number in range(len(fixed), table.count):
        name = &table.names[number]
        others.append(table.text.bytes[name.start : name.start + name.length].decode())
    return (*fixed, *others)

"""Texts of the arena as blocks show them: see `fold.py`, which does the same in plain Python."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeUTF8

cdef extern from *:
    """
    enum { BROADSHEET_OTHER, BROADSHEET_SPACE, BROADSHEET_INVISIBLE };

    /* Tell what the character at `text` is, and write its length in bytes. `size` is that of the whole text.
       The white space is that of `str.isspace`; invisible characters are those of `kernel.spaces`. */
    static inline int broadsheet_classify(const unsigned char *text, Py_ssize_t size, Py_ssize_t *length) {
      const unsigned char lead = text[0];
      *length = 1;
      if (lead < 0x80) return lead == ' ' || (lead >= 9 && lead <= 13) || (lead >= 28 && lead <= 31);
      if (lead == 0xC2 && size > 1) {
        *length = 2;
        if (text[1] == 0x85 || text[1] == 0xA0) return BROADSHEET_SPACE;
        return text[1] == 0xAD ? BROADSHEET_INVISIBLE : BROADSHEET_OTHER; /* soft hyphen */
      }
      if (lead < 0xE0) { *length = size < 2 ? size : 2; return BROADSHEET_OTHER; }
      if (lead >= 0xF0) { *length = size < 4 ? size : 4; return BROADSHEET_OTHER; }
      if (size < 3) { *length = size; return BROADSHEET_OTHER; }
      *length = 3;
      const unsigned char second = text[1], third = text[2];
      if (lead == 0xE2 && second == 0x80) {
        if (third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF) return BROADSHEET_SPACE;
        return third == 0x8B ? BROADSHEET_INVISIBLE : BROADSHEET_OTHER; /* zero-width space */
      }
      if (lead == 0xE2 && second == 0x81) {
        if (third == 0x9F) return BROADSHEET_SPACE;
        return third == 0xA0 ? BROADSHEET_INVISIBLE : BROADSHEET_OTHER; /* word joiner */
      }
      if (lead == 0xE3 && second == 0x80 && third == 0x80) return BROADSHEET_SPACE;
      if (lead == 0xE1 && second == 0x9A && third == 0x80) return BROADSHEET_SPACE;
      if (lead == 0xEF && second == 0xBB && third == 0xBF) return BROADSHEET_INVISIBLE; /* byte-order mark */
      return BROADSHEET_OTHER;
    }

    /* Write a text with single spaces in place of white space, and without invisible characters. `end` is where what
       was written before ends; a space is written only before another character. Return the new end. */
    static unsigned char *broadsheet_fold(const unsigned char *text, Py_ssize_t size, unsigned char *start,
                                          unsigned char *end, int *is_after_space) {
      const unsigned char *stop = text + size;
      while (text < stop) {
        Py_ssize_t length;
        const int kind = broadsheet_classify(text, stop - text, &length);
        if (kind == BROADSHEET_SPACE) {
          *is_after_space = 1;
        } else if (kind == BROADSHEET_OTHER) {
          if (*is_after_space && end > start) *end++ = ' ';
          *is_after_space = 0;
          for (Py_ssize_t byte = 0; byte < length; byte++) *end++ = text[byte];
        }
        text += length;
      }
      return end;
    }

    static Py_ssize_t broadsheet_count(const unsigned char *text, Py_ssize_t size) {
      Py_ssize_t count = 0;
      for (Py_ssize_t byte = 0; byte < size; byte++) count += (text[byte] & 0xC0) != 0x80;
      return count;
    }

    /* Count the characters between the first and the last one that are not white space. */
    static Py_ssize_t broadsheet_count_stripped(const unsigned char *text, Py_ssize_t size) {
      Py_ssize_t count = 0, last = 0, at = 0, length;
      while (at < size) {
        const int is_space = broadsheet_classify(text + at, size - at, &length) == BROADSHEET_SPACE;
        if (count || !is_space) count++;
        if (!is_space) last = count;
        at += length;
      }
      return last;
    }
    """
    unsigned char *broadsheet_fold(
        const unsigned char *text, Py_ssize_t size, unsigned char *start, unsigned char *end, int *is_after_space
    )
    Py_ssize_t broadsheet_count(const unsigned char *text, Py_ssize_t size)
    Py_ssize_t broadsheet_count_stripped(const unsigned char *text, Py_ssize_t size)


DEF BUFFER_BYTES = 4096  # most blocks are shorter


cdef const unsigned char *find_text(bytes arena, Py_ssize_t start, Py_ssize_t end) except NULL:
    if not 0 <= start <= end <= PyBytes_GET_SIZE(arena):
        raise IndexError("a text is outside the arena")
    return <const unsigned char *>PyBytes_AS_STRING(arena) + start


cpdef str fold_rows(
    bytes arena, const int[::1] starts, const int[::1] ends, const int[::1] rows, Py_ssize_t first, Py_ssize_t stop
):
    cdef unsigned char buffer[BUFFER_BYTES]
    cdef unsigned char *folded = buffer
    cdef unsigned char *end
    cdef Py_ssize_t size = 0, item
    cdef int row, is_after_space = 0
    for item in range(first, stop):
        row = rows[item]
        find_text(arena, starts[row], ends[row])  # checks the range
        size += ends[row] - starts[row]
    if size > BUFFER_BYTES:
        folded = <unsigned char *>PyMem_Malloc(size)
        if folded is NULL:
            raise MemoryError
    try:
        end = folded
        for item in range(first, stop):
            row = rows[item]
            end = broadsheet_fold(
                <const unsigned char *>PyBytes_AS_STRING(arena) + starts[row], ends[row] - starts[row],
                folded, end, &is_after_space
            )
        return PyUnicode_DecodeUTF8(<char *>folded, end - folded, "surrogatepass")
    finally:
        if folded is not buffer:
            PyMem_Free(folded)


cpdef Py_ssize_t count_chars(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1:
    return broadsheet_count(find_text(arena, start, end), end - start)


cpdef Py_ssize_t count_stripped_chars(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1:
    return broadsheet_count_stripped(find_text(arena, start, end), end - start)


cpdef bint is_space(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1:
    return end > start and not broadsheet_count_stripped(find_text(arena, start, end), end - start)

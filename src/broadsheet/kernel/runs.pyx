"""The texts of the runs of a page: see `runs.py`, which does the same in plain Python."""

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
        if (*text > ' ' && *text < 0x80) { /* most characters */
          if (*is_after_space && end > start) *end++ = ' ';
          *is_after_space = 0;
          do *end++ = *text++; while (text < stop && *text > ' ' && *text < 0x80);
          continue;
        }
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


cdef enum:
    BUFFER_BYTES = 4096  # most blocks are shorter


cdef class RunTexts:
    def __init__(self, table):
        self._arena = table.arena
        self._starts, self._ends = table.text_start, table.text_end
        self._rows, self._in_link = table.run_rows, table.run_in_link

    cdef const unsigned char *find(self, Py_ssize_t item, Py_ssize_t *size) except NULL:
        """Return where the text of an item starts, and write its size in bytes."""
        cdef Py_ssize_t row = self._rows[item], start = self._starts[row], end = self._ends[row]
        if not 0 <= start <= end <= PyBytes_GET_SIZE(self._arena):
            raise IndexError("a text is outside the arena")
        size[0] = end - start
        return <const unsigned char *>PyBytes_AS_STRING(self._arena) + start

    cpdef str read(self, Py_ssize_t item):
        cdef Py_ssize_t size
        cdef const unsigned char *text = self.find(item, &size)
        return PyUnicode_DecodeUTF8(<const char *>text, size, "surrogatepass")

    cpdef str fold(self, Py_ssize_t start, Py_ssize_t stop):
        cdef unsigned char buffer[BUFFER_BYTES]
        cdef unsigned char *folded = buffer
        cdef unsigned char *end
        cdef const unsigned char *text
        cdef Py_ssize_t total = 0, size, item
        cdef int is_after_space = 0
        for item in range(start, stop):
            self.find(item, &size)
            total += size
        if total > BUFFER_BYTES:
            folded = <unsigned char *>PyMem_Malloc(total)
            if folded is NULL:
                raise MemoryError
        try:
            end = folded
            for item in range(start, stop):
                text = self.find(item, &size)
                end = broadsheet_fold(text, size, folded, end, &is_after_space)
            return PyUnicode_DecodeUTF8(<const char *>folded, end - folded, "surrogatepass")
        finally:
            if folded is not buffer:
                PyMem_Free(folded)

    cpdef bint is_break(self, Py_ssize_t item) except -1:
        cdef Py_ssize_t size
        self.find(item, &size)
        return size == 0

    cpdef bint is_space(self, Py_ssize_t item) except -1:
        cdef Py_ssize_t size
        cdef const unsigned char *text = self.find(item, &size)
        return size > 0 and not broadsheet_count_stripped(text, size)

    cpdef Py_ssize_t count_link_chars(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        cdef Py_ssize_t chars = 0, item, size
        cdef const unsigned char *text
        for item in range(start, stop):
            if self._in_link[item]:
                text = self.find(item, &size)
                chars += broadsheet_count_stripped(text, size)
        return chars


cpdef Py_ssize_t count_chars(bytes arena, Py_ssize_t start, Py_ssize_t end) except -1:
    if not 0 <= start <= end <= PyBytes_GET_SIZE(arena):
        raise IndexError("a text is outside the arena")
    return broadsheet_count(<const unsigned char *>PyBytes_AS_STRING(arena) + start, end - start)

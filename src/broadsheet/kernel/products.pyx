# cython: boundscheck=False, wraparound=False
"""Matrix products in the caller's thread, for processors with AVX2.

The only module of this folder that is not also plain Python: `models.multiply` uses NumPy where it is not compiled or
the processor lacks AVX2. NumPy's BLAS must be called with few rows at a time, or it starts threads, and takes half as
long again for the layers of a block network.
"""

cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
    typedef float broadsheet_floats __attribute__((vector_size(32), aligned(4), may_alias));

    /* Write a tile of 16 columns and R rows: the sums stay in registers. */
    #define BROADSHEET_TILE(R) \
      { \
        broadsheet_floats sums[R][2]; \
        for (int r = 0; r < R; r++) { sums[r][0] = (broadsheet_floats){0}; sums[r][1] = (broadsheet_floats){0}; } \
        for (Py_ssize_t k = 0; k < width; k++) { \
          const float *from = weight + k * columns + column; \
          const broadsheet_floats left = *(const broadsheet_floats *)from; \
          const broadsheet_floats right = *(const broadsheet_floats *)(from + 8); \
          for (int r = 0; r < R; r++) { \
            const float value = rows[(row + r) * width + k]; \
            sums[r][0] += left * value; \
            sums[r][1] += right * value; \
          } \
        } \
        for (int r = 0; r < R; r++) { \
          float *to = product + (row + r) * columns + column; \
          *(broadsheet_floats *)to = sums[r][0]; \
          *(broadsheet_floats *)(to + 8) = sums[r][1]; \
        } \
        row += R; \
      }

    __attribute__((target("avx2,fma")))
    static void broadsheet_multiply(const float *rows, const float *weight, float *product,
                                    Py_ssize_t count, Py_ssize_t width, Py_ssize_t columns) {
      for (Py_ssize_t column = 0; column < columns; column += 16) {
        Py_ssize_t row = 0;
        while (row + 6 <= count) BROADSHEET_TILE(6)
        while (row + 2 <= count) BROADSHEET_TILE(2)
        while (row < count) BROADSHEET_TILE(1)
      }
    }

    static int broadsheet_has_avx2(void) {
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    }
    #else
    static void broadsheet_multiply(const float *rows, const float *weight, float *product,
                                    Py_ssize_t count, Py_ssize_t width, Py_ssize_t columns) {}
    static int broadsheet_has_avx2(void) { return 0; }
    #endif
    """
    void broadsheet_multiply(
        const float *rows, const float *weight, float *product, Py_ssize_t count, Py_ssize_t width, Py_ssize_t columns
    ) nogil
    bint broadsheet_has_avx2()


TILE_COLUMNS = 16  # the number of columns must be a multiple


def can_multiply():
    """Tell whether this processor can run `write_product`."""
    return broadsheet_has_avx2()


def write_product(const float[:, ::1] rows, const float[:, ::1] weight, float[:, ::1] product):
    """Write the product of (n, a) and (a, b) into (n, b)."""
    cdef Py_ssize_t count = rows.shape[0], width = rows.shape[1], columns = weight.shape[1]
    if weight.shape[0] != width or product.shape[0] != count or product.shape[1] != columns or columns % 16:
        raise ValueError("the shapes do not fit")
    if not broadsheet_has_avx2():
        raise ValueError("the processor lacks AVX2")
    if count and columns:
        if not width:
            product[:, :] = 0
            return
        with nogil:
            broadsheet_multiply(&rows[0, 0], &weight[0, 0], &product[0, 0], count, width, columns)

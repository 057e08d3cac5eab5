# Matrix products, exp and tanh in C, for `network`.
#
# GCC and Clang make vector code: with AVX2 and FMA on x86-64, if the processor has them, and with NEON on arm64. Products
# use AVX-512 on processors that do not slow down for it: 139 instead of 71 thousand million multiplications a second on
# an EPYC of the fifth generation. Other compilers and processors run plain loops. All add in the same order.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define BROADSHEET_PARTS 3

    /* A product of rows and a weight. A row is made of parts, which may be in different places. */
    typedef struct {
      int parts;
      const float *rows[BROADSHEET_PARTS];
      Py_ssize_t row_step[BROADSHEET_PARTS];   /* from one row to the next */
      Py_ssize_t value_step[BROADSHEET_PARTS]; /* from one value of a row to the next */
      Py_ssize_t depth[BROADSHEET_PARTS];      /* values of a row */
      const float *weight;                     /* rows for all parts, in sequence */
      Py_ssize_t weight_step;                  /* from one row to the next */
      Py_ssize_t panel_step;                   /* from 16 columns to the next 16 */
      const float *start;                      /* is added to the product, which may be the same; NULL for none */
      Py_ssize_t start_step;                   /* from one row to the next; 0 if all rows have the same start */
      int is_positive;                         /* then negative values become 0 */
      const float *residual;                   /* is added at the end; NULL for none */
      float *product;                          /* (count, columns) */
      Py_ssize_t count, columns;               /* columns are a multiple of 16 */
    } broadsheet_product;

    #if defined(__GNUC__) && !defined(_WIN32) && (defined(__x86_64__) || defined(__aarch64__))
    #define BROADSHEET_VECTORS
    #endif
    #if defined(BROADSHEET_VECTORS) && defined(__x86_64__)
    #define BROADSHEET_TARGET __attribute__((target("avx2,fma"))) static
    #define BROADSHEET_LANES 8
    #else
    #define BROADSHEET_TARGET static
    #define BROADSHEET_LANES 4
    #endif
    #ifdef __GNUC__
    #define BROADSHEET_INLINE static inline __attribute__((always_inline))
    #else
    #define BROADSHEET_INLINE static __inline
    #endif

    static void broadsheet_multiply_plain(const broadsheet_product *task) {
      for (Py_ssize_t row = 0; row < task->count; row++)
        for (Py_ssize_t column = 0; column < task->columns; column += 16) {
          const Py_ssize_t at = row * task->columns + column;
          const float *from = task->weight + column / 16 * task->panel_step;
          float sums[16] = {0};
          if (task->start) memcpy(sums, task->start + row * task->start_step + column, sizeof sums);
          for (int part = 0; part < task->parts; part++) {
            const float *values = task->rows[part] + row * task->row_step[part];
            for (Py_ssize_t k = 0; k < task->depth[part]; k++) {
              const float value = values[k * task->value_step[part]];
              for (int i = 0; i < 16; i++) sums[i] += from[i] * value;
              from += task->weight_step;
            }
          }
          for (int i = 0; i < 16; i++) {
            if (task->is_positive && sums[i] < 0) sums[i] = 0;
            if (task->residual) sums[i] += task->residual[at + i];
          }
          memcpy(task->product + at, sums, sizeof sums);
        }
    }

    #ifdef BROADSHEET_VECTORS
    typedef float broadsheet_floats __attribute__((vector_size(4 * BROADSHEET_LANES), aligned(4), may_alias));
    typedef int32_t broadsheet_ints __attribute__((vector_size(4 * BROADSHEET_LANES), aligned(4), may_alias));
    #define BROADSHEET_VECTOR(floats, pointer) (*(floats *)((pointer) + v * (int)(sizeof(floats) / 4)))
    /* The weights of vector v: those of 16 columns are together. */
    #define BROADSHEET_WEIGHT(floats) \\
      (*(floats *)(from + v * (int)(sizeof(floats) / 4) / 16 * panel_step + v * (int)(sizeof(floats) / 4) % 16))
    #define BROADSHEET_EACH_VECTOR(vectors) for (int v = 0; v < vectors; v++)

    /* Write the columns of some vectors of R rows: the sums stay in registers. */
    #define BROADSHEET_TILE(floats, ints, vectors, R) \\
      { \\
        floats sums[R][vectors] = {0}; \\
        const float *from = weight; \\
        if (task->start) \\
          for (int r = 0; r < R; r++) \\
            BROADSHEET_EACH_VECTOR(vectors) \\
              sums[r][v] = BROADSHEET_VECTOR(floats, task->start + (row + r) * task->start_step + column); \\
        for (int part = 0; part < task->parts; part++) { \\
          const Py_ssize_t row_step = task->row_step[part], value_step = task->value_step[part]; \\
          const float *values = task->rows[part] + row * row_step; \\
          for (Py_ssize_t k = 0; k < task->depth[part]; k++) { \\
            for (int r = 0; r < R; r++) { \\
              const float value = values[r * row_step + k * value_step]; \\
              BROADSHEET_EACH_VECTOR(vectors) sums[r][v] += BROADSHEET_WEIGHT(floats) * value; \\
            } \\
            from += weight_step; \\
          } \\
        } \\
        for (int r = 0; r < R; r++) \\
          BROADSHEET_EACH_VECTOR(vectors) { \\
            const Py_ssize_t at = (row + r) * task->columns + column; \\
            floats sum = sums[r][v]; \\
            if (task->is_positive) sum = (floats)((ints)sum & (sum > 0)); \\
            if (task->residual) sum += BROADSHEET_VECTOR(floats, task->residual + at); \\
            BROADSHEET_VECTOR(floats, task->product + at) = sum; \\
          } \\
        row += R; \\
      }
    /* Write the columns of some vectors of all rows, at most `rows` of them at a time. */
    #define BROADSHEET_COLUMNS(floats, ints, vectors, rows) \\
      { \\
        const float *weight = task->weight + column / 16 * panel_step; \\
        Py_ssize_t row = 0; \\
        while (row + rows <= count) BROADSHEET_TILE(floats, ints, vectors, rows) \\
        if (row + 4 <= count) BROADSHEET_TILE(floats, ints, vectors, 4) \\
        if (row + 2 <= count) BROADSHEET_TILE(floats, ints, vectors, 2) \\
        if (row < count) BROADSHEET_TILE(floats, ints, vectors, 1) \\
        column += vectors * (Py_ssize_t)(sizeof(floats) / 4); \\
      }
    #define BROADSHEET_START_PRODUCT \\
      const Py_ssize_t count = task->count, weight_step = task->weight_step, panel_step = task->panel_step; \\
      Py_ssize_t column = 0;

    BROADSHEET_TARGET void broadsheet_multiply_vectors(const broadsheet_product *task) {
      BROADSHEET_START_PRODUCT
      while (column < task->columns)
        BROADSHEET_COLUMNS(broadsheet_floats, broadsheet_ints, 16 / BROADSHEET_LANES, 6)
    }
    #endif

    static void (*broadsheet_multiply)(const broadsheet_product *) = broadsheet_multiply_plain;
    static int broadsheet_has_vectors = 0;

    #if defined(BROADSHEET_VECTORS) && defined(__x86_64__)
    typedef float broadsheet_wide_floats __attribute__((vector_size(64), aligned(4), may_alias));
    typedef int32_t broadsheet_wide_ints __attribute__((vector_size(64), aligned(4), may_alias));
    __attribute__((target("avx512f"))) static void broadsheet_multiply_wide(const broadsheet_product *task) {
      BROADSHEET_START_PRODUCT
      while (column + 32 <= task->columns) BROADSHEET_COLUMNS(broadsheet_wide_floats, broadsheet_wide_ints, 2, 8)
      if (column < task->columns) BROADSHEET_COLUMNS(broadsheet_wide_floats, broadsheet_wide_ints, 1, 8)
    }
    #endif

    BROADSHEET_INLINE void broadsheet_add_row(float *__restrict sums, const float *__restrict row, Py_ssize_t columns,
                                              float weight) {
      for (Py_ssize_t i = 0; i < columns; i++) sums[i] += row[i] * weight;
    }

    /* exp(x) for |x| < 80, with an error of 2e-7 of the value: a power of 2, and a polynomial for the rest (Cephes). */
    BROADSHEET_INLINE float broadsheet_exp(float x) {
      const float no_fraction = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number */
      const float shifted = x * 1.44269504f + no_fraction, power = shifted - no_fraction;
      const float rest = x - power * 0.693359375f + power * 2.12194440e-4f;
      float y = 1.9875691500e-4f, scale;
      uint32_t bits;
      y = y * rest + 1.3981999507e-3f;
      y = y * rest + 8.3334519073e-3f;
      y = y * rest + 4.1665795894e-2f;
      y = y * rest + 1.6666665459e-1f;
      y = y * rest + 5.0000001201e-1f;
      y = y * rest * rest + rest + 1.0f;
      memcpy(&bits, &shifted, 4);
      bits = (bits + 127) << 23; /* the low bits of `shifted` are the power */
      memcpy(&scale, &bits, 4);
      return y * scale;
    }

    /* In a loop of its own: with constants for large values in the same loop, GCC does not use vectors. */
    BROADSHEET_INLINE void broadsheet_clip(float *values, Py_ssize_t count, float limit) {
      for (Py_ssize_t i = 0; i < count; i++) {
        const float value = values[i] < limit ? values[i] : limit;
        values[i] = value > -limit ? value : -limit;
      }
    }

    BROADSHEET_INLINE void broadsheet_sigmoid_inline(float *values, Py_ssize_t count) {
      broadsheet_clip(values, count, 30.0f); /* more would not change a float32 */
      for (Py_ssize_t i = 0; i < count; i++) values[i] = 1.0f / (1.0f + broadsheet_exp(-values[i]));
    }

    BROADSHEET_INLINE void broadsheet_tanh_inline(float *values, Py_ssize_t count) {
      broadsheet_clip(values, count, 15.0f);
      for (Py_ssize_t i = 0; i < count; i++) values[i] = 2.0f / (1.0f + broadsheet_exp(-2.0f * values[i])) - 1.0f;
    }

    /* Winograd's F(4, 3) for convolutions (Lavin and Gray, 2016, "Fast algorithms for convolutional neural networks"):
       four results of three taps, `reach` apart, from 6 products instead of 12. This writes the 6 rows to multiply. */
    #define BROADSHEET_SPREAD(type) \\
      for (Py_ssize_t i = 0; i < columns; i += sizeof(type) / sizeof(float)) { \\
        const float *at = row + i; \\
        const type before = *(type *)(at - reach), a = *(type *)at, b = *(type *)(at + reach); \\
        const type c = *(type *)(at + 2 * reach), d = *(type *)(at + 3 * reach), after = *(type *)(at + 4 * reach); \\
        *(type *)(spread + i) = 4 * before - 5 * b + d; \\
        *(type *)(spread + step + i) = d - 4 * b + (c - 4 * a); \\
        *(type *)(spread + 2 * step + i) = d - 4 * b - (c - 4 * a); \\
        *(type *)(spread + 3 * step + i) = d - b + 2 * (c - a); \\
        *(type *)(spread + 4 * step + i) = d - b - 2 * (c - a); \\
        *(type *)(spread + 5 * step + i) = 4 * a - 5 * c + after; \\
      }

    static void broadsheet_spread_plain(const float *row, Py_ssize_t reach, Py_ssize_t columns, float *spread,
                                        Py_ssize_t step) {
      BROADSHEET_SPREAD(float)
    }

    /* Join the 6 products to up to four results: add the bias, ReLU, add the row itself. */
    BROADSHEET_INLINE void broadsheet_join_inline(const float *products, Py_ssize_t step, const float *bias,
                                                  const float *row, Py_ssize_t reach, int count, Py_ssize_t columns,
                                                  float *__restrict result) {
      for (Py_ssize_t i = 0; i < columns; i++) {
        const float *m = products + i;
        const float sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
        const float far_sum = m[3 * step] + m[4 * step], far_difference = m[3 * step] - m[4 * step];
        float sums[4] = {m[0] + sum + far_sum, difference + 2 * far_difference, sum + 4 * far_sum,
                         difference + 8 * far_difference + m[5 * step]};
        for (int r = 0; r < 4; r++) {
          sums[r] += bias[i];
          sums[r] = (sums[r] > 0 ? sums[r] : 0);
        }
        for (int r = 0; r < count; r++) result[r * reach + i] = sums[r] + row[r * reach + i];
      }
    }

    #ifdef BROADSHEET_VECTORS
    BROADSHEET_TARGET void broadsheet_spread_vectors(const float *row, Py_ssize_t reach, Py_ssize_t columns,
                                                     float *spread, Py_ssize_t step) {
      BROADSHEET_SPREAD(broadsheet_floats)
    }
    BROADSHEET_TARGET void broadsheet_join_vectors(const float *products, Py_ssize_t step, const float *bias,
                                                   const float *row, Py_ssize_t reach, int count, Py_ssize_t columns,
                                                   float *result) {
      if (count == 4) /* a constant: the compiler makes vector code */
        broadsheet_join_inline(products, step, bias, row, reach, 4, columns, result);
      else
        broadsheet_join_inline(products, step, bias, row, reach, count, columns, result);
    }
    BROADSHEET_TARGET void broadsheet_sigmoid_vectors(float *values, Py_ssize_t count) {
      broadsheet_sigmoid_inline(values, count);
    }
    BROADSHEET_TARGET void broadsheet_tanh_vectors(float *values, Py_ssize_t count) {
      broadsheet_tanh_inline(values, count);
    }
    #define BROADSHEET_RUN(vectors, plain) if (broadsheet_has_vectors) vectors; else plain
    #else
    #define BROADSHEET_RUN(vectors, plain) plain
    #endif

    /* Choose the functions for this processor, or the plain ones. */
    static void broadsheet_choose(int allows_vectors) {
      (void)allows_vectors;
      broadsheet_has_vectors = 0;
      broadsheet_multiply = broadsheet_multiply_plain;
    #if defined(BROADSHEET_VECTORS) && defined(__x86_64__)
      broadsheet_has_vectors = allows_vectors && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    #elif defined(BROADSHEET_VECTORS)
      broadsheet_has_vectors = allows_vectors;
    #endif
    #ifdef BROADSHEET_VECTORS
      if (broadsheet_has_vectors) broadsheet_multiply = broadsheet_multiply_vectors;
    #endif
    #if defined(BROADSHEET_VECTORS) && defined(__x86_64__)
      /* Processors before those with VBMI2 slow down when they use AVX-512. */
      if (broadsheet_has_vectors && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2"))
        broadsheet_multiply = broadsheet_multiply_wide;
    #endif
    }

    static void broadsheet_spread(const float *row, Py_ssize_t reach, Py_ssize_t columns, float *spread,
                                  Py_ssize_t step) {
      BROADSHEET_RUN(broadsheet_spread_vectors(row, reach, columns, spread, step),
                     broadsheet_spread_plain(row, reach, columns, spread, step));
    }
    static void broadsheet_join(const float *products, Py_ssize_t step, const float *bias, const float *row,
                                Py_ssize_t reach, int count, Py_ssize_t columns, float *result) {
      BROADSHEET_RUN(broadsheet_join_vectors(products, step, bias, row, reach, count, columns, result),
                     broadsheet_join_inline(products, step, bias, row, reach, count, columns, result));
    }
    static void broadsheet_apply_sigmoid(float *values, Py_ssize_t count) {
      BROADSHEET_RUN(broadsheet_sigmoid_vectors(values, count), broadsheet_sigmoid_inline(values, count));
    }
    static void broadsheet_apply_tanh(float *values, Py_ssize_t count) {
      BROADSHEET_RUN(broadsheet_tanh_vectors(values, count), broadsheet_tanh_inline(values, count));
    }
    """
    ctypedef struct Product "broadsheet_product":
        int parts
        const float *rows[3]
        Py_ssize_t row_step[3]
        Py_ssize_t value_step[3]
        Py_ssize_t depth[3]
        const float *weight
        Py_ssize_t weight_step, panel_step
        const float *start
        Py_ssize_t start_step
        int is_positive
        const float *residual
        float *product
        Py_ssize_t count, columns

    void multiply_rows "broadsheet_multiply"(const Product *task) noexcept nogil
    void spread_rows "broadsheet_spread"(
        const float *row, Py_ssize_t reach, Py_ssize_t columns, float *spread, Py_ssize_t step
    ) noexcept nogil
    void join_products "broadsheet_join"(
        const float *products,
        Py_ssize_t step,
        const float *bias,
        const float *row,
        Py_ssize_t reach,
        int count,
        Py_ssize_t columns,
        float *result,
    ) noexcept nogil
    void add_row "broadsheet_add_row"(float *sums, const float *row, Py_ssize_t columns, float weight) noexcept nogil
    void apply_sigmoid "broadsheet_apply_sigmoid"(float *values, Py_ssize_t count) noexcept nogil
    void apply_tanh "broadsheet_apply_tanh"(float *values, Py_ssize_t count) noexcept nogil
    int has_vectors "broadsheet_has_vectors"
    void choose_functions "broadsheet_choose"(int allows_vectors)

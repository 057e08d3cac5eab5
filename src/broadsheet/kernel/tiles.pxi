# Matrix products, exp and tanh in C, for `network`.
#
# GCC and Clang compile the same code twice on x86-64: for AVX2 with FMA, which is used if the processor has it, and for
# any processor. On arm64 a vector is two registers of NEON. Other compilers get plain loops.

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

    #if defined(__GNUC__) && !defined(_WIN32)
    #define BROADSHEET_INLINE static inline __attribute__((always_inline))
    typedef float broadsheet_floats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t broadsheet_ints __attribute__((vector_size(32), aligned(4), may_alias));

    /* Write 16 columns of R rows: the sums stay in registers. */
    #define BROADSHEET_TILE(R) \\
      { \\
        broadsheet_floats sums[R][2]; \\
        const float *from = weight; \\
        for (int r = 0; r < R; r++) { \\
          sums[r][0] = sums[r][1] = (broadsheet_floats){0}; \\
          if (task->start) { \\
            const float *start = task->start + (row + r) * task->start_step + column; \\
            sums[r][0] = *(const broadsheet_floats *)start; \\
            sums[r][1] = *(const broadsheet_floats *)(start + 8); \\
          } \\
        } \\
        for (int part = 0; part < task->parts; part++) { \\
          const Py_ssize_t row_step = task->row_step[part], value_step = task->value_step[part]; \\
          const float *values = task->rows[part] + row * row_step; \\
          for (Py_ssize_t k = 0; k < task->depth[part]; k++) { \\
            const broadsheet_floats left = *(const broadsheet_floats *)from; \\
            const broadsheet_floats right = *(const broadsheet_floats *)(from + 8); \\
            for (int r = 0; r < R; r++) { \\
              const float value = values[r * row_step + k * value_step]; \\
              sums[r][0] += left * value; \\
              sums[r][1] += right * value; \\
            } \\
            from += weight_step; \\
          } \\
        } \\
        for (int r = 0; r < R; r++) \\
          for (int half = 0; half < 2; half++) { \\
            const Py_ssize_t at = (row + r) * task->columns + column + 8 * half; \\
            broadsheet_floats sum = sums[r][half]; \\
            if (task->is_positive) sum = (broadsheet_floats)((broadsheet_ints)sum & (sum > 0)); \\
            if (task->residual) sum += *(const broadsheet_floats *)(task->residual + at); \\
            *(broadsheet_floats *)(task->product + at) = sum; \\
          } \\
        row += R; \\
      }

    BROADSHEET_INLINE void broadsheet_multiply_any(const broadsheet_product *task, const int has_many_registers) {
      const Py_ssize_t count = task->count, weight_step = task->weight_step;
      for (Py_ssize_t column = 0; column < task->columns; column += 16) {
        const float *weight = task->weight + column / 16 * task->panel_step;
        Py_ssize_t row = 0;
        if (has_many_registers) {
          while (row + 6 <= count) BROADSHEET_TILE(6)
          if (row + 4 <= count) BROADSHEET_TILE(4)
        }
        while (row + 2 <= count) BROADSHEET_TILE(2)
        if (row < count) BROADSHEET_TILE(1)
      }
    }
    #else
    #define BROADSHEET_INLINE static __inline

    BROADSHEET_INLINE void broadsheet_multiply_any(const broadsheet_product *task, const int has_many_registers) {
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
              for (int j = 0; j < 16; j++) sums[j] += from[j] * value;
              from += task->weight_step;
            }
          }
          for (int j = 0; j < 16; j++) {
            if (task->is_positive && sums[j] < 0) sums[j] = 0;
            if (task->residual) sums[j] += task->residual[at + j];
          }
          memcpy(task->product + at, sums, sizeof sums);
        }
    }
    #endif

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

    BROADSHEET_INLINE float broadsheet_sigmoid(float x) {
      x = x > 30.0f ? 30.0f : x; /* more would not change a float32 */
      x = x < -30.0f ? -30.0f : x;
      return 1.0f / (1.0f + broadsheet_exp(-x));
    }

    BROADSHEET_INLINE void broadsheet_sigmoid_any(float *values, Py_ssize_t count) {
      for (Py_ssize_t i = 0; i < count; i++) values[i] = broadsheet_sigmoid(values[i]);
    }

    BROADSHEET_INLINE void broadsheet_tanh_any(float *values, Py_ssize_t count) {
      for (Py_ssize_t i = 0; i < count; i++) values[i] = 2.0f * broadsheet_sigmoid(2.0f * values[i]) - 1.0f;
    }

    #if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
    #define BROADSHEET_AVX2 __attribute__((target("avx2,fma"))) static
    BROADSHEET_AVX2 void broadsheet_multiply_avx2(const broadsheet_product *task) { broadsheet_multiply_any(task, 1); }
    BROADSHEET_AVX2 void broadsheet_sigmoid_avx2(float *values, Py_ssize_t count) { broadsheet_sigmoid_any(values, count); }
    BROADSHEET_AVX2 void broadsheet_tanh_avx2(float *values, Py_ssize_t count) { broadsheet_tanh_any(values, count); }
    static int broadsheet_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
    #define BROADSHEET_RUN(avx2, any) if (broadsheet_has_avx2()) avx2; else any
    #define BROADSHEET_MANY_REGISTERS 0 /* SSE2 */
    #else
    static int broadsheet_has_avx2(void) { return 0; }
    #define BROADSHEET_RUN(avx2, any) any
    #define BROADSHEET_MANY_REGISTERS 1 /* NEON */
    #endif

    static void broadsheet_multiply(const broadsheet_product *task) {
      BROADSHEET_RUN(broadsheet_multiply_avx2(task), broadsheet_multiply_any(task, BROADSHEET_MANY_REGISTERS));
    }
    static void broadsheet_apply_sigmoid(float *values, Py_ssize_t count) {
      BROADSHEET_RUN(broadsheet_sigmoid_avx2(values, count), broadsheet_sigmoid_any(values, count));
    }
    static void broadsheet_apply_tanh(float *values, Py_ssize_t count) {
      BROADSHEET_RUN(broadsheet_tanh_avx2(values, count), broadsheet_tanh_any(values, count));
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
    void apply_sigmoid "broadsheet_apply_sigmoid"(float *values, Py_ssize_t count) noexcept nogil
    void apply_tanh "broadsheet_apply_tanh"(float *values, Py_ssize_t count) noexcept nogil
    bint has_avx2 "broadsheet_has_avx2"()

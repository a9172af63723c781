#include "projection_tiles.h"

#include <algorithm>

namespace lossboard::projection {
namespace {

// As many rows of the tile at once as the machine has registers for.
template <size_t kRows>
[[gnu::always_inline]] inline void multiply_rows(const float* a, const float* b, size_t depth, float* out) {
  typedef float Row __attribute__((vector_size(kPanel * sizeof(float))));
  for (size_t first = 0; first < kPanel; first += kRows) {
    Row sums[kRows] = {};
    for (size_t k = 0; k < depth; ++k) {
      Row column;
      __builtin_memcpy(&column, b + k * kPanel, sizeof column);
      for (size_t i = 0; i < kRows; ++i) sums[i] += a[k * kPanel + first + i] * column;
    }
    __builtin_memcpy(out + first * kPanel, sums, sizeof sums);
  }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target("arch=x86-64-v4"))) void multiply_v4(const float* a, const float* b, size_t depth,
                                                           float* out) {
  multiply_rows<16>(a, b, depth, out);
}
__attribute__((target("arch=x86-64-v3"))) void multiply_v3(const float* a, const float* b, size_t depth,
                                                           float* out) {
  multiply_rows<4>(a, b, depth, out);
}
bool has_v4() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512cd");
  return has;
}
bool has_v3() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return has;
}
#endif

}  // namespace

void multiply_tile(const float* a, const float* b, size_t depth, float* out) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (has_v4()) return multiply_v4(a, b, depth, out);
  if (has_v3()) return multiply_v3(a, b, depth, out);
#endif
  multiply_rows<2>(a, b, depth, out);
}

std::vector<float> pack_rows(const Matrix& rows) {
  std::vector<float> packed(panels_of(rows.rows) * kPanel * rows.columns);
  for (size_t i = 0; i < rows.rows; ++i) {
    float* panel = packed.data() + i / kPanel * kPanel * rows.columns + i % kPanel;
    for (size_t k = 0; k < rows.columns; ++k) panel[k * kPanel] = rows.row(i)[k];
  }
  return packed;
}

}  // namespace lossboard::projection

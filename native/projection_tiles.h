// Products of panels: the inner loop of covariances and of distances between all rows. A panel holds 16
// columns of a matrix, depth × 16 numbers, so that one tile of 16 × 16 dot products stays in registers.
#pragma once

#include <cstddef>
#include <vector>

#include "projection.h"

namespace lossboard::projection {

constexpr size_t kPanel = 16;

/// out[i * 16 + j] = Σ a[k * 16 + i] · b[k * 16 + j] over k < depth.
void multiply_tile(const float* a, const float* b, size_t depth, float* out);

/// Panels of 16 rows each: panel p holds rows 16 p …, transposed. Missing rows are zero.
std::vector<float> pack_rows(const Matrix& rows);

inline size_t panels_of(size_t count) { return (count + kPanel - 1) / kPanel; }

}  // namespace lossboard::projection

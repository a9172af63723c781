// Measures how well a layout keeps the neighbors of the full dimension. Trustworthiness (Venna, Kaski 2001)
// penalizes rows that are near only in the layout. Recall is the share of the true neighbors that are
// neighbors in the layout. A blurred layout can have a high trustworthiness, so both are needed.
#include <algorithm>
#include <numeric>

#include "projection.h"

namespace lossboard::projection {
namespace {

void distances_to(const Matrix& rows, size_t row, std::vector<float>& out) {
  for (size_t i = 0; i < rows.rows; ++i) out[i] = squared_distance(rows.row(row), rows.row(i), rows.columns);
}

std::vector<size_t> sample_rows(size_t rows, size_t samples, uint64_t seed) {
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  Random random(mix(seed));
  const size_t count = std::min(rows, samples);
  for (size_t i = 0; i < count; ++i) std::swap(order[i], order[i + random.below(rows - i)]);
  order.resize(count);
  return order;
}

}  // namespace

Quality layout_quality(const Matrix& rows, const Matrix& layout, size_t k, size_t samples, uint64_t seed) {
  const std::vector<size_t> sampled = sample_rows(rows.rows, samples, seed);
  std::atomic<size_t> penalty = 0, kept = 0;
  parallel_for(sampled.size(), 16, Progress(), [&](size_t begin, size_t end) {
    std::vector<float> full(rows.rows), flat(rows.rows);
    std::vector<size_t> order(rows.rows);
    for (size_t s = begin; s < end; ++s) {
      const size_t row = sampled[s];
      distances_to(rows, row, full);
      distances_to(layout, row, flat);
      full[row] = flat[row] = -1;
      std::iota(order.begin(), order.end(), 0);
      const auto nearer = [&](size_t a, size_t b) { return std::pair(flat[a], a) < std::pair(flat[b], b); };
      std::nth_element(order.begin(), order.begin() + static_cast<ptrdiff_t>(k), order.end(), nearer);
      for (size_t i = 0; i <= k; ++i) {
        if (order[i] == row) continue;
        const auto before = [&](float distance) { return distance < full[order[i]]; };
        const auto rank = static_cast<size_t>(std::count_if(full.begin(), full.end(), before));
        rank > k ? penalty += rank - k : kept += 1;
      }
    }
  });
  const auto n = static_cast<double>(rows.rows), m = static_cast<double>(sampled.size()),
             near = static_cast<double>(k);
  return {1 - 2 * static_cast<double>(penalty) / (m * near * (2 * n - 3 * near - 1)),
          static_cast<double>(kept) / (m * near)};
}

}  // namespace lossboard::projection

// Places rows that were not projected, each at the weighted mean of its nearest projected rows. Trees find
// the first candidates, and a search over the neighbors of the best candidates finds the nearest rows.
#include <algorithm>
#include <cmath>
#include <queue>

#include "projection.h"
#include "projection_trees.h"

namespace lossboard::projection {
namespace {

constexpr size_t kTrees = 4;
constexpr size_t kGraphNeighbors = 10;
constexpr size_t kMeanOf = 5;
constexpr size_t kWidth = 20;  // candidates that the search keeps

using Candidate = std::pair<float, int32_t>;

class Search {
 public:
  Search(const Matrix& placed, const std::vector<Tree>& trees, const Neighbors& graph)
      : placed_(placed), trees_(trees), graph_(graph), seen_(placed.rows) {}

  /// The nearest placed rows, nearest first.
  std::vector<Candidate> nearest(const float* vector) {
    ++stamp_;
    best_.clear();
    for (const Tree& tree : trees_)
      for (int32_t row : tree.leaf_of(vector)) offer(vector, row);
    // Rows around a candidate are looked at once, beginning with the nearest candidate.
    for (size_t at = 0; at < best_.size();) {
      const auto row = static_cast<size_t>(best_[at].second);
      if (seen_[row] == 2 * stamp_ + 1) {
        ++at;
        continue;
      }
      seen_[row] = 2 * stamp_ + 1;
      for (size_t i = 0; i < graph_.k; ++i) offer(vector, graph_.indices[row * graph_.k + i]);
      at = 0;
    }
    return best_;
  }

 private:
  void offer(const float* vector, int32_t row) {
    uint64_t& seen = seen_[static_cast<size_t>(row)];
    if (seen >= 2 * stamp_) return;
    seen = 2 * stamp_;
    const Candidate one(squared_distance(vector, placed_.row(static_cast<size_t>(row)), placed_.columns),
                        row);
    if (best_.size() == kWidth && !(one < best_.back())) return;
    if (best_.size() == kWidth) best_.pop_back();
    best_.insert(std::upper_bound(best_.begin(), best_.end(), one), one);
  }

  const Matrix& placed_;
  const std::vector<Tree>& trees_;
  const Neighbors& graph_;
  std::vector<uint64_t> seen_;  // 2 × stamp: compared; one more: its neighbors too
  uint64_t stamp_ = 0;
  std::vector<Candidate> best_;
};

void place(const std::vector<Candidate>& nearest, const Matrix& layout, float* out) {
  const size_t count = std::min(kMeanOf, nearest.size());
  double sum = 0, mean[3] = {};
  for (size_t i = 0; i < count; ++i) {
    const double weight = 1 / (1e-12 + std::sqrt(nearest[i].first));
    sum += weight;
    for (size_t d = 0; d < layout.columns; ++d)
      mean[d] += weight * layout.row(static_cast<size_t>(nearest[i].second))[d];
  }
  for (size_t d = 0; d < layout.columns; ++d) out[d] = static_cast<float>(mean[d] / sum);
}

}  // namespace

Rows place_rows(const Matrix& placed, const Matrix& layout, const Matrix& rows, uint64_t seed,
                Progress& progress) {
  const size_t k = std::min(kGraphNeighbors, placed.rows - 1);
  const Neighbors graph = approximate_neighbors(placed, k, seed, progress);
  const std::vector<Tree> trees = build_trees(placed, kTrees, seed, progress);
  progress.update(0.3);
  Rows result(rows.rows, layout.columns);
  parallel_for(rows.rows, 4096, progress, [&](size_t begin, size_t end) {
    Search search(placed, trees, graph);
    for (size_t row = begin; row < end; ++row) place(search.nearest(rows.row(row)), layout, result.row(row));
  });
  progress.update(1);
  return result;
}

}  // namespace lossboard::projection

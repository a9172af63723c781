// The nearest rows of each row. The exact search computes the distances between all rows, in tiles. The
// approximate one is NN-descent (Dong, Charikar, Li 2011): it starts from the leaves of random projection
// trees and compares neighbors of neighbors. Both use all columns, because a PCA keeps only a third of the
// neighbors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "projection.h"
#include "projection_tiles.h"
#include "projection_trees.h"

namespace lossboard::projection {
namespace {

using Candidate = std::pair<float, int32_t>;  // ordered by distance, then by row, so no two are equal

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr size_t kBlockPanels = 32;  // 512 rows, which stay in the cache

// ---- exact ---------------------------------------------------------------------------------------------

/// The k best candidates of each row seen so far, each row a heap with the worst on top.
class BestRows {
 public:
  BestRows(size_t rows, size_t k)
      : k_(k), heaps_(rows * k, Candidate(kFar, -1)), worst_(panels_of(rows) * kPanel, kFar) {}

  const float* worst() const { return worst_.data(); }

  void offer(size_t row, float distance, size_t other) {
    Candidate* heap = &heaps_[row * k_];
    const Candidate candidate(distance, static_cast<int32_t>(other));
    if (!(candidate < heap[0])) return;
    std::pop_heap(heap, heap + k_);
    heap[k_ - 1] = candidate;
    std::push_heap(heap, heap + k_);
    worst_[row] = heap[0].first;
  }

  void merge(const BestRows& others, size_t row) {
    for (size_t i = 0; i < k_; ++i) {
      const Candidate& one = others.heaps_[row * k_ + i];
      if (one.second >= 0) offer(row, one.first, static_cast<size_t>(one.second));
    }
  }

  const Candidate* row(size_t i) const { return &heaps_[i * k_]; }

 private:
  size_t k_;
  std::vector<Candidate> heaps_;
  std::vector<float> worst_;
};

/// Turns products into squared distances and returns whether any is good enough for its row or its column.
/// Equal distances count: the smaller row number then decides.
WIDEST_VECTORS bool distances_of_row(float* tile, float own, const float* others, float own_worst,
                                     const float* other_worst) {
  int hits = 0;
  for (size_t j = 0; j < kPanel; ++j) {
    tile[j] = std::max(0.0f, own + others[j] - 2 * tile[j]);
    hits |= (tile[j] <= own_worst) | (tile[j] <= other_worst[j]);
  }
  return hits != 0;
}

class ExactSearch {
 public:
  ExactSearch(const Matrix& rows)
      : rows_(rows), packed_(pack_rows(rows)), squares_(panels_of(rows.rows) * kPanel, kFar) {
    for (size_t i = 0; i < rows.rows; ++i) squares_[i] = dot(rows.row(i), rows.row(i), rows.columns);
  }

  size_t blocks() const { return (panels_of(rows_.rows) + kBlockPanels - 1) / kBlockPanels; }

  void compare_blocks(size_t a, size_t b, BestRows& best) const {
    const size_t panels = panels_of(rows_.rows);
    for (size_t p = a * kBlockPanels; p < std::min(panels, (a + 1) * kBlockPanels); ++p)
      for (size_t q = std::max(p, b * kBlockPanels); q < std::min(panels, (b + 1) * kBlockPanels); ++q)
        compare_panels(p, q, best);
  }

 private:
  void compare_panels(size_t p, size_t q, BestRows& best) const {
    alignas(64) float tile[kPanel * kPanel];
    const size_t size = kPanel * rows_.columns;
    multiply_tile(&packed_[p * size], &packed_[q * size], rows_.columns, tile);
    for (size_t i = 0; i < kPanel && p * kPanel + i < rows_.rows; ++i) {
      const size_t row = p * kPanel + i;
      const bool any = distances_of_row(&tile[i * kPanel], squares_[row], &squares_[q * kPanel],
                                        best.worst()[row], best.worst() + q * kPanel);
      if (any) offer_row(row, q * kPanel, &tile[i * kPanel], best);
    }
  }

  void offer_row(size_t row, size_t first, const float* distances, BestRows& best) const {
    for (size_t j = 0; j < kPanel && first + j < rows_.rows; ++j) {
      const size_t other = first + j;
      if (other <= row) continue;  // the row itself, or a pair that the diagonal tile has twice
      best.offer(row, distances[j], other);
      best.offer(other, distances[j], row);
    }
  }

  const Matrix& rows_;
  std::vector<float> packed_;
  std::vector<float> squares_;
};

/// Sorts neighbors and computes their distances again. Those of the tiles are inexact for almost equal rows.
void finish_row(const Matrix& rows, size_t row, std::vector<Candidate>& candidates, Neighbors& out) {
  for (Candidate& one : candidates)
    one.first = squared_distance(rows.row(row), rows.row(static_cast<size_t>(one.second)), rows.columns);
  std::sort(candidates.begin(), candidates.end());
  for (size_t i = 0; i < out.k; ++i) {
    out.distances[row * out.k + i] = candidates[i].first;
    out.indices[row * out.k + i] = candidates[i].second;
  }
}

Neighbors empty_neighbors(size_t rows, size_t k) {
  return {rows, k, std::vector<int32_t>(rows * k), std::vector<float>(rows * k)};
}

/// Returns the rows, centered at the origin, where products in float32 are most exact.
Rows centered(const Matrix& rows) {
  std::vector<double> mean(rows.columns);
  for (size_t i = 0; i < rows.rows; ++i)
    for (size_t j = 0; j < rows.columns; ++j) mean[j] += rows.row(i)[j];
  Rows result(rows);
  for (size_t i = 0; i < rows.rows; ++i)
    for (size_t j = 0; j < rows.columns; ++j)
      result.row(i)[j] -= static_cast<float>(mean[j] / static_cast<double>(rows.rows));
  return result;
}

// ---- NN-descent ----------------------------------------------------------------------------------------

constexpr size_t kTrees = 4;
constexpr size_t kSampled = 24;  // new and old candidates that a row compares in one round
constexpr int kRounds = 8;
constexpr double kSettled = 0.002;   // stop when a smaller share of the neighbors changed in a round
constexpr size_t kBlockRows = 8192;  // compared before their updates are applied
constexpr size_t kChunkRows = 256;

struct Update {
  int32_t a, b;
  float distance;
};

class Descent {
 public:
  Descent(const Matrix& rows, size_t k, uint64_t seed)
      : rows_(rows), k_(k), seed_(seed), best_(rows.rows * k, Candidate(kFar, -1)), is_new_(rows.rows * k) {}

  void start_from(const std::vector<Tree>& trees, const Progress& progress) {
    std::vector<std::pair<const Tree*, size_t>> leaves;
    for (const Tree& tree : trees)
      for (size_t leaf = 0; leaf < tree.leaves.size(); ++leaf) leaves.emplace_back(&tree, leaf);
    run(leaves.size(), 256, progress, [&](size_t i, std::vector<Update>& updates) {
      const std::vector<int32_t>& members = leaves[i].first->leaves[leaves[i].second];
      for (size_t x = 0; x < members.size(); ++x)
        for (size_t y = x + 1; y < members.size(); ++y) compare(members[x], members[y], updates);
    });
  }

  /// One round. Returns how many neighbors changed.
  size_t improve(int round, const Progress& progress) {
    collect(round, progress);
    return run(rows_.rows, kBlockRows, progress, [&](size_t row, std::vector<Update>& updates) {
      const int32_t *fresh = &new_[row * kSampled], *old = &old_[row * kSampled];
      for (size_t x = 0; x < new_count_[row]; ++x) {
        for (size_t y = x + 1; y < new_count_[row]; ++y) compare(fresh[x], fresh[y], updates);
        for (size_t y = 0; y < old_count_[row]; ++y) compare(fresh[x], old[y], updates);
      }
    });
  }

  Neighbors finish(const Progress& progress) const {
    Neighbors result = empty_neighbors(rows_.rows, k_);
    parallel_for(rows_.rows, kChunkRows, progress, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) {
        std::vector<Candidate> candidates(&best_[row * k_], &best_[row * k_] + k_);
        fill_missing(row, candidates);
        finish_row(rows_, row, candidates, result);
      }
    });
    return result;
  }

 private:
  void compare(int32_t a, int32_t b, std::vector<Update>& updates) const {
    if (a == b) return;
    const float distance =
        squared_distance(rows_.row(static_cast<size_t>(a)), rows_.row(static_cast<size_t>(b)), rows_.columns);
    if (distance < worst(a) || distance < worst(b)) updates.push_back({a, b, distance});
  }

  float worst(int32_t row) const { return best_[(static_cast<size_t>(row) + 1) * k_ - 1].first; }

  /// Compares in blocks: first all comparisons, then all updates, each applied by the thread that owns the
  /// row.
  template <typename Compare>
  size_t run(size_t count, size_t block, const Progress& progress, const Compare& compare_one) {
    std::atomic<size_t> changed = 0;
    for (size_t first = 0; first < count; first += block) {
      const size_t size = std::min(block, count - first);
      const size_t chunk = std::max<size_t>(1, block / 32);
      std::vector<std::vector<Update>> found((size + chunk - 1) / chunk);
      parallel_for(size, chunk, progress, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) compare_one(first + i, found[begin / chunk]);
      });
      parallel_for(kParts, 1, progress, [&](size_t part, size_t) {
        const auto [begin, end] = part_of(rows_.rows, part);
        size_t own = 0;
        for (const std::vector<Update>& updates : found)
          for (const Update& one : updates) {
            if (static_cast<size_t>(one.a) >= begin && static_cast<size_t>(one.a) < end)
              own += insert(one.a, one.b, one.distance);
            if (static_cast<size_t>(one.b) >= begin && static_cast<size_t>(one.b) < end)
              own += insert(one.b, one.a, one.distance);
          }
        changed += own;
      });
    }
    return changed;
  }

  bool insert(int32_t row, int32_t other, float distance) {
    Candidate* best = &best_[static_cast<size_t>(row) * k_];
    uint8_t* is_new = &is_new_[static_cast<size_t>(row) * k_];
    const Candidate candidate(distance, other);
    if (!(candidate < best[k_ - 1])) return false;
    for (size_t i = 0; i < k_; ++i)
      if (best[i].second == other) return false;
    size_t at = k_ - 1;
    for (; at > 0 && candidate < best[at - 1]; --at) {
      best[at] = best[at - 1];
      is_new[at] = is_new[at - 1];
    }
    best[at] = candidate;
    is_new[at] = 1;
    return true;
  }

  /// Samples for each row its new and its old neighbors, and the rows that it is a neighbor of.
  void collect(int round, const Progress& progress) {
    for (auto* list : {&new_, &old_}) list->resize(rows_.rows * kSampled);
    new_count_.assign(rows_.rows, 0);
    old_count_.assign(rows_.rows, 0);
    parallel_for(kParts, 1, progress, [&](size_t part, size_t) {
      const auto [begin, end] = part_of(rows_.rows, part);
      for (size_t row = 0; row < rows_.rows; ++row)
        for (size_t i = 0; i < k_; ++i) {
          const int32_t other = best_[row * k_ + i].second;
          if (other < 0) continue;
          const bool fresh = is_new_[row * k_ + i];
          const uint64_t chance = mix(seed_ ^ mix((row * k_ + i) * 16 + static_cast<uint64_t>(round)));
          const auto to = static_cast<size_t>(other);
          if (row >= begin && row < end) add(row, other, fresh, kSampled);
          if (to >= begin && to < end) add(to, static_cast<int32_t>(row), fresh, chance % (2 * kSampled));
        }
    });
    std::fill(is_new_.begin(), is_new_.end(), 0);
  }

  /// Appends, or replaces the entry `instead` of a full list, if there is such an entry.
  void add(size_t row, int32_t other, bool fresh, size_t instead) {
    std::vector<int32_t>& list = fresh ? new_ : old_;
    uint8_t& count = fresh ? new_count_[row] : old_count_[row];
    if (count < kSampled)
      list[row * kSampled + count++] = other;
    else if (instead < kSampled)
      list[row * kSampled + instead] = other;
  }

  /// Fills the lists of rows whose leaf has fewer than k rows, with the next rows at any distance.
  void fill_missing(size_t row, std::vector<Candidate>& candidates) const {
    size_t next = row;
    for (Candidate& one : candidates)
      while (one.second < 0) {
        next = (next + 1) % rows_.rows;
        const auto is_next = [&](const Candidate& known) {
          return known.second == static_cast<int32_t>(next);
        };
        if (next != row && std::none_of(candidates.begin(), candidates.end(), is_next))
          one.second = static_cast<int32_t>(next);
      }
  }

  const Matrix& rows_;
  size_t k_;
  uint64_t seed_;
  std::vector<Candidate> best_;  // sorted within a row
  std::vector<uint8_t> is_new_;
  std::vector<int32_t> new_, old_;
  std::vector<uint8_t> new_count_, old_count_;
};

}  // namespace

Neighbors exact_neighbors(const Matrix& given, size_t k, Progress& progress) {
  const Rows shifted = centered(given);
  const Matrix rows = shifted;
  const ExactSearch search(rows);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < search.blocks(); ++a)
    for (size_t b = a; b < search.blocks(); ++b) pairs.emplace_back(a, b);
  // The best of all candidates do not depend on their order, so each thread may take any pairs.
  std::vector<BestRows> best(kParts, BestRows(rows.rows, k));
  std::atomic<size_t> next = 0;
  parallel_for(kParts, 1, progress, [&](size_t part, size_t) {
    for (size_t i; !progress.is_cancelled() && (i = next++) < pairs.size();)
      search.compare_blocks(pairs[i].first, pairs[i].second, best[part]);
  });
  progress.update(0.9);
  Neighbors result = empty_neighbors(rows.rows, k);
  parallel_for(rows.rows, kChunkRows, progress, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      best[0].merge(best[1], row);
      std::vector<Candidate> candidates(best[0].row(row), best[0].row(row) + k);
      finish_row(rows, row, candidates, result);
    }
  });
  progress.update(1);
  return result;
}

Neighbors approximate_neighbors(const Matrix& given, size_t k, uint64_t seed, Progress& progress) {
  const Rows shifted = centered(given);
  const Matrix rows = shifted;
  Descent descent(rows, k, seed);
  descent.start_from(build_trees(rows, kTrees, seed, progress), progress);
  for (int round = 0; round < kRounds; ++round) {
    progress.update(0.2 + 0.7 * round / kRounds);
    const size_t changed = descent.improve(round, progress);
    if (static_cast<double>(changed) < kSettled * static_cast<double>(rows.rows * k)) break;
  }
  Neighbors result = descent.finish(progress);
  progress.update(1);
  return result;
}

}  // namespace lossboard::projection

// t-SNE (van der Maaten, Hinton 2008) with exact affinities of the nearest neighbors. Repulsion is computed
// pair by pair for few rows and in three dimensions, else on a grid.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "projection.h"
#include "projection_grid.h"

namespace lossboard::projection {
namespace {

constexpr size_t kPairwiseRows = 1500;
constexpr float kExaggeration = 12;
constexpr float kMaxStep = 5;  // without a limit, single points move far away and enlarge the grid
constexpr float kStartDeviation = 1e-4f;
constexpr int kIterationsBetween = 100;  // two published layouts
constexpr int kFirstPublished = 50;      // earlier layouts are worse than a PCA

/// Symmetric affinities that sum up to 1: those of a row are at first[row] … first[row + 1].
struct Affinities {
  std::vector<size_t> first;
  std::vector<int32_t> to;
  std::vector<float> p;
};

/// Weights of a row's neighbors that sum up to 1 and have the wanted perplexity.
void row_weights(const float* squares, size_t k, double perplexity, float* out) {
  const double wanted = std::log(perplexity);
  double low = 0, high = std::numeric_limits<double>::infinity(),
         beta = 1 / std::max(1e-30, squares[k - 1] - 0.99 * squares[0]);
  for (int i = 0; i < 64; ++i) {
    double sum = 0, weighted = 0;
    for (size_t j = 0; j < k; ++j) {
      const float beyond = squares[j] - squares[0];
      out[j] = std::exp(static_cast<float>(-beta) * beyond);
      sum += out[j];
      weighted += static_cast<double>(out[j]) * beyond;
    }
    for (size_t j = 0; j < k; ++j) out[j] /= static_cast<float>(sum);
    const double entropy = std::log(sum) + beta * weighted / sum;
    if (std::abs(entropy - wanted) < 1e-5) break;
    (entropy > wanted ? low : high) = beta;
    beta = std::isinf(high) ? beta * 2 : (low + high) / 2;
  }
}

Affinities affinities_of(const Neighbors& neighbors, double perplexity, const Progress& progress) {
  const size_t n = neighbors.rows, k = neighbors.k;
  std::vector<float> weights(n * k);
  const double possible = std::min(perplexity, static_cast<double>(k) / 1.5);
  parallel_for(n, 256, progress, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row)
      row_weights(&neighbors.distances[row * k], k, possible, &weights[row * k]);
  });
  struct Entry {
    int32_t to;
    float p;
  };
  std::vector<size_t> first(n + 1);
  for (size_t i = 0; i < n * k; ++i)
    ++first[i / k + 1], ++first[static_cast<size_t>(neighbors.indices[i]) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Entry> entries(2 * n * k);
  std::vector<size_t> next(first.begin(), first.end() - 1);
  const float scale = 1 / (2 * static_cast<float>(n));
  for (size_t i = 0; i < n * k; ++i) {
    const auto from = static_cast<int32_t>(i / k), to = neighbors.indices[i];
    entries[next[static_cast<size_t>(from)]++] = {to, weights[i] * scale};
    entries[next[static_cast<size_t>(to)]++] = {from, weights[i] * scale};
  }
  Affinities result;
  result.first.push_back(0);
  for (size_t row = 0; row < n; ++row) {
    const auto begin = entries.begin() + static_cast<ptrdiff_t>(first[row]);
    const auto end = entries.begin() + static_cast<ptrdiff_t>(first[row + 1]);
    std::sort(begin, end,
              [](const Entry& a, const Entry& b) { return std::pair(a.to, a.p) < std::pair(b.to, b.p); });
    for (auto entry = begin; entry != end; ++entry) {
      if (entry != begin && result.to.back() == entry->to) {
        result.p.back() += entry->p;
      } else {
        result.to.push_back(entry->to);
        result.p.push_back(entry->p);
      }
    }
    result.first.push_back(result.to.size());
  }
  return result;
}

/// Repulsion of one row by all others. Coordinates are given by axis. Returns Σ q, with the row itself.
template <size_t kDims>
WIDEST_VECTORS double repel_row(const float* const* axes, size_t count, const float* at, float* force) {
  constexpr size_t kLanes = 16;
  float sums[kDims][kLanes] = {}, potential[kLanes] = {};
  for (size_t first = 0; first < count; first += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) {
      float difference[kDims], square = 1;
      for (size_t d = 0; d < kDims; ++d) {
        difference[d] = at[d] - axes[d][first + lane];
        square += difference[d] * difference[d];
      }
      const float q = 1 / square;
      potential[lane] += q;
      for (size_t d = 0; d < kDims; ++d) sums[d][lane] += q * q * difference[d];
    }
  double total = 0;
  for (size_t d = 0; d < kDims; ++d) force[d] = std::accumulate(sums[d], sums[d] + kLanes, 0.0f);
  for (float one : potential) total += one;
  return total;
}

template <size_t kDims>
class Optimizer {
 public:
  Optimizer(const Affinities& affinities, const Rows& start)
      : affinities_(affinities),
        rows_(start),
        repulsion_(start.rows, kDims),
        gradient_(start.rows, kDims),
        velocity_(start.rows, kDims),
        gains_(start.rows * kDims, 1.0f) {}

  void step(float rate, float momentum, float exaggeration, const Progress& progress) {
    const bool on_grid = kDims == 2 && rows_.rows > kPairwiseRows;
    const double potential = on_grid ? grid_.repel(rows_, repulsion_, progress) : repel_pairs(progress);
    const float scale = static_cast<float>(1 / std::max(potential, 1e-30));
    parallel_for(rows_.rows, 1024, progress, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row) add_attraction(row, exaggeration, scale);
    });
    move(rate, momentum);
    center();
  }

  const Rows& rows() const { return rows_; }

 private:
  double repel_pairs(const Progress& progress) {
    const size_t padded = (rows_.rows + 15) / 16 * 16;
    std::vector<float> coordinates(kDims * padded, 1e15f);  // padding so far away that it does not repel
    const float* axes[kDims];
    for (size_t d = 0; d < kDims; ++d) {
      axes[d] = &coordinates[d * padded];
      for (size_t row = 0; row < rows_.rows; ++row) coordinates[d * padded + row] = rows_.row(row)[d];
    }
    std::vector<double> potentials(rows_.rows);
    parallel_for(rows_.rows, 128, progress, [&](size_t begin, size_t end) {
      for (size_t row = begin; row < end; ++row)
        potentials[row] = repel_row<kDims>(axes, padded, rows_.row(row), repulsion_.row(row)) - 1;
    });
    return std::accumulate(potentials.begin(), potentials.end(), 0.0);
  }

  void add_attraction(size_t row, float exaggeration, float repulsion_scale) {
    const float* at = rows_.row(row);
    float pull[kDims] = {};
    for (size_t e = affinities_.first[row]; e < affinities_.first[row + 1]; ++e) {
      const float* other = rows_.row(static_cast<size_t>(affinities_.to[e]));
      float difference[kDims], square = 1;
      for (size_t d = 0; d < kDims; ++d) {
        difference[d] = at[d] - other[d];
        square += difference[d] * difference[d];
      }
      const float weight = affinities_.p[e] / square;
      for (size_t d = 0; d < kDims; ++d) pull[d] += weight * difference[d];
    }
    for (size_t d = 0; d < kDims; ++d)
      gradient_.row(row)[d] = exaggeration * pull[d] - repulsion_scale * repulsion_.row(row)[d];
  }

  void move(float rate, float momentum) {
    for (size_t i = 0; i < gains_.size(); ++i) {
      const float gradient = gradient_.data[i];
      gains_[i] = gradient * velocity_.data[i] <= 0 ? gains_[i] + 0.2f : std::max(0.01f, gains_[i] * 0.8f);
      velocity_.data[i] = momentum * velocity_.data[i] - rate * gains_[i] * gradient;
    }
    for (size_t row = 0; row < rows_.rows; ++row) {
      float square = 0;
      for (size_t d = 0; d < kDims; ++d) square += velocity_.row(row)[d] * velocity_.row(row)[d];
      const float shorten = square > kMaxStep * kMaxStep ? kMaxStep / std::sqrt(square) : 1;
      for (size_t d = 0; d < kDims; ++d) rows_.row(row)[d] += velocity_.row(row)[d] *= shorten;
    }
  }

  void center() {
    double mean[kDims] = {};
    for (size_t i = 0; i < rows_.data.size(); ++i) mean[i % kDims] += rows_.data[i];
    for (size_t i = 0; i < rows_.data.size(); ++i)
      rows_.data[i] -= static_cast<float>(mean[i % kDims] / static_cast<double>(rows_.rows));
  }

  const Affinities& affinities_;
  Rows rows_, repulsion_, gradient_, velocity_;
  std::vector<float> gains_;
  RepulsionGrid grid_;
};

/// Returns a small copy of the start, which exaggeration then spreads.
Rows shrunk(const Matrix& start) {
  double squares = 0;
  for (size_t row = 0; row < start.rows; ++row) squares += start.row(row)[0] * start.row(row)[0];
  const double deviation = std::sqrt(squares / static_cast<double>(start.rows));
  Rows result(start);
  Random random(7);
  for (float& one : result.data)
    one = (deviation > 0 ? one / static_cast<float>(deviation) : 0) * kStartDeviation +
          (random.unit() - 0.5f) * kStartDeviation * 0.01f;
  return result;
}

template <size_t kDims>
Rows optimize(const Neighbors& neighbors, const Matrix& start, const TsneOptions& options,
              Progress& progress) {
  const Affinities affinities = affinities_of(neighbors, options.perplexity, progress);
  const int early = options.exaggerated_iterations, all = early + options.iterations;
  Optimizer<kDims> optimizer(affinities, early ? shrunk(start) : Rows(start));
  const auto n = static_cast<float>(start.rows);
  for (int i = 0; i < all; ++i) {
    progress.update(static_cast<double>(i) / all);
    const bool exaggerated = i < early;
    const float automatic = exaggerated ? std::max(n / kExaggeration, 50.0f) : std::max(n, 200.0f);
    const float rate = options.learning_rate > 0 ? static_cast<float>(options.learning_rate) : automatic;
    optimizer.step(rate, exaggerated ? 0.5f : 0.8f, exaggerated ? kExaggeration : 1, progress);
    if (i + 1 < all && i >= early + kFirstPublished &&
        (i - early - kFirstPublished) % kIterationsBetween == 0)
      progress.publish(optimizer.rows());
  }
  progress.update(1);
  progress.publish(optimizer.rows());
  return optimizer.rows();
}

}  // namespace

Rows tsne(const Neighbors& neighbors, const Matrix& start, const TsneOptions& options, Progress& progress) {
  progress.begin("tsne", 0, 1);
  return start.columns == 2 ? optimize<2>(neighbors, start, options, progress)
                            : optimize<3>(neighbors, start, options, progress);
}

}  // namespace lossboard::projection

// UMAP (McInnes, Healy, Melville 2018): a fuzzy graph of the nearest neighbors, laid out by stochastic
// gradient descent with negative samples. While the learning rate is high, a layout is worse than a PCA. So
// it is published only when a whole annealed schedule is complete.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "projection.h"

namespace lossboard::projection {
namespace {

constexpr size_t kNegatives = 5;
constexpr float kMaxStep = 4;
constexpr float kStartRadius = 10;

// ---- the graph -----------------------------------------------------------------------------------------

struct Edge {
  int32_t from, to;
  float weight;
};

/// Membership strengths of a row's neighbors: 1 for the nearest, falling so that they sum up to log2 k.
void strengths(const float* squares, size_t k, float* out) {
  std::vector<double> beyond(k);
  for (size_t i = 0; i < k; ++i) beyond[i] = std::sqrt(squares[i]) - std::sqrt(squares[0]);
  const double wanted = std::log2(static_cast<double>(k));
  double low = 1e-10, high = 1e10;
  for (int i = 0; i < 64; ++i) {
    const double scale = std::sqrt(low * high);
    double sum = 0;
    for (double one : beyond) sum += std::exp(-one / scale);
    (sum > wanted ? high : low) = scale;
  }
  const double scale = std::sqrt(low * high);
  for (size_t i = 0; i < k; ++i) out[i] = static_cast<float>(std::exp(-beyond[i] / scale));
}

/// The union of both directions, a + b − ab, as edges sorted by their first row.
std::vector<Edge> fuzzy_union(const Neighbors& neighbors, const Progress& progress) {
  const size_t n = neighbors.rows, k = neighbors.k;
  std::vector<Edge> edges(2 * n * k);
  parallel_for(n, 512, progress, [&](size_t begin, size_t end) {
    std::vector<float> weights(k);
    for (size_t row = begin; row < end; ++row) {
      strengths(&neighbors.distances[row * k], k, weights.data());
      for (size_t i = 0; i < k; ++i) {
        const auto from = static_cast<int32_t>(row), to = neighbors.indices[row * k + i];
        edges[row * k + i] = {from, to, weights[i]};
        edges[(n + row) * k + i] = {to, from, weights[i]};
      }
    }
  });
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.from, a.to, a.weight) < std::tuple(b.from, b.to, b.weight);
  });
  std::vector<Edge> joined;
  for (const Edge& edge : edges) {
    if (!joined.empty() && joined.back().from == edge.from && joined.back().to == edge.to)
      joined.back().weight += edge.weight - joined.back().weight * edge.weight;
    else
      joined.push_back(edge);
  }
  return joined;
}

// ---- the forces ----------------------------------------------------------------------------------------

/// a and b of 1 / (1 + a d^2b), fitted to 1 below min_dist and to exp(min_dist − d) beyond it, by
/// Gauss–Newton.
std::pair<double, double> fit_curve(double min_dist) {
  double a = 1.5, b = 0.9;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double aa = 1e-9, ab = 0, bb = 1e-9, ar = 0, br = 0;
    for (int i = 1; i <= 300; ++i) {
      const double d = i * 0.01, wanted = d < min_dist ? 1 : std::exp(min_dist - d);
      const double power = std::pow(d, 2 * b), value = 1 / (1 + a * power), residual = wanted - value;
      const double by_a = -power * value * value, by_b = -a * power * 2 * std::log(d) * value * value;
      aa += by_a * by_a, ab += by_a * by_b, bb += by_b * by_b;
      ar += by_a * residual, br += by_b * residual;
    }
    const double det = aa * bb - ab * ab;
    a = std::max(0.01, a + 0.5 * (bb * ar - ab * br) / det);
    b = std::max(0.1, b + 0.5 * (aa * br - ab * ar) / det);
  }
  return {a, b};
}

/// A function of a squared distance, as a table over the exponent and the first bits of the mantissa.
class ForceTable {
 public:
  template <typename Function>
  explicit ForceTable(const Function& function) : values_(kCells + 1) {
    for (uint32_t i = 0; i <= kCells; ++i)
      values_[i] = static_cast<float>(function(std::bit_cast<float>(kFirst + (i << kShift))));
  }

  float operator()(float square) const {
    const uint32_t bits = std::bit_cast<uint32_t>(std::clamp(square, kLeast, kMost)) - kFirst;
    const uint32_t cell = bits >> kShift;
    const float within = static_cast<float>(bits & ((1u << kShift) - 1)) * (1.0f / (1u << kShift));
    return values_[cell] + within * (values_[cell + 1] - values_[cell]);
  }

 private:
  static constexpr float kLeast = 0x1p-24f, kMost = 0x1p+23f;
  static constexpr uint32_t kShift = 23 - 5;
  static constexpr uint32_t kFirst = std::bit_cast<uint32_t>(kLeast);
  static constexpr uint32_t kCells = ((std::bit_cast<uint32_t>(kMost) - kFirst) >> kShift) + 1;
  std::vector<float> values_;
};

struct Forces {
  ForceTable attraction, repulsion;

  Forces(double a, double b)
      : attraction([=](double s) { return -2 * a * b * std::pow(s, b - 1) / (1 + a * std::pow(s, b)); }),
        repulsion([=](double s) { return 2 * b / ((0.001 + s) * (1 + a * std::pow(s, b))); }) {}
};

// ---- the layout ----------------------------------------------------------------------------------------

/// Moves the rows edge by edge, in one thread, because each move depends on the previous ones. Threads that
/// share the rows would give another layout each time, and moving halves against older positions lowers the
/// quality.
template <size_t kDims>
class Layout {
 public:
  Layout(const Matrix& start, std::vector<Edge> edges, const Forces& forces, uint64_t seed)
      : edges_(std::move(edges)), forces_(forces), random_(mix(seed)), rows_(start), credit_(edges_.size()) {}

  void run(int epochs, Progress& progress, double from, double to) {
    progress.begin("umap", from, to);
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const double done = static_cast<double>(epoch) / epochs;
      progress.update(done);
      move(static_cast<float>(1 - done));
    }
    progress.update(1);
  }

  const Rows& rows() const { return rows_; }

 private:
  void move(float rate) {
    for (size_t e = 0; e < edges_.size(); ++e) {
      credit_[e] += edges_[e].weight;
      if (credit_[e] < 1) continue;
      credit_[e] -= 1;
      float* at = rows_.row(static_cast<size_t>(edges_[e].from));
      pull(at, rows_.row(static_cast<size_t>(edges_[e].to)), rate);
      for (size_t i = 0; i < kNegatives; ++i) push(at, rows_.row(random_.below(rows_.rows)), rate);
    }
  }

  void pull(float* at, float* other, float rate) const {
    float step[kDims];
    step_between(forces_.attraction, at, other, rate, step);
    for (size_t i = 0; i < kDims; ++i) at[i] += step[i], other[i] -= step[i];
  }

  void push(float* at, const float* other, float rate) const {
    float step[kDims];
    step_between(forces_.repulsion, at, other, rate, step);
    for (size_t i = 0; i < kDims; ++i) at[i] += step[i];
  }

  static void step_between(const ForceTable& table, const float* at, const float* other, float rate,
                           float* step) {
    float square = 0;
    for (size_t i = 0; i < kDims; ++i) {
      step[i] = at[i] - other[i];
      square += step[i] * step[i];
    }
    const float force = table(square);
    for (size_t i = 0; i < kDims; ++i)
      step[i] = rate * std::min(kMaxStep, std::max(-kMaxStep, force * step[i]));
  }

  std::vector<Edge> edges_;
  const Forces& forces_;
  Random random_;
  Rows rows_;
  std::vector<float> credit_;
};

/// The start, scaled to the size of a layout. A little noise separates equal rows.
Rows scaled_start(const Matrix& start, uint64_t seed) {
  float largest = 0;
  for (size_t i = 0; i < start.rows * start.columns; ++i)
    largest = std::max(largest, std::abs(start.data[i]));
  const float scale = largest > 0 ? kStartRadius / largest : 1;
  Rows result(start);
  Random random(mix(seed));
  for (float& one : result.data) one = one * scale + (random.unit() - 0.5f) * 1e-3f;
  return result;
}

template <size_t kDims>
Rows lay_out(const Neighbors& neighbors, const Matrix& start, const UmapOptions& options,
             Progress& progress) {
  const auto [a, b] = fit_curve(options.min_dist);
  const Forces forces(a, b);
  std::vector<Edge> edges = fuzzy_union(neighbors, progress);
  const int longest = *std::max_element(options.epochs.begin(), options.epochs.end());
  // Edges that a schedule would sample less than once.
  std::erase_if(edges, [&](const Edge& edge) { return edge.weight * static_cast<float>(longest) < 1; });
  Layout<kDims> layout(scaled_start(start, options.seed), std::move(edges), forces, options.seed);
  const double all = std::accumulate(options.epochs.begin(), options.epochs.end(), 0.0);
  double done = 0;
  for (int epochs : options.epochs) {
    layout.run(epochs, progress, done / all, (done + epochs) / all);
    done += epochs;
    progress.publish(layout.rows());
  }
  return layout.rows();
}

}  // namespace

Rows umap(const Neighbors& neighbors, const Matrix& start, const UmapOptions& options, Progress& progress) {
  return start.columns == 2 ? lay_out<2>(neighbors, start, options, progress)
                            : lay_out<3>(neighbors, start, options, progress);
}

}  // namespace lossboard::projection

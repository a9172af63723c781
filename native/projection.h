// Parts that PCA, neighbors, UMAP and t-SNE share. The same input and seed give the same result with any
// number of threads, because each loop writes only to its own rows.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "widest_vectors.h"

namespace lossboard::projection {

/// Rows of floats, stored one after the other.
struct Matrix {
  const float* data;
  size_t rows, columns;

  const float* row(size_t i) const { return data + i * columns; }
};

/// A matrix that owns its numbers.
struct Rows {
  size_t rows = 0, columns = 0;
  std::vector<float> data;

  Rows() = default;
  Rows(size_t rows, size_t columns) : rows(rows), columns(columns), data(rows * columns) {}
  explicit Rows(const Matrix& from)
      : rows(from.rows), columns(from.columns), data(from.data, from.data + from.rows * from.columns) {}
  float* row(size_t i) { return data.data() + i * columns; }
  const float* row(size_t i) const { return data.data() + i * columns; }
  operator Matrix() const { return {data.data(), rows, columns}; }
};

/// The k nearest other rows of each row, nearest first, with squared Euclidean distances.
struct Neighbors {
  size_t rows = 0, k = 0;
  std::vector<int32_t> indices;
  std::vector<float> distances;
};

/// Thrown out of a projection after `Progress::cancel`.
struct Cancelled : std::exception {
  const char* what() const noexcept override { return "The projection was cancelled."; }
};

/// Connects a running projection with the threads that watch it.
class Progress {
 public:
  void cancel() { cancelled_ = true; }
  bool is_cancelled() const { return cancelled_; }
  double fraction() const { return fraction_; }
  std::string stage() const;
  /// The newest complete layout and its number, from 1.
  std::optional<std::pair<int, Rows>> layout() const;

  /// Names the stage that follows, and the part of the whole that it is.
  void begin(const char* stage, double from, double to);
  /// Sets the done part of the stage. Throws Cancelled.
  void update(double done);
  void publish(const Rows& layout);

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<double> fraction_ = 0;
  std::string stage_;
  double from_ = 0, to_ = 1;
  int published_ = 0;
  Rows layout_;
};

/// Calls work(begin, end) for chunks of 0 … count, in two threads. Stops early when cancelled.
void parallel_for(size_t count, size_t chunk, const Progress& progress,
                  const std::function<void(size_t, size_t)>& work);

/// SplitMix64: a well mixed number for each input, so that any row can have random numbers of its own.
inline uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mix(state_++); }
  size_t below(size_t limit) { return static_cast<size_t>(((next() >> 32) * limit) >> 32); }
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

 private:
  uint64_t state_;
};

/// The half of the rows that a thread owns. There are always two, so results do not depend on the machine.
constexpr size_t kParts = 2;
inline std::pair<size_t, size_t> part_of(size_t rows, size_t part) {
  return {rows * part / kParts, rows * (part + 1) / kParts};
}

float squared_distance(const float* a, const float* b, size_t size);
float dot(const float* a, const float* b, size_t size);

struct Pca {
  std::vector<double> mean;       // one per column
  Rows components;                // one per row, of unit length, by descending variance
  std::vector<double> variances;  // one per component
  double total_variance = 0;      // of all columns
};
Pca fit_pca(const Matrix& rows, size_t components, Progress& progress);
Rows transform(const Pca& pca, const Matrix& rows);

Neighbors exact_neighbors(const Matrix& rows, size_t k, Progress& progress);
Neighbors approximate_neighbors(const Matrix& rows, size_t k, uint64_t seed, Progress& progress);

struct UmapOptions {
  double min_dist = 0.1;
  std::vector<int> epochs;  // each a whole annealed schedule, which starts from the layout before it
  uint64_t seed = 0;
};
Rows umap(const Neighbors& neighbors, const Matrix& start, const UmapOptions& options, Progress& progress);

struct TsneOptions {
  double perplexity = 30;
  double learning_rate = 0;          // 0 = the number of rows, divided by the exaggeration
  int exaggerated_iterations = 250;  // 0 for a start that is a layout already
  int iterations = 500;
};
Rows tsne(const Neighbors& neighbors, const Matrix& start, const TsneOptions& options, Progress& progress);

/// Positions for further rows, each near its nearest rows among those that have a layout.
Rows place_rows(const Matrix& placed, const Matrix& layout, const Matrix& rows, uint64_t seed,
                Progress& progress);

struct Quality {
  double trustworthiness, recall;
};
/// Compares the k nearest rows in a layout with those in full dimension, for some of the rows.
Quality layout_quality(const Matrix& rows, const Matrix& layout, size_t k, size_t samples, uint64_t seed);

}  // namespace lossboard::projection

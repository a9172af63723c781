// Counts values in the exponential bins that torch, tensorboardX and TensorFlow 1 log by default: edges at 0
// and at ±1e-12 · 1.1^k below 1e20. A bin includes its left edge, the last bin both edges.
//
// Sign, exponent and the top five bits of the mantissa identify a cell. Its relative width is 1/32, narrower
// than a bin, so a cell contains at most one edge. A table lookup and one exact comparison find the bin,
// without a sort or a search.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gil.h"
#include "numpy_array.h"
#include "widest_vectors.h"

namespace nb = nanobind;

namespace lossboard {
namespace {

constexpr int kCellShift = 52 - 5;
constexpr size_t kCells = size_t{1} << (64 - kCellShift);
constexpr size_t kLanes = 16;
constexpr size_t kRows = 4;
constexpr size_t kBlock = size_t{1} << 31;  // so that 32-bit counters suffice
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Cell {
  double edge = kInf;  // the one edge in the cell
  uint32_t below = 0;  // number of edges below the cell
};

struct Bins {
  std::vector<double> edges;
  std::vector<Cell> cells{kCells};

  Bins() {
    for (double edge = 1e-12; edge < 1e20; edge *= 1.1) edges.push_back(edge);
    std::vector<double> negative(edges.rbegin(), edges.rend());
    for (double& edge : negative) edge = -edge;
    negative.push_back(0.0);
    edges.insert(edges.begin(), negative.begin(), negative.end());
    for (size_t c = 0; c < kCells; ++c) cells[c] = make_cell(c);
  }

  Cell make_cell(uint64_t cell) const {
    const bool negative = cell >= kCells / 2;
    const double outer = std::bit_cast<double>((cell << kCellShift) | ((uint64_t{1} << kCellShift) - 1));
    const double inner = std::bit_cast<double>(cell << kCellShift);
    const double lowest = negative ? outer : inner;
    const double highest = negative ? inner : outer;
    if (std::isnan(lowest) || std::isnan(highest)) return {kInf, static_cast<uint32_t>(edges.size())};
    const auto first = std::lower_bound(edges.begin(), edges.end(), lowest);
    Cell result{kInf, static_cast<uint32_t>(first - edges.begin())};
    if (first != edges.end() && *first <= highest) result.edge = *first;
    return result;
  }

  // Returns how many edges are ≤ value; all of them for NaN.
  size_t at_most(double value) const {
    const Cell& cell = cells[std::bit_cast<uint64_t>(value) >> kCellShift];
    return cell.below + (cell.edge <= value);
  }
};

const Bins& bins() {
  static const Bins& table = *new Bins;  // never destroyed: a thread may still count while the process ends
  return table;
}

struct Moments {
  double min, max, sum, sum_squares;
};

// Independent lanes, so that the compiler can use vectors and rounding errors stay small.
template <typename T>
WIDEST_VECTORS Moments moments_of(const T* values, size_t size) {
  double min[kLanes], max[kLanes], sum[kLanes] = {}, squares[kLanes] = {};
  std::fill_n(min, kLanes, kInf);
  std::fill_n(max, kLanes, -kInf);
  const auto take = [&](size_t lane, double value) {
    min[lane] = value < min[lane] ? value : min[lane];
    max[lane] = value > max[lane] ? value : max[lane];
    sum[lane] += value;
    squares[lane] += value * value;
  };
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) take(lane, static_cast<double>(values[i + lane]));
  for (; i < size; ++i) take(i % kLanes, static_cast<double>(values[i]));
  Moments all{kInf, -kInf, 0, 0};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    all.min = std::min(all.min, min[lane]);
    all.max = std::max(all.max, max[lane]);
    all.sum += sum[lane];
    all.sum_squares += squares[lane];
  }
  // As in NumPy, one NaN makes minimum and maximum NaN. The sum alone is not enough: inf − inf is NaN, too.
  if (std::isnan(all.sum) && std::any_of(values, values + size, [](T value) { return std::isnan(value); }))
    all.min = all.max = kNan;
  return all;
}

// Adds to counts[k] how many values have k edges at or below them. Neighbors often share a bin. Counting
// them in different rows avoids waiting for the same counter.
template <typename T>
void count_block(const T* values, size_t size, const Bins& table, std::vector<int64_t>& counts) {
  const size_t width = counts.size();
  std::vector<uint32_t> rows(kRows * width);
  size_t i = 0;
  for (; i + kRows <= size; i += kRows)
    for (size_t row = 0; row < kRows; ++row)
      ++rows[row * width + table.at_most(static_cast<double>(values[i + row]))];
  for (; i < size; ++i) ++rows[table.at_most(static_cast<double>(values[i]))];
  for (size_t row = 0; row < kRows; ++row)
    for (size_t k = 0; k < width; ++k) counts[k] += rows[row * width + k];
}

template <typename T>
std::vector<int64_t> count(const T* values, size_t size) {
  const Bins& table = bins();
  std::vector<int64_t> counts(table.edges.size() + 1);
  for (size_t at = 0; at < size; at += kBlock)
    count_block(values + at, std::min(kBlock, size - at), table, counts);

  const bool beyond = counts.back() > 0;  // on the last edge, above it, or NaN
  counts.pop_back();
  counts.erase(counts.begin());
  if (beyond) {
    const auto on_last_edge = [&](T value) { return static_cast<double>(value) == table.edges.back(); };
    counts.back() += std::count_if(values, values + size, on_last_edge);
  }
  return counts;
}

// Counts and moments of a histogram, as Python objects.
struct BinCounts {
  nb::object counts;
  double minimum, maximum, sum, sum_squares;
};

template <typename T>
BinCounts bin_counts(nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> values) {
  Moments moments;
  std::vector<int64_t> counts;
  {
    GilRelease release;
    moments = moments_of(values.data(), values.size());
    counts = count(values.data(), values.size());
  }
  return {to_numpy(std::move(counts)), moments.min, moments.max, moments.sum, moments.sum_squares};
}

}  // namespace

void bind_histogram_bins(nb::module_& m) {
  nb::class_<BinCounts>(m, "BinCounts")
      .def_ro("counts", &BinCounts::counts)
      .def_ro("minimum", &BinCounts::minimum)
      .def_ro("maximum", &BinCounts::maximum)
      .def_ro("sum", &BinCounts::sum)
      .def_ro("sum_squares", &BinCounts::sum_squares);
  m.def("bin_edges", [] { return to_numpy(bins().edges); });
  m.def("bin_counts", &bin_counts<float>, nb::arg("values").noconvert());
  m.def("bin_counts", &bin_counts<double>, nb::arg("values").noconvert());
}

}  // namespace lossboard

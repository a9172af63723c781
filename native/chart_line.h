// Lines of a chart as Python passes them, for downsampling, smoothing and density.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "numpy_array.h"
#include "parallel_for.h"

namespace lossboard {

namespace nb = nanobind;
using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The x values of a line: steps, or real numbers minus an offset (the start of the run).
struct Axis {
  const int64_t* steps = nullptr;
  const double* reals = nullptr;
  double offset = 0;

  double operator[](size_t i) const { return steps ? static_cast<double>(steps[i]) : reals[i] - offset; }
};

// One line. `owner` keeps the arrays alive, because the caller's list may change while the GIL is released.
struct Line {
  nb::object owner;
  Axis x;
  const double* values = nullptr;
  const double* smoothed = nullptr;
  size_t size = 0;
};

// Reads [(x, offset, values, smoothed)]. The result must be destroyed with the GIL.
std::vector<Line> lines_of(const nb::list& list);

// Returns a number of cells or pixels, or raises ValueError.
size_t checked_size(int64_t size, const char* name);

// Returns the nearest finite float.
float narrow(double value);

// Calls work(i) for each of the lines, on several cores if there are enough points. Each thread gets its own
// `work` from make_work().
template <typename MakeWork>
void each_line_on_threads(const std::vector<Line>& lines, MakeWork make_work) {
  constexpr size_t kMinPointsPerThread = 200'000, kMaxThreads = 8;
  size_t points = 0;
  for (const Line& line : lines) points += line.size;
  const size_t threads = std::min({core_count(), points / kMinPointsPerThread + 1, kMaxThreads});
  parallel_for(lines.size(), threads, make_work, [] {});
}

// The same, with one `work` for all threads.
template <typename Work>
void each_line(const std::vector<Line>& lines, Work work) {
  each_line_on_threads(lines, [&] { return work; });
}

}  // namespace lossboard

// What sampling, smoothing and density share: views of numpy arrays, and work spread over the cores.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "numpy_array.h"

namespace lossboard {

namespace nb = nanobind;
using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The x of a line: steps as they are, or real numbers less an offset (the start of the run).
struct Axis {
  const int64_t* steps = nullptr;
  const double* reals = nullptr;
  double offset = 0;

  double operator[](size_t i) const { return steps ? static_cast<double>(steps[i]) : reals[i] - offset; }
};

/// One line as it came from Python. The arrays are kept alive by the caller's list.
struct Line {
  Axis x;
  const double* values = nullptr;
  const double* smoothed = nullptr;
  size_t size = 0;
};

/// Reads [(x, offset, values, smoothed)]; the GIL is held.
std::vector<Line> lines_of(const nb::list& list);

/// Calls work(i) for each i below count, on several cores if there are points enough to pay for the threads.
template <typename Work>
void each_line(size_t count, size_t points, Work work) {
  constexpr size_t kPointsWorthAThread = 200'000;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t threads = std::min({cores, count, points / kPointsWorthAThread + 1, size_t{8}});
  std::atomic<size_t> next{0};
  auto loop = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) work(i);
  };
  std::vector<std::jthread> others;
  for (size_t t = 1; t < threads; ++t) others.emplace_back(loop);
  loop();
}

}  // namespace lossboard

// Smoothing of whole series: debiased EMA with the same results as TensorBoard, running mean, and Gaussian.
// Non-finite values are returned unchanged and do not affect others.
#include <cmath>
#include <limits>

#include "chart_line.h"
#include "gil.h"

namespace lossboard {
namespace {

bool is_constant(const double* y, size_t n) {
  return std::all_of(y, y + n, [first = y[0]](double value) { return value == first; });
}

std::vector<double> ema(const double* y, size_t n, double weight) {
  std::vector<double> out(y, y + n);
  if (n == 0 || is_constant(y, n)) return out;  // debiasing would add rounding errors to a constant line
  double last = 0;
  double debias = 0;
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!std::isfinite(y[i])) continue;
    last = last * weight + (1 - weight) * y[i];
    ++count;
    // Once 1 - power is 1, it stays 1, and pow() is not needed any more.
    if (debias != 1) debias = weight == 1 ? 1 : 1 - std::pow(weight, static_cast<double>(count));
    out[i] = last / debias;
  }
  return out;
}

// Returns whether more than this fraction of the values are turning points: local minima or maxima. Noise
// turns at two of three points, a schedule only at a few. Equal neighbors count as one point.
bool is_noisy(const double* y, size_t n, double fraction) {
  const auto allowed = static_cast<size_t>(fraction * static_cast<double>(n));
  size_t turns = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  int direction = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!std::isfinite(y[i])) continue;
    const int now = (y[i] > last) - (y[i] < last);  // 0 for the first value, because it is compared with NaN
    last = y[i];
    if (now == 0) continue;
    if (now == -direction && ++turns > allowed) return true;
    direction = now;
  }
  return false;
}

// Sums over a centered window, cut at the ends. Compensated, so that a spike leaves no rounding error behind.
void box_sums(const std::vector<double>& in, std::vector<double>& out, ptrdiff_t radius) {
  const auto n = static_cast<ptrdiff_t>(in.size());
  double sum = 0, lost = 0;
  auto add = [&](double term) {
    const double next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  };
  radius = std::min(radius, n);
  for (ptrdiff_t i = 0; i < radius; ++i) add(in[i]);
  for (ptrdiff_t i = 0; i < n; ++i) {
    if (i + radius < n) add(in[i + radius]);
    if (i - radius > 0) add(-in[i - radius - 1]);
    out[i] = sum + lost;
  }
}

// Applies running means one after the other. Sums of values and of counts pass the same windows and are
// divided at the end, so that gaps and ends have no weight and a constant line stays constant.
std::vector<double> means(const double* y, size_t n, const std::vector<ptrdiff_t>& radii) {
  std::vector<double> sums(n), counts(n), passed(n), out(y, y + n);
  for (size_t i = 0; i < n; ++i) {
    const bool finite = std::isfinite(y[i]);
    sums[i] = finite ? y[i] : 0;
    counts[i] = finite;
  }
  for (const ptrdiff_t radius : radii) {
    box_sums(sums, passed, radius);
    sums.swap(passed);
    box_sums(counts, passed, radius);
    counts.swap(passed);
  }
  for (size_t i = 0; i < n; ++i) {
    if (std::isfinite(y[i])) out[i] = sums[i] / counts[i];
  }
  return out;
}

// Returns three windows whose joint variance is sigma²: within 6 % of a Gaussian, at a cost that does not
// depend on sigma.
std::vector<ptrdiff_t> gaussian_radii(double sigma) {
  constexpr int kPasses = 3;
  sigma = std::min(sigma, 1e9);  // from there on every window covers the whole series
  const double ideal = std::sqrt(12 * sigma * sigma / kPasses + 1);
  auto lower = static_cast<ptrdiff_t>(ideal);
  if (lower % 2 == 0) --lower;
  const double width = static_cast<double>(lower);
  const double lower_passes =
      (12 * sigma * sigma - kPasses * width * width - 4 * kPasses * width - 3 * kPasses) / (-4 * width - 4);
  std::vector<ptrdiff_t> radii;
  for (int pass = 0; pass < kPasses; ++pass) {
    radii.push_back(((pass < std::lround(lower_passes) ? lower : lower + 2) - 1) / 2);
  }
  return radii;
}

}  // namespace

void bind_smooth(nb::module_& m) {
  m.def("ema", [](const Reals& values, double weight) {
    if (!(weight >= 0 && weight <= 1)) throw nb::value_error("The smoothing weight must be from 0 to 1.");
    return to_numpy(without_gil([&] { return ema(values.data(), values.size(), weight); }));
  });
  m.def("is_noisy", [](const Reals& values, double fraction) {
    return without_gil([&] { return is_noisy(values.data(), values.size(), fraction); });
  });
  m.def("running_mean", [](const Reals& values, ptrdiff_t radius) {
    if (radius < 0) throw nb::value_error("The radius of a running mean must not be negative.");
    return to_numpy(without_gil([&] { return means(values.data(), values.size(), {radius}); }));
  });
  m.def("gaussian", [](const Reals& values, double sigma) {
    if (!(sigma >= 0 && std::isfinite(sigma)))
      throw nb::value_error("The sigma of a Gaussian must be finite and not negative.");
    return to_numpy(without_gil([&] { return means(values.data(), values.size(), gaussian_radii(sigma)); }));
  });
}

}  // namespace lossboard

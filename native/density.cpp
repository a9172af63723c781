// Density image of many lines: counts for each cell how many lines pass through it. For charts with so many
// runs that single lines cannot be distinguished. A line counts once per cell, however often it crosses it.
// Smoothing hides spikes, and an image hides what one line does. So the image comes with the raw extremes.
#include <cmath>
#include <limits>
#include <mutex>

#include "chart_line.h"
#include "gil.h"

namespace lossboard {
namespace {

struct View {
  double x_lo, x_hi, y_lo, y_hi;
  bool log;
  size_t width, height;
};

double on_scale(double y, bool log) {
  return log ? (y > 0 ? std::log10(y) : std::numeric_limits<double>::quiet_NaN()) : y;
}

// Minimum and maximum y in each column of the image. Without points, lo > hi.
struct Extents {
  std::vector<float> lo, hi;

  explicit Extents(size_t width)
      : lo(width, std::numeric_limits<float>::infinity()),
        hi(width, -std::numeric_limits<float>::infinity()) {}

  void include(size_t column, double y) {
    lo[column] = std::min(lo[column], narrow(y));
    hi[column] = std::max(hi[column], narrow(y));
  }

  void include(const Extents& other) {
    for (size_t column = 0; column < lo.size(); ++column) {
      lo[column] = std::min(lo[column], other.lo[column]);
      hi[column] = std::max(hi[column], other.hi[column]);
    }
  }
};

// Follows a line from point to point through the columns.
class Tracer {
 public:
  Tracer(const View& view, Extents& out)
      : view_(view),
        out_(out),
        edge_(static_cast<double>(view.width)),
        scale_(edge_ / (view.x_hi - view.x_lo)) {}

  void trace(const Line& line) {
    bool connected = false;
    double last_x = 0, last_y = 0, lo = 0, hi = 0;
    size_t here = kOutside;
    for (size_t i = 0; i < line.size; ++i) {
      const double x = (line.x[i] - view_.x_lo) * scale_, y = on_scale(line.smoothed[i], view_.log);
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      const size_t now = x >= 0 && x <= edge_ ? column(x) : kOutside;
      if (now == here && now != kOutside) {  // the common case: many points share a column
        lo = std::min(lo, y);
        hi = std::max(hi, y);
      } else {
        if (here != kOutside) out_.include(here, lo), out_.include(here, hi);
        if (connected) segment(last_x, last_y, x, y);
        here = now;
        lo = hi = y;
      }
      connected = true;
      last_x = x;
      last_y = y;
    }
    if (here != kOutside) out_.include(here, lo), out_.include(here, hi);
  }

 private:
  static constexpr size_t kOutside = std::numeric_limits<size_t>::max();

  void segment(double x0, double y0, double x1, double y1) {
    if (x1 < x0) std::swap(x0, x1), std::swap(y0, y1);
    if (x1 < 0 || x0 > edge_) return;
    const double from = std::max(x0, 0.0), to = std::min(x1, edge_);
    const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    const size_t last = column(to);
    for (size_t at = column(from); at <= last; ++at) {
      const double left = std::max(from, static_cast<double>(at)),
                   right = std::min(to, static_cast<double>(at) + 1);
      out_.include(at, left == x0 ? y0 : y0 + slope * (left - x0));
      out_.include(at, right == x1 ? y1 : y0 + slope * (right - x0));
    }
  }

  size_t column(double x) const { return std::min(view_.width - 1, static_cast<size_t>(x)); }

  const View& view_;
  Extents& out_;
  double edge_, scale_;
};

std::vector<Extents> extents_of(const std::vector<Line>& lines, const View& view) {
  std::vector<Extents> all(lines.size(), Extents(view.width));
  each_line(lines, [&](size_t i) { Tracer(view, all[i]).trace(lines[i]); });
  return all;
}

// Extremes of the raw values of all lines. On a log scale, only of the positive ones.
Extents raw_extremes(const std::vector<Line>& lines, const View& view) {
  Extents all(view.width);
  std::mutex mutex;
  const double edge = static_cast<double>(view.width), scale = edge / (view.x_hi - view.x_lo);
  each_line(lines, [&](size_t i) {
    const Line& line = lines[i];
    Extents own(view.width);
    for (size_t at = 0; at < line.size; ++at) {
      const double x = (line.x[at] - view.x_lo) * scale, y = line.values[at];
      if (!(x >= 0 && x <= edge) || !std::isfinite(on_scale(y, view.log))) continue;
      own.include(std::min(view.width - 1, static_cast<size_t>(x)), y);
    }
    const std::lock_guard lock(mutex);
    all.include(own);
  });
  return all;
}

// NaN in columns without points.
void mark_empty(Extents& extents) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (size_t column = 0; column < extents.lo.size(); ++column)
    if (extents.lo[column] > extents.hi[column]) extents.lo[column] = extents.hi[column] = kNaN;
}

// Chooses the range with most lines: from the 1st percentile of their minima to the 99th of their maxima.
void choose_y(const std::vector<Extents>& lines, View& view) {
  std::vector<float> minima, maxima;
  for (const Extents& line : lines) {
    const float lo = *std::min_element(line.lo.begin(), line.lo.end());
    const float hi = *std::max_element(line.hi.begin(), line.hi.end());
    if (lo <= hi) minima.push_back(lo), maxima.push_back(hi);
  }
  if (minima.empty()) {
    view.y_lo = 0, view.y_hi = 1;
    return;
  }
  std::sort(minima.begin(), minima.end());
  std::sort(maxima.begin(), maxima.end());
  const auto last = static_cast<double>(minima.size() - 1);
  view.y_lo = minima[static_cast<size_t>(std::lround(last * 0.01))];
  view.y_hi = maxima[static_cast<size_t>(std::lround(last * 0.99))];
}

void widen_if_flat(double& lo, double& hi) {
  if (hi > lo) return;
  const double margin = lo != 0 ? std::abs(lo) / 2 : 0.5;
  lo -= margin;
  hi += margin;
}

// Number of lines in each cell. A line adds one to the first row of its extent in a column and subtracts one
// behind the last, and sums down the columns are the counts. So a line costs the same however steep it is.
std::vector<uint16_t> count_lines(const std::vector<Extents>& lines, const View& view) {
  const double scale = static_cast<double>(view.height) / (view.y_hi - view.y_lo);
  const auto row_of = [&](double y) {
    const double row = (view.y_hi - y) * scale;
    if (!(row > 0)) return size_t{0};  // also for NaN
    return row < static_cast<double>(view.height) ? static_cast<size_t>(row) : view.height - 1;
  };
  std::vector<int32_t> steps((view.height + 1) * view.width);
  for (const Extents& line : lines) {
    for (size_t column = 0; column < view.width; ++column) {
      if (!(line.hi[column] >= view.y_lo && line.lo[column] <= view.y_hi)) continue;
      const size_t first = row_of(line.hi[column]), last = row_of(line.lo[column]);
      if (first > last) continue;  // a row was not a number
      ++steps[first * view.width + column];
      --steps[(last + 1) * view.width + column];
    }
  }
  std::vector<uint16_t> image(view.width * view.height);
  std::vector<int32_t> counts(view.width);
  for (size_t cell = 0; cell < image.size(); ++cell) {
    const int32_t count = counts[cell % view.width] += steps[cell];
    image[cell] = static_cast<uint16_t>(std::min(count, int32_t{std::numeric_limits<uint16_t>::max()}));
  }
  return image;
}

nb::tuple density(const nb::list& list, double x_lo, double x_hi, int64_t width, int64_t height, double y_lo,
                  double y_hi, bool log) {
  const std::vector<Line> lines = lines_of(list);
  View view{x_lo,
            x_hi,
            on_scale(y_lo, log),
            on_scale(y_hi, log),
            log,
            checked_size(width, "width"),
            checked_size(height, "height")};
  std::vector<uint16_t> image;
  Extents raw(view.width);
  {
    GilRelease release;
    widen_if_flat(view.x_lo, view.x_hi);
    raw = raw_extremes(lines, view);
    mark_empty(raw);
    const std::vector<Extents> extents = extents_of(lines, view);
    if (!(std::isfinite(view.y_lo) && std::isfinite(view.y_hi))) choose_y(extents, view);
    widen_if_flat(view.y_lo, view.y_hi);
    image = count_lines(extents, view);
  }
  const auto shown = [log](double y) { return log ? std::pow(10.0, y) : y; };
  return nb::make_tuple(shown(view.y_lo), shown(view.y_hi), to_numpy(std::move(image)),
                        to_numpy(std::move(raw.lo)), to_numpy(std::move(raw.hi)));
}

}  // namespace

void bind_density(nb::module_& m) { m.def("density", &density); }

}  // namespace lossboard

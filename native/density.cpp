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

  void include(size_t column, double low, double high) {
    lo[column] = std::min(lo[column], narrow(low));
    hi[column] = std::max(hi[column], narrow(high));
  }

  void include(const Extents& other) {
    for (size_t column = 0; column < lo.size(); ++column) {
      lo[column] = std::min(lo[column], other.lo[column]);
      hi[column] = std::max(hi[column], other.hi[column]);
    }
  }
};

// Minimum and maximum y of consecutive points that share a column.
struct Span {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  void include(double y) {
    lo = std::min(lo, y);
    hi = std::max(hi, y);
  }
  bool has_points() const { return lo <= hi; }
};

// Follows a line from point to point through the columns, its smoothed values and its raw ones.
class Tracer {
 public:
  Tracer(const View& view, Extents& out, Extents& raw)
      : view_(view),
        out_(out),
        raw_(raw),
        edge_(static_cast<double>(view.width)),
        scale_(edge_ / (view.x_hi - view.x_lo)) {}

  void trace(const Line& line) {
    bool connected = false;
    double last_x = 0, last_y = 0;
    size_t last_column = kOutside;
    for (size_t i = 0; i < line.size; ++i) {
      const double x = (line.x[i] - view_.x_lo) * scale_, y = line.smoothed[i];
      if (!std::isfinite(x)) continue;
      const size_t now = x >= 0 && x <= edge_ ? column(x) : kOutside;
      if (now != here_) enter(now);
      if (is_drawn(line.values[i])) raw_span_.include(line.values[i]);
      if (!is_drawn(y)) continue;
      // Most points share the column of the one before, and need no line to it.
      if (connected && (now != last_column || now == kOutside)) {
        segment(last_x, on_scale(last_y, view_.log), x, on_scale(y, view_.log));
      }
      span_.include(y);
      connected = true;
      last_x = x;
      last_y = y;
      last_column = now;
    }
    enter(kOutside);
  }

 private:
  static constexpr size_t kOutside = std::numeric_limits<size_t>::max();

  bool is_drawn(double y) const { return std::isfinite(y) && (y > 0 || !view_.log); }

  // Stores the spans of the column that the line leaves.
  void enter(size_t next) {
    if (here_ != kOutside) {
      if (span_.has_points())
        out_.include(here_, on_scale(span_.lo, view_.log), on_scale(span_.hi, view_.log));
      if (raw_span_.has_points()) raw_.include(here_, raw_span_.lo, raw_span_.hi);
    }
    span_ = raw_span_ = Span();
    here_ = next;
  }

  void segment(double x0, double y0, double x1, double y1) {
    if (x1 < x0) std::swap(x0, x1), std::swap(y0, y1);
    if (x1 < 0 || x0 > edge_) return;
    const double from = std::max(x0, 0.0), to = std::min(x1, edge_);
    const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    const size_t last = column(to);
    for (size_t at = column(from); at <= last; ++at) {
      const double left = std::max(from, static_cast<double>(at)),
                   right = std::min(to, static_cast<double>(at) + 1);
      const double enters = left == x0 ? y0 : y0 + slope * (left - x0),
                   leaves = right == x1 ? y1 : y0 + slope * (right - x0);
      out_.include(at, std::min(enters, leaves), std::max(enters, leaves));
    }
  }

  size_t column(double x) const { return std::min(view_.width - 1, static_cast<size_t>(x)); }

  const View& view_;
  Extents &out_, &raw_;
  double edge_, scale_;
  size_t here_ = kOutside;
  Span span_, raw_span_;
};

struct TracedLines {
  std::vector<Extents> smoothed;  // of each line, on the scale of the view
  Extents raw;                    // of all lines together; on a log scale, only of positive values
};

TracedLines trace_lines(const std::vector<Line>& lines, const View& view) {
  TracedLines out{std::vector<Extents>(lines.size(), Extents(view.width)), Extents(view.width)};
  std::mutex mutex;
  // Traces the lines that one thread takes.
  struct Worker {
    const std::vector<Line>& lines;
    const View& view;
    TracedLines& out;
    std::mutex& mutex;
    Extents raw;

    void operator()(size_t i) { Tracer(view, out.smoothed[i], raw).trace(lines[i]); }
    ~Worker() {
      const std::lock_guard lock(mutex);
      out.raw.include(raw);
    }
  };
  each_line_on_threads(lines, [&] { return Worker{lines, view, out, mutex, Extents(view.width)}; });
  return out;
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
  TracedLines traced{{}, Extents(0)};
  {
    GilRelease release;
    widen_if_flat(view.x_lo, view.x_hi);
    traced = trace_lines(lines, view);
    mark_empty(traced.raw);
    if (!(std::isfinite(view.y_lo) && std::isfinite(view.y_hi))) choose_y(traced.smoothed, view);
    widen_if_flat(view.y_lo, view.y_hi);
    image = count_lines(traced.smoothed, view);
  }
  const auto shown = [log](double y) { return log ? std::pow(10.0, y) : y; };
  return nb::make_tuple(shown(view.y_lo), shown(view.y_hi), to_numpy(std::move(image)),
                        to_numpy(std::move(traced.raw.lo)), to_numpy(std::move(traced.raw.hi)));
}

}  // namespace

void bind_density(nb::module_& m) { m.def("density", &density); }

}  // namespace lossboard

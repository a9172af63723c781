// An image that counts, for each cell, how many lines pass through it: what a thousand runs look like when no
// single one can be told apart. A line counts once for a cell, however often it crosses it.
#include <cmath>
#include <limits>
#include <mutex>

#include "series.h"

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

/// The extent of one line in each column of the image.
class Extents {
 public:
  explicit Extents(const View& view) : view_(view), lo_(view.width), hi_(view.width) {}

  void trace(const Line& line) {
    std::fill(lo_.begin(), lo_.end(), std::numeric_limits<double>::infinity());
    std::fill(hi_.begin(), hi_.end(), -std::numeric_limits<double>::infinity());
    const double scale = static_cast<double>(view_.width) / (view_.x_hi - view_.x_lo);
    bool connected = false;
    double last_x = 0, last_y = 0;
    for (size_t i = 0; i < line.size; ++i) {
      const double x = (line.x[i] - view_.x_lo) * scale, y = on_scale(line.smoothed[i], view_.log);
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      connected ? segment(last_x, last_y, x, y) : segment(x, y, x, y);
      connected = true;
      last_x = x;
      last_y = y;
    }
  }

  void count_into(std::vector<uint16_t>& image) const {
    const double scale = static_cast<double>(view_.height) / (view_.y_hi - view_.y_lo);
    const auto bottom = static_cast<ptrdiff_t>(view_.height) - 1;
    for (size_t column = 0; column < view_.width; ++column) {
      if (!(hi_[column] >= view_.y_lo && lo_[column] <= view_.y_hi)) continue;
      const double above = std::min(hi_[column], view_.y_hi), below = std::max(lo_[column], view_.y_lo);
      const ptrdiff_t first = std::min(bottom, static_cast<ptrdiff_t>((view_.y_hi - above) * scale));
      const ptrdiff_t last = std::min(bottom, static_cast<ptrdiff_t>((view_.y_hi - below) * scale));
      for (ptrdiff_t row = first; row <= last; ++row) {
        uint16_t& count = image[static_cast<size_t>(row) * view_.width + column];
        if (count != std::numeric_limits<uint16_t>::max()) ++count;
      }
    }
  }

 private:
  void segment(double x0, double y0, double x1, double y1) {
    if (x1 < x0) std::swap(x0, x1), std::swap(y0, y1);
    const double edge = static_cast<double>(view_.width);
    if (x1 < 0 || x0 > edge) return;
    const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
    const double from = std::max(x0, 0.0), to = std::min(x1, edge);
    const auto last_column = std::min(view_.width - 1, static_cast<size_t>(to));
    for (size_t column = std::min(view_.width - 1, static_cast<size_t>(from)); column <= last_column;
         ++column) {
      const double left = std::max(from, static_cast<double>(column));
      const double right = std::min(to, static_cast<double>(column) + 1);
      include(column, left == x0 ? y0 : y0 + slope * (left - x0));
      include(column, right == x1 ? y1 : y0 + slope * (right - x0));
    }
  }

  void include(size_t column, double y) {
    lo_[column] = std::min(lo_[column], y);
    hi_[column] = std::max(hi_[column], y);
  }

  const View& view_;
  std::vector<double> lo_, hi_;
};

/// Where most lines are: from the 5th percentile of their least values to the 95th of their greatest.
void choose_y(const std::vector<Line>& lines, View& view) {
  std::vector<double> least, greatest;
  for (const Line& line : lines) {
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (size_t i = 0; i < line.size; ++i) {
      const double x = line.x[i], y = on_scale(line.smoothed[i], view.log);
      if (!std::isfinite(y) || !(x >= view.x_lo && x <= view.x_hi)) continue;
      lo = std::min(lo, y);
      hi = std::max(hi, y);
    }
    if (lo <= hi) least.push_back(lo), greatest.push_back(hi);
  }
  if (least.empty()) {
    view.y_lo = 0, view.y_hi = 1;
    return;
  }
  std::sort(least.begin(), least.end());
  std::sort(greatest.begin(), greatest.end());
  const auto last = static_cast<double>(least.size() - 1);
  view.y_lo = least[static_cast<size_t>(last * 0.05)];
  view.y_hi = greatest[static_cast<size_t>(std::ceil(last * 0.95))];
}

void widen_if_flat(double& lo, double& hi) {
  if (hi > lo) return;
  const double margin = lo != 0 ? std::abs(lo) / 2 : 0.5;
  lo -= margin;
  hi += margin;
}

std::vector<uint16_t> count_lines(const std::vector<Line>& lines, const View& view) {
  std::vector<uint16_t> image(view.width * view.height);
  size_t total = 0;
  for (const Line& line : lines) total += line.size;
  std::mutex adding;
  each_line(lines.size(), total, [&](size_t i) {
    Extents own(view);
    own.trace(lines[i]);
    const std::lock_guard lock(adding);
    own.count_into(image);
  });
  return image;
}

nb::tuple density(const nb::list& list, double x_lo, double x_hi, size_t width, size_t height, double y_lo,
                  double y_hi, bool log) {
  const std::vector<Line> lines = lines_of(list);
  View view{x_lo, x_hi, on_scale(y_lo, log), on_scale(y_hi, log), log, width, height};
  std::vector<uint16_t> image;
  {
    nb::gil_scoped_release release;
    if (!(std::isfinite(view.y_lo) && std::isfinite(view.y_hi))) choose_y(lines, view);
    widen_if_flat(view.x_lo, view.x_hi);
    widen_if_flat(view.y_lo, view.y_hi);
    image = count_lines(lines, view);
  }
  const auto shown = [log](double y) { return log ? std::pow(10.0, y) : y; };
  return nb::make_tuple(shown(view.y_lo), shown(view.y_hi), to_numpy(std::move(image)));
}

}  // namespace

void bind_density(nb::module_& m) { m.def("density", &density); }

}  // namespace lossboard

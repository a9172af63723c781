// Samples many lines on one x grid, for one chart. If the union of all x fits in, it is the grid and no point
// is dropped. Otherwise the grid is regular, and each cell has the last value, the minimum and the maximum,
// so that a spike of one step stays visible.
#include <cmath>
#include <limits>

#include "chart_line.h"
#include "gil.h"

namespace lossboard {
namespace {

constexpr float kGap = std::numeric_limits<float>::quiet_NaN();

struct Range {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();

  bool holds(double x) const { return x >= lo && x <= hi; }
  void include(double x) {
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
};

// The points of a line that the view needs.
struct Slice {
  bool increasing = true;
  size_t begin = 0, end = 0;  // with one neighbor on each side, so that the line reaches the edge
  size_t points = 0;          // within the range
  Range x;
};

enum NonFinite : uint8_t { kNan, kInf, kMinusInf, kNonFinites };

struct Mark {
  size_t index;  // of the first such point in the cell
  NonFinite what;
  size_t count;
};

struct Grid {
  std::vector<double> x;
  bool is_union = false;
  double scale = 0;  // cells per unit of x, where regular

  size_t cell(double at) const {
    if (is_union) return std::min<size_t>(x.size() - 1, std::lower_bound(x.begin(), x.end(), at) - x.begin());
    const double position = (at - lo) * scale;
    if (!(position > 0)) return 0;  // also for NaN
    return position < static_cast<double>(x.size()) ? static_cast<size_t>(position) : x.size() - 1;
  }
  double lo = 0;
};

struct Columns {
  float *value, *smoothed, *minimum, *maximum;
};

bool is_increasing(const Line& line) {
  if (const int64_t* steps = line.x.steps) {
    bool all = true;  // without leaving the loop early, so that the compiler can vectorize it
    for (size_t i = 1; i < line.size; ++i) all &= steps[i] > steps[i - 1];
    return all;
  }
  for (size_t i = 1; i < line.size; ++i) {
    if (!(line.x[i] > line.x[i - 1])) return false;
  }
  return line.size == 0 || !std::isnan(line.x[0]);
}

size_t first_not_below(const Line& line, double at, bool or_equal) {
  size_t lo = 0, hi = line.size;
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;
    const bool below = or_equal ? line.x[mid] <= at : line.x[mid] < at;
    below ? lo = mid + 1 : hi = mid;
  }
  return lo;
}

Slice slice_of(const Line& line, const Range& range) {
  Slice slice;
  slice.increasing = is_increasing(line);
  if (slice.increasing) {
    const size_t begin = first_not_below(line, range.lo, false), end = first_not_below(line, range.hi, true);
    slice.points = end > begin ? end - begin : 0;
    slice.begin = begin > 0 ? begin - 1 : 0;
    slice.end = std::min(end + 1, line.size);
    if (slice.points) slice.x = {line.x[begin], line.x[end - 1]};
    return slice;
  }
  slice.end = line.size;
  for (size_t i = 0; i < line.size; ++i) {
    const double x = line.x[i];
    if (!range.holds(x)) continue;
    ++slice.points;
    slice.x.include(x);
  }
  return slice;
}

// Collects the distinct x of a line. Returns false if there are more than `limit`.
bool distinct_x(const Line& line, const Slice& slice, const Range& range, size_t limit,
                std::vector<double>& out) {
  out.clear();
  if (slice.increasing && slice.end - slice.begin > limit) return false;
  for (size_t i = slice.begin; i < slice.end; ++i) {
    const double x = line.x[i];
    if (slice.increasing || range.holds(x)) out.push_back(x);
  }
  if (!slice.increasing) {
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out.size() <= limit;
}

bool unite(const std::vector<Line>& lines, const std::vector<Slice>& slices, const Range& range, size_t limit,
           std::vector<double>& all) {
  std::vector<double> own, merged;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!distinct_x(lines[i], slices[i], range, limit, own)) return false;
    if (own == all) continue;
    merged.clear();
    std::set_union(all.begin(), all.end(), own.begin(), own.end(), std::back_inserter(merged));
    if (merged.size() > limit) return false;
    all.swap(merged);
  }
  return true;
}

Grid grid_for(const std::vector<Line>& lines, const std::vector<Slice>& slices, const Range& wanted,
              const Range& seen, size_t cells) {
  Grid grid;
  grid.is_union = unite(lines, slices, wanted, cells, grid.x);
  if (grid.is_union) return grid;
  const Range over = std::isfinite(wanted.lo) ? wanted : seen;
  const double width = (over.hi - over.lo) / static_cast<double>(cells);
  grid.lo = over.lo;
  grid.scale = width > 0 ? 1 / width : 0;
  grid.x.resize(cells);
  for (size_t i = 0; i < cells; ++i) grid.x[i] = over.lo + (static_cast<double>(i) + 0.5) * width;
  return grid;
}

// Writes one line into its part of the columns.
class Filler {
 public:
  Filler(const Line& line, const Grid& grid, Columns out) : line_(line), grid_(grid), out_(out) {}

  void fill(const Slice& slice, const Range& range) {
    for (size_t i = slice.begin; i < slice.end; ++i) {
      const double x = line_.x[i];
      const bool inside = range.holds(x);
      if (!inside && !(slice.increasing && grid_.is_union)) continue;
      const size_t cell = slice.increasing && grid_.is_union ? next_cell(x) : grid_.cell(x);
      std::isfinite(line_.values[i]) ? put(cell, i) : mark(cell, i);
    }
  }

  std::vector<Mark> marks;
  size_t drawn = 0;
  bool shared = false;  // two points of the line fell into one cell

 private:
  size_t next_cell(double x) {
    while (walked_ + 1 < grid_.x.size() && grid_.x[walked_] < x) ++walked_;
    return walked_;
  }

  void put(size_t cell, size_t i) {
    const float value = narrow(line_.values[i]);
    if (std::isnan(out_.value[cell])) {
      out_.minimum[cell] = out_.maximum[cell] = value;
      ++drawn;
    } else {
      shared = true;
      out_.minimum[cell] = std::min(out_.minimum[cell], value);
      out_.maximum[cell] = std::max(out_.maximum[cell], value);
    }
    out_.value[cell] = value;
    out_.smoothed[cell] = narrow(line_.smoothed[i]);
  }

  void mark(size_t cell, size_t i) {
    if (mark_of_.empty()) mark_of_.resize(grid_.x.size() * kNonFinites);
    const double value = line_.values[i];
    const NonFinite what = std::isnan(value) ? kNan : value > 0 ? kInf : kMinusInf;
    size_t& known = mark_of_[cell * kNonFinites + what];
    if (known) {
      ++marks[known - 1].count;
    } else {
      marks.push_back({i, what, 1});
      known = marks.size();
    }
  }

  const Line& line_;
  const Grid& grid_;
  Columns out_;
  size_t walked_ = 0;
  std::vector<size_t> mark_of_;  // 1 + index into marks, by cell and kind
};

struct Sampled {
  Grid grid;
  bool exact = true;
  Range x;
  std::vector<float> value, smoothed, minimum, maximum;
  std::vector<int64_t> points, drawn;
  std::vector<std::vector<Mark>> marks;
};

Sampled sample(const std::vector<Line>& lines, const Range& range, size_t cells) {
  Sampled out;
  std::vector<Slice> slices(lines.size());
  each_line(lines, [&](size_t i) { slices[i] = slice_of(lines[i], range); });
  for (const Slice& slice : slices) {
    out.points.push_back(static_cast<int64_t>(slice.points));
    if (slice.points) out.x.include(slice.x.lo), out.x.include(slice.x.hi);
  }
  out.grid = grid_for(lines, slices, range, out.x, cells);
  const size_t width = out.grid.x.size();
  for (auto* column : {&out.value, &out.smoothed, &out.minimum, &out.maximum}) {
    column->assign(lines.size() * width, kGap);
  }
  out.marks.resize(lines.size());
  out.drawn.resize(lines.size());
  std::atomic<bool> shared{false};
  each_line(lines, [&](size_t i) {
    const size_t at = i * width;
    Filler filler(
        lines[i], out.grid,
        {out.value.data() + at, out.smoothed.data() + at, out.minimum.data() + at, out.maximum.data() + at});
    filler.fill(slices[i], range);
    if (filler.shared) shared = true;
    out.marks[i] = std::move(filler.marks);
    out.drawn[i] = static_cast<int64_t>(filler.drawn);
  });
  out.exact = out.grid.is_union && !shared;
  return out;
}

nb::list marks_of(const std::vector<Line>& lines, const Sampled& sampled) {
  static constexpr const char* kNames[] = {"nan", "inf", "-inf"};
  nb::list all;
  for (size_t i = 0; i < lines.size(); ++i) {
    nb::list own;
    for (const Mark& mark : sampled.marks[i]) {
      own.append(nb::make_tuple(mark.index, lines[i].x[mark.index], kNames[mark.what], mark.count));
    }
    all.append(own);
  }
  return all;
}

// All lines on one grid, as Python arrays.
struct SampledLines {
  bool exact;
  double x_min, x_max;
  nb::object x, value, smoothed, minimum, maximum, points, drawn, marks;
};

SampledLines sample_lines(const nb::list& list, double lo, double hi, int64_t cells) {
  const std::vector<Line> lines = lines_of(list);
  const size_t max_cells = checked_size(cells, "cells");
  Sampled sampled = without_gil([&] { return sample(lines, {lo, hi}, max_cells); });
  nb::list marks = marks_of(lines, sampled);
  return {.exact = sampled.exact,
          .x_min = sampled.x.lo,
          .x_max = sampled.x.hi,
          .x = to_numpy(std::move(sampled.grid.x)),
          .value = to_numpy(std::move(sampled.value)),
          .smoothed = to_numpy(std::move(sampled.smoothed)),
          .minimum = to_numpy(std::move(sampled.minimum)),
          .maximum = to_numpy(std::move(sampled.maximum)),
          .points = to_numpy(std::move(sampled.points)),
          .drawn = to_numpy(std::move(sampled.drawn)),
          .marks = std::move(marks)};
}

Range extent_of(const std::vector<Line>& lines) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Range all;
  for (const Line& line : lines) {
    const Slice slice = slice_of(line, {-kInf, kInf});
    if (slice.points) all.include(slice.x.lo), all.include(slice.x.hi);
  }
  return all;
}

nb::tuple x_extent(const nb::list& list) {
  const std::vector<Line> lines = lines_of(list);
  const Range all = without_gil([&] { return extent_of(lines); });
  return nb::make_tuple(all.lo, all.hi);
}

}  // namespace

void bind_downsample(nb::module_& m) {
  nb::class_<SampledLines>(m, "SampledLines")
      .def_ro("exact", &SampledLines::exact)
      .def_ro("x_min", &SampledLines::x_min)
      .def_ro("x_max", &SampledLines::x_max)
      .def_ro("x", &SampledLines::x)
      .def_ro("value", &SampledLines::value)
      .def_ro("smoothed", &SampledLines::smoothed)
      .def_ro("minimum", &SampledLines::minimum)
      .def_ro("maximum", &SampledLines::maximum)
      .def_ro("points", &SampledLines::points)
      .def_ro("drawn", &SampledLines::drawn)
      .def_ro("marks", &SampledLines::marks);
  m.def("sample_lines", &sample_lines);
  m.def("x_extent", &x_extent);
}

}  // namespace lossboard

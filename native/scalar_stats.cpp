// Statistics of one scalar tag over many runs. An update reads only the points that are new.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "chart_line.h"
#include "gil.h"
#include "run.h"

namespace lossboard {
namespace {

using namespace nb::literals;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool same_point(const Point& a, const Point& b) {
  return a.step == b.step && std::bit_cast<uint64_t>(a.wall_time) == std::bit_cast<uint64_t>(b.wall_time) &&
         a.bits == b.bits;
}

// Statistics of the first `count` points of a series. Minimum, maximum and mean are over the finite values.
struct SeriesStats {
  uint64_t count = 0;
  uint64_t finite = 0;
  Point last_read{};
  double first = kNan;
  double minimum = kNan;
  double maximum = kNan;
  int64_t step_of_minimum = 0;
  int64_t step_of_maximum = 0;
  double sum = 0;
  double rounding =
      0;  // what `sum` has lost (Neumaier), so that the mean of a million points is exact enough

  double last() const { return count ? std::bit_cast<double>(last_read.bits) : kNan; }
  double mean() const { return finite ? (sum + rounding) / static_cast<double>(finite) : kNan; }

  // Points are only appended, unless a restart supersedes some or the files were replaced. Both change the
  // point that was read last: it moves, or is logged again at a later time.
  void update(const Points& points) {
    Block* block = points.block;
    const auto at = [&](size_t i) {
      return Point{block->steps()[i], block->wall_times()[i], block->bits()[i]};
    };
    if (count > points.size || (count && !same_point(at(count - 1), last_read))) *this = {};
    for (size_t i = count; i < points.size; ++i) add(at(i));
  }

 private:
  void add(const Point& point) {
    const double value = std::bit_cast<double>(point.bits);
    if (count++ == 0) first = value;
    last_read = point;
    if (!std::isfinite(value)) return;
    if (finite == 0 || value < minimum) minimum = value, step_of_minimum = point.step;
    if (finite == 0 || value > maximum) maximum = value, step_of_maximum = point.step;
    ++finite;
    const double total = sum + value;
    rounding += std::abs(sum) >= std::abs(value) ? (sum - total) + value : (value - total) + sum;
    sum = total;
  }
};

class ScalarStats {
 public:
  explicit ScalarStats(std::string tag) : tag_(std::move(tag)) {}

  // One row for each run, in this order. Statistics of runs that are not given any more are dropped.
  void update(const nb::list& runs) {
    std::vector<std::shared_ptr<Run>> wanted;
    wanted.reserve(runs.size());
    for (nb::handle run : runs) wanted.push_back(nb::cast<std::shared_ptr<Run>>(run));
    GilRelease release;
    arrange(wanted);
    for (Row& row : rows_) refresh(row);
  }

  template <typename T, typename Field>
  nb::object column(Field field) const {
    std::vector<T> values;
    values.reserve(rows_.size());
    for (const Row& row : rows_) values.push_back(field(row.stats));
    return to_numpy(std::move(values));
  }

  // The value of the last point at or before a step, and whether there is one: a run must reach the step.
  nb::object value_at(int64_t step) const {
    std::vector<double> values(rows_.size(), kNan);
    std::vector<uint8_t> found(rows_.size(), 0);
    {
      GilRelease release;
      for (size_t i = 0; i < rows_.size(); ++i)
        if (const auto value = value_at(*rows_[i].run, step)) values[i] = *value, found[i] = 1;
    }
    return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(found)));
  }

 private:
  struct Row {
    std::shared_ptr<Run> run;
    uint64_t changed = std::numeric_limits<uint64_t>::max();  // the run's cursor when it was last looked at
    SeriesStats stats;
  };

  void arrange(const std::vector<std::shared_ptr<Run>>& wanted) {
    if (std::ranges::equal(rows_, wanted, {}, &Row::run)) return;
    std::unordered_map<const Run*, Row*> known;
    for (Row& row : rows_) known.emplace(row.run.get(), &row);
    std::vector<Row> rows;
    rows.reserve(wanted.size());
    for (const auto& run : wanted) {
      const auto found = known.find(run.get());
      rows.push_back(found == known.end() ? Row{.run = run, .stats = {}} : *found->second);
    }
    rows_ = std::move(rows);
  }

  void refresh(Row& row) {
    const uint64_t changed = row.run->summary().changed;
    if (changed == row.changed) return;
    row.changed = changed;
    if (const auto points = row.run->points("scalars", tag_))
      row.stats.update(*points);
    else
      row.stats = {};
  }

  std::optional<double> value_at(const Run& run, int64_t step) const {
    const auto points = run.points("scalars", tag_);
    if (!points || points->size == 0) return std::nullopt;
    const int64_t* steps = points->block->steps();
    const int64_t* end = steps + points->size;
    const int64_t* after = std::upper_bound(steps, end, step);
    if (after == steps || end[-1] < step) return std::nullopt;
    return std::bit_cast<double>(points->block->bits()[after - steps - 1]);
  }

  std::string tag_;
  std::vector<Row> rows_;
};

}  // namespace

void bind_scalar_stats(nb::module_& m) {
  using S = const SeriesStats&;
  using T = const ScalarStats&;
  nb::class_<ScalarStats>(m, "ScalarStats")
      .def(nb::init<std::string>(), "tag"_a)
      .def("update", &ScalarStats::update, "runs"_a)
      .def(
          "value_at", [](T self, int64_t step) { return self.value_at(step); }, "step"_a)
      .def_prop_ro("count", [](T self) { return self.column<int64_t>([](S s) { return s.count; }); })
      .def_prop_ro("first", [](T self) { return self.column<double>([](S s) { return s.first; }); })
      .def_prop_ro("last", [](T self) { return self.column<double>([](S s) { return s.last(); }); })
      .def_prop_ro("last_step",
                   [](T self) { return self.column<int64_t>([](S s) { return s.last_read.step; }); })
      .def_prop_ro("finite", [](T self) { return self.column<int64_t>([](S s) { return s.finite; }); })
      .def_prop_ro("minimum", [](T self) { return self.column<double>([](S s) { return s.minimum; }); })
      .def_prop_ro("maximum", [](T self) { return self.column<double>([](S s) { return s.maximum; }); })
      .def_prop_ro("mean", [](T self) { return self.column<double>([](S s) { return s.mean(); }); })
      .def_prop_ro("step_of_minimum",
                   [](T self) { return self.column<int64_t>([](S s) { return s.step_of_minimum; }); })
      .def_prop_ro("step_of_maximum",
                   [](T self) { return self.column<int64_t>([](S s) { return s.step_of_maximum; }); });
}

}  // namespace lossboard

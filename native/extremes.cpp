// Minimum and maximum of each line within a range of x, as indexes of points. So the exact step of an extreme
// is known, however far a chart is downsampled.
#include <cmath>

#include "chart_line.h"
#include "gil.h"

namespace lossboard {
namespace {

constexpr int64_t kNone = -1;

struct Extremes {
  std::vector<int64_t> minimum, maximum, non_finite;

  explicit Extremes(size_t lines) : minimum(lines, kNone), maximum(lines, kNone), non_finite(lines, kNone) {}

  // The first of equal values counts.
  void scan(const Line& line, size_t out, double lo, double hi) {
    int64_t min = kNone, max = kNone;
    for (size_t i = 0; i < line.size; ++i) {
      if (!(line.x[i] >= lo && line.x[i] <= hi)) continue;
      const double value = line.values[i];
      const auto at = static_cast<int64_t>(i);
      if (!std::isfinite(value)) {
        if (non_finite[out] == kNone) non_finite[out] = at;
        continue;
      }
      if (min == kNone || value < line.values[min]) min = at;
      if (max == kNone || value > line.values[max]) max = at;
    }
    minimum[out] = min;
    maximum[out] = max;
  }
};

nb::tuple line_extremes(const nb::list& list, double lo, double hi) {
  const std::vector<Line> lines = lines_of(list);
  Extremes all(lines.size());
  {
    GilRelease release;
    each_line(lines, [&](size_t i) { all.scan(lines[i], i, lo, hi); });
  }
  return nb::make_tuple(to_numpy(std::move(all.minimum)), to_numpy(std::move(all.maximum)),
                        to_numpy(std::move(all.non_finite)));
}

}  // namespace

void bind_extremes(nb::module_& m) { m.def("line_extremes", &line_extremes); }

}  // namespace lossboard

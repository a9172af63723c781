#include "chart_line.h"

namespace lossboard {

std::vector<Line> lines_of(const nb::list& list) {
  std::vector<Line> lines;
  lines.reserve(nb::len(list));
  for (nb::handle item : list) {
    const auto parts = nb::cast<nb::tuple>(item);
    Line line;
    Integers steps;
    if (nb::try_cast<Integers>(parts[0], steps, false)) {
      line.x.steps = steps.data();
      line.size = steps.size();
    } else {
      const auto reals = nb::cast<Reals>(parts[0], false);
      line.x.reals = reals.data();
      line.size = reals.size();
    }
    line.x.offset = nb::cast<double>(parts[1]);
    const auto values = nb::cast<Reals>(parts[2], false), smoothed = nb::cast<Reals>(parts[3], false);
    if (values.size() != line.size || smoothed.size() != line.size) {
      throw nb::value_error("A line's x, values and smoothed values must be equally long.");
    }
    line.values = values.data();
    line.smoothed = smoothed.data();
    lines.push_back(line);
  }
  return lines;
}

}  // namespace lossboard

#include "chart_line.h"

namespace lossboard {

std::vector<Line> lines_of(const nb::list& list) {
  std::vector<Line> lines;
  lines.reserve(nb::len(list));
  for (nb::handle item : list) {
    const auto parts = nb::cast<nb::tuple>(item);
    if (nb::len(parts) != 4) throw nb::value_error("A line must be (x, offset, values, smoothed values).");
    Line line;
    line.owner = parts;
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
      throw nb::value_error("The x, values and smoothed values of a line must be equally long.");
    }
    line.values = values.data();
    line.smoothed = smoothed.data();
    lines.push_back(std::move(line));
  }
  return lines;
}

size_t checked_size(int64_t size, const char* name) {
  constexpr int64_t kMaxSize = 1 << 20;
  if (size < 1 || size > kMaxSize)
    throw nb::value_error(
        (std::string(name) + " must be from 1 to 1048576, got " + std::to_string(size) + ".").c_str());
  return static_cast<size_t>(size);
}

float narrow(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMax, kMax));
}

}  // namespace lossboard

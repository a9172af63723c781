// Mean and standard deviation of many runs at every step that any of them logged. A run counts between its
// first and last point, with the value on the straight line between two points. Values that are not finite
// do not count.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <utility>

#include "chart_line.h"
#include "gil.h"

namespace lossboard {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Steps at a time, so that the values of 100 runs stay in the cache.
constexpr size_t kBlock = 512;

struct GroupRun {
  const int64_t* steps;
  const double* values;
  size_t size;
  size_t next = 0;  // the first point behind the steps that were read
};

struct GroupMean {
  std::vector<double> mean, std;
  std::vector<int64_t> n, non_finite;

  explicit GroupMean(size_t size) : mean(size, kNan), std(size, kNan), n(size), non_finite(size) {}
};

double distance(int64_t from, int64_t to) {
  return static_cast<double>(static_cast<uint64_t>(to) - static_cast<uint64_t>(from));
}

// Writes the values of a run at these steps, NaN where it has none. Returns the range of steps that it
// reaches.
std::pair<size_t, size_t> interpolate(GroupRun& run, const int64_t* steps, size_t count, double* out) {
  std::fill(out, out + count, kNan);
  if (run.size == 0) return {0, 0};
  const size_t begin = std::lower_bound(steps, steps + count, run.steps[0]) - steps;
  const size_t end = std::upper_bound(steps, steps + count, run.steps[run.size - 1]) - steps;
  for (size_t i = begin; i < end;) {
    while (run.next < run.size && run.steps[run.next] <= steps[i]) ++run.next;
    const size_t before = run.next - 1;
    const double left = run.values[before];
    if (run.steps[before] == steps[i]) {
      out[i++] = left;
      continue;
    }
    const double rise = run.values[run.next] - left;
    const double gap = distance(run.steps[before], run.steps[run.next]);
    for (; i < end && steps[i] < run.steps[run.next]; ++i) {
      out[i] = left + rise * (distance(run.steps[before], steps[i]) / gap);
    }
  }
  return {begin, end};
}

// The values of all runs at some steps, one run after the other.
class Block {
 public:
  Block(std::vector<GroupRun>& runs, const int64_t* steps, size_t count)
      : runs_(runs), count_(count), values_(runs.size() * count) {
    for (size_t r = 0; r < runs.size(); ++r) reached_.push_back(interpolate(runs[r], steps, count, row(r)));
  }

  void write(GroupMean& out, size_t at) {
    // Adding up distances from the first value makes the mean of equal values exact, and their spread 0.
    std::vector<double> base(count_, kNan), sum(count_), squares(count_);
    int64_t* n = out.n.data() + at;
    for (size_t r = 0; r < runs_.size(); ++r) {
      const double* values = row(r);
      for (size_t i = reached_[r].first; i < reached_[r].second; ++i) {
        const bool finite = std::isfinite(values[i]);
        base[i] = finite && n[i] == 0 ? values[i] : base[i];
        sum[i] += finite ? values[i] - base[i] : 0;
        n[i] += finite;
        out.non_finite[at + i] += !finite;
      }
    }
    for (size_t i = 0; i < count_; ++i) sum[i] /= static_cast<double>(n[i]);
    for (size_t r = 0; r < runs_.size(); ++r) {
      const double* values = row(r);
      for (size_t i = reached_[r].first; i < reached_[r].second; ++i) {
        const double deviation = std::isfinite(values[i]) ? values[i] - base[i] - sum[i] : 0;
        squares[i] += deviation * deviation;
      }
    }
    for (size_t i = 0; i < count_; ++i) {
      if (n[i] > 0) out.mean[at + i] = base[i] + sum[i];
      if (n[i] > 1) out.std[at + i] = std::sqrt(squares[i] / static_cast<double>(n[i] - 1));
    }
  }

 private:
  double* row(size_t run) { return values_.data() + run * count_; }

  std::vector<GroupRun>& runs_;
  size_t count_;
  std::vector<double> values_;
  std::vector<std::pair<size_t, size_t>> reached_;
};

GroupMean group_mean(std::vector<GroupRun>& runs, const int64_t* steps, size_t size) {
  GroupMean out(size);
  for (size_t at = 0; at < size; at += kBlock) {
    Block(runs, steps + at, std::min(kBlock, size - at)).write(out, at);
  }
  return out;
}

}  // namespace

void bind_group_mean(nb::module_& m) {
  m.def("group_mean", [](const Integers& steps, const std::vector<std::pair<Integers, Reals>>& points) {
    std::vector<GroupRun> runs;
    for (const auto& [own_steps, values] : points) {
      if (own_steps.size() != values.size())
        throw nb::value_error("A run must have as many values as steps.");
      runs.push_back({own_steps.data(), values.data(), values.size()});
    }
    GroupMean found = without_gil([&] { return group_mean(runs, steps.data(), steps.size()); });
    return nb::make_tuple(to_numpy(std::move(found.mean)), to_numpy(std::move(found.std)),
                          to_numpy(std::move(found.n)), to_numpy(std::move(found.non_finite)));
  });
}

}  // namespace lossboard

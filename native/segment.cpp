#include "segment.h"

#include <algorithm>

#include "event_file.h"

namespace lossboard {
namespace {

// Like reserve, but grows by doubling, so that many small calls stay cheap.
template <typename T>
void reserve_more(std::vector<T>& vector, size_t more) {
  if (vector.capacity() - vector.size() < more)
    vector.reserve(std::max(vector.size() + more, 2 * vector.capacity()));
}

}  // namespace

void Starts::add(int64_t step) {
  while (!rising_.empty() && rising_.back().step >= step) rising_.pop_back();
  rising_.push_back({count_, step});  // needs memory only if nothing was removed
  ++count_;
}

std::optional<int64_t> Starts::min_since(uint32_t seen) const {
  const auto found = std::lower_bound(rising_.begin(), rising_.end(), seen,
                                      [](const Start& start, uint32_t index) { return start.index < index; });
  if (found == rising_.end()) return std::nullopt;
  return found->step;
}

void Segment::catch_up(const Starts& starts) {
  if (const auto step = starts.min_since(starts_seen_)) hide_from(visible_.below(*step));
  starts_seen_ = starts.count();
}

void Segment::hide_from_step(int64_t step) {
  min_step_ = points() == 0 ? step : std::min(min_step_, step);
  hide_from(visible_.below(step));
}

void Segment::reserve() {
  if (points() == 0) begin_ = file.record_at;
  visible_.grow(visible_.size() + file.points_to_come(points(), begin_), file.arena);
}

void Segment::hide_from(size_t index) {
  if (index == visible_.size()) return;
  // All memory first, so that a shortage changes nothing.
  if (!past_) past_ = std::make_unique<Past>();
  reserve_more(past_->hidden, visible_.size() - index);
  reserve_more(past_->marks, 1);
  visible_.unshare();
  for (size_t i = index; i < visible_.size(); ++i)
    past_->hidden.push_back({visible_[i], i + hidden_before(i)});
  while (!past_->marks.empty() && past_->marks.back().index >= index) past_->marks.pop_back();
  past_->marks.push_back({index, past_->hidden.size()});
  visible_.truncate(index);
}

uint64_t Segment::hidden_before(size_t index) const {
  const auto after = std::upper_bound(past_->marks.begin(), past_->marks.end(), index,
                                      [](size_t i, const Mark& mark) { return i < mark.index; });
  return after == past_->marks.begin() ? 0 : std::prev(after)->hidden;
}

size_t Segment::visible(const Starts& starts, std::optional<int64_t> limit) const {
  size_t count = visible_.size();
  if (const auto step = starts.min_since(starts_seen_)) count = visible_.below(*step);
  if (limit) count = std::min(count, visible_.below(*limit));
  return count;
}

void Segment::attempts(size_t visible, std::vector<Point>& points, std::vector<uint8_t>& hidden) const {
  const size_t base = points.size();
  points.resize(base + this->points());
  hidden.resize(points.size(), true);
  for (size_t i = 0; i < visible_.size(); ++i) {
    const size_t at = base + i + (past_ ? hidden_before(i) : 0);
    points[at] = visible_[i];
    hidden[at] = i >= visible;
  }
  if (!past_) return;
  for (const HiddenPoint& one : past_->hidden) points[base + one.order] = one.point;
}

}  // namespace lossboard

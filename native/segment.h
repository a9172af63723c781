// Points of one series in one file, and the rule for superseded points. If memory runs out while a point is
// added, the segment stays as it was.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "bytes.h"
#include "column.h"

namespace lossboard {

struct EventFile;

// The effective SessionLog STARTs of a file. A START at step s supersedes earlier points with step >= s.
class Starts {
 public:
  void add(int64_t step);
  uint32_t count() const { return count_; }
  // Returns the minimum step of those that came after the first `seen`.
  std::optional<int64_t> min_since(uint32_t seen) const;

 private:
  struct Start {
    uint32_t index;
    int64_t step;
  };
  uint32_t count_ = 0;
  // Only those with a smaller step than all that follow, so the first that is new enough is the minimum.
  std::vector<Start> rising_;
};

// A superseded point, and its place among all points of the segment.
struct HiddenPoint {
  Point point;
  uint64_t order;
};

class Segment {
 public:
  Segment(EventFile& file, Bytes tag) : file(file), tag(tag) {}

  // A new point supersedes earlier ones with the same or a larger step, so the visible points are a stack.
  void push(const Point& point, const Starts& starts) {
    if (starts.count() != starts_seen_) [[unlikely]]
      catch_up(starts);
    if (visible_.size() == 0 || point.step <= visible_.last_step()) [[unlikely]]
      hide_from_step(point.step);
    if (visible_.full()) [[unlikely]]
      reserve();
    visible_.append(point);
  }

  // Returns how many points are visible if later files supersede those with step >= `limit`.
  size_t visible(const Starts& starts, std::optional<int64_t> limit) const;

  const Column& column() const { return visible_; }
  int64_t min_step() const { return min_step_; }
  size_t points() const { return visible_.size() + (past_ ? past_->hidden.size() : 0); }
  // Returns every point in file order, and in `hidden` which are superseded, given how many are visible.
  void attempts(size_t visible, std::vector<Point>& points, std::vector<uint8_t>& hidden) const;

  EventFile& file;
  Bytes tag;                 // of the series, to check a prediction without another lookup
  Segment* next = nullptr;   // the segment that got a point after this one, last time: the prediction
  Segment* older = nullptr;  // of the same series, in the nearest file before this one
  uint64_t changed = 0;

 private:
  // Before the visible point `index` came, `hidden` points had been superseded.
  struct Mark {
    size_t index;
    uint64_t hidden;
  };
  struct Past {
    std::vector<HiddenPoint> hidden;
    std::vector<Mark> marks;
  };

  void catch_up(const Starts& starts);
  void hide_from_step(int64_t step);
  void reserve();
  void hide_from(size_t index);
  uint64_t hidden_before(size_t index) const;

  uint32_t starts_seen_ = 0;
  Column visible_;
  int64_t min_step_ = 0;  // of all points, including superseded ones
  uint64_t begin_ = 0;    // offset of the first point in the file
  std::unique_ptr<Past> past_;
};

}  // namespace lossboard

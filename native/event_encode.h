// Encoder of Event messages, framed as TFRecords (tfrecord.h).
//
// It encodes only what the hot path needs: an Event's head and its scalars. All other Summary values come as
// bytes from lossboard/kinds/*/encode.py.
#pragma once

#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

#include "tfrecord.h"

namespace lossboard {

// Field numbers of event.proto and summary.proto.
constexpr int kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3, kEventSummary = 5,
              kEventSessionLog = 7, kEventSource = 10;
constexpr int kSummaryValue = 1, kValueTag = 1, kValueSimple = 2, kSourceWriter = 1, kSessionStatus = 1;

// Fields that every Event has.
struct Head {
  double wall_time;
  int64_t step;
};

struct Scalar {
  std::string_view tag;
  float value;
};

double wall_time_now();

// Builds records. Reuses its memory, so that a scalar needs no allocation.
class RecordBuilder {
 public:
  void begin(Head head);
  void add_bytes(int field, std::string_view bytes);
  void add_scalars(std::span<const Scalar> scalars);
  void add_summary(std::span<const std::string_view> values);
  std::string_view finish();  // valid until the next begin()
  std::string take();         // the record that finish() returned

 private:
  char* reserve(size_t bytes);  // returns where to write them
  void set_end(const char* end) { size_ = static_cast<size_t>(end - bytes_.data()); }

  std::string bytes_;  // with remains of earlier records behind size_
  size_t size_ = 0;
};

// The first record of every file, and the last one of a file that was closed.
std::string version_record(double wall_time);
std::string stop_record(double wall_time);

}  // namespace lossboard

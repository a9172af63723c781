// Event messages as bytes, framed as TFRecords: u64 length, its masked CRC, the message, its masked CRC.
//
// Only what the hot path needs is written here: an Event's head and its scalars. All other Summary values
// come as bytes from lossboard/kinds/*/encode.py.
#pragma once

#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

#include "tfrecord.h"

namespace lossboard {

// Numbers of the Event's and the Summary.Value's fields, as in event.proto and summary.proto.
constexpr int kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3, kEventSummary = 5,
              kEventSessionLog = 7, kEventSource = 10;
constexpr int kSummaryValue = 1, kValueTag = 1, kValueSimple = 2, kSourceWriter = 1, kSessionStatus = 1;

// What every Event says.
struct Head {
  double wall_time;
  int64_t step;
};

struct Scalar {
  std::string_view tag;
  float value;
};

double wall_time_now();

// A record under construction; reused, so that a scalar costs no allocation.
class RecordBuilder {
 public:
  void begin(Head head);
  void add_bytes(int field, std::string_view bytes);
  void add_scalars(std::span<const Scalar> scalars);
  void add_summary(std::span<const std::string_view> values);
  std::string_view finish();  // valid until the next begin()
  std::string take();         // what finish() gave

 private:
  char* room(size_t bytes);  // where to write them
  void wrote(const char* end) { size_ = static_cast<size_t>(end - bytes_.data()); }

  std::string bytes_;  // what lies behind size_ is of earlier records
  size_t size_ = 0;
};

// What every file begins with, and what one ends with that was closed.
std::string version_record(double wall_time);
std::string stop_record(double wall_time);

}  // namespace lossboard

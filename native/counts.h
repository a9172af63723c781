// Sizes of a run, or of all runs of a logdir.
#pragma once
#include <cstdint>

namespace lossboard {

struct Counts {
  uint64_t tags = 0;
  uint64_t points = 0;
  uint64_t blobs = 0;
  uint64_t bytes = 0;  // of the event files
  uint64_t skipped_records = 0;
  uint64_t skipped_bytes = 0;

  Counts& operator+=(const Counts& other) {
    tags += other.tags;
    points += other.points;
    blobs += other.blobs;
    bytes += other.bytes;
    skipped_records += other.skipped_records;
    skipped_bytes += other.skipped_bytes;
    return *this;
  }
  bool operator==(const Counts&) const = default;
};

}  // namespace lossboard

// One event file of a run: how far it has been read, and what it has contributed.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "segment.h"
#include "tail.h"

namespace lossboard {

// What the file system says of a file.
struct Stamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t changed_ns = 0;   // contents, permissions, anything
  int64_t modified_ns = 0;  // contents

  bool same_file(const Stamp& other) const { return device == other.device && inode == other.inode; }
  bool operator==(const Stamp&) const = default;
};

struct Listing {
  std::string name;
  Stamp stamp;

  bool operator==(const Listing&) const = default;
};

struct Damage {
  uint64_t offset;
  uint64_t bytes;
  DamageReason why;
};

// The first places are kept, all are counted.
struct DamageLog {
  static constexpr size_t kMaxPlaces = 100;
  uint64_t records = 0;
  uint64_t bytes = 0;
  std::vector<Damage> places;

  void add(const Damage& damage) {
    ++records;
    bytes += damage.bytes;
    if (places.size() < kMaxPlaces) places.push_back(damage);
  }
};

struct EventFile {
  explicit EventFile(const Listing& listing) : name(listing.name), stamp(listing.stamp) {}

  // How many more points a series will get that has got `points` since `begin`: files are much the same
  // from end to end.
  size_t points_to_come(size_t points, uint64_t begin) const {
    if (record_at <= begin || record_at > stamp.size) return 0;
    const double points_a_byte = static_cast<double>(points) / static_cast<double>(record_at - begin);
    return 1 + static_cast<size_t>(static_cast<double>(stamp.size - record_at) * points_a_byte);
  }

  // Whether its last event says that no more will come.
  bool is_finished() const { return stop_at == record_at; }

  std::string name;
  uint32_t order = 0;  // among the run's files, by name
  Stamp stamp;
  bool stale = true;  // there may be something to read
  int error = 0;      // errno of the last attempt to read it
  Tail tail;
  DamageLog damage;
  Arena* arena = nullptr;  // for its points, while it is read for the first time

  std::deque<Segment> segments;
  Segment* last_scalar = nullptr;
  uint64_t record_at = 0;         // where the record stands that is being taken
  Starts starts;                  // the effective ones
  bool has_start = false;         // effective or not
  uint64_t stop_at = UINT64_MAX;  // where the last SessionLog STOP stands
  std::optional<double> first_wall_time;
  double last_wall_time = -1.0 / 0.0;
};

}  // namespace lossboard

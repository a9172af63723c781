// One event file of a run: how far it has been read, and what it has contributed.
#pragma once
#include <string>
#include <vector>

#include "segment.h"
#include "stable_vector.h"
#include "tail.h"

namespace lossboard {

// The status of a file in the file system.
struct Stamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t changed_ns = 0;   // contents or attributes
  int64_t modified_ns = 0;  // contents

  bool same_file(const Stamp& other) const { return device == other.device && inode == other.inode; }
  // Whether it was written without growing, so that other bytes than the new ones may have changed.
  bool is_modified_since(const Stamp& before) const {
    return size == before.size && modified_ns != before.modified_ns;
  }
  bool operator==(const Stamp&) const = default;
};

struct Listing {
  std::string name;
  Stamp stamp;
  int error = 0;  // errno if the stamp could not be read

  bool operator==(const Listing&) const = default;
};

struct Damage {
  uint64_t offset;
  uint64_t bytes;
  DamageReason why;
};

// Stores the first places and counts all.
struct DamageLog {
  static constexpr size_t kMaxPlaces = 100;
  uint64_t records = 0;
  uint64_t bytes = 0;
  std::vector<Damage> places;

  void add(const Damage& damage) {
    if (places.size() < kMaxPlaces) places.push_back(damage);
    ++records;
    bytes += damage.bytes;
  }
};

struct EventFile {
  explicit EventFile(const Listing& listing) : name(listing.name), stamp(listing.stamp) {}

  // Predicts how many more points a series will get that has got `points` since offset `begin`, assuming that
  // the file looks the same from start to end.
  size_t points_to_come(size_t points, uint64_t begin) const {
    if (record_at <= begin || record_at > stamp.size) return 0;
    const double points_per_byte = static_cast<double>(points) / static_cast<double>(record_at - begin);
    return 1 + static_cast<size_t>(static_cast<double>(stamp.size - record_at) * points_per_byte);
  }

  // Whether it has bytes, but none of them are the header of a record: then it is another kind of file.
  bool has_no_records() const { return damage.records == 0 && tail.gap() == 0; }

  void note_wall_time(double wall_time) {
    if (!first_wall_time) first_wall_time = wall_time;
    if (wall_time > last_wall_time) last_wall_time = wall_time;
  }

  // The time of an event with data.
  void note_point_time(double wall_time) {
    const bool is_first = last_point_time == -1.0 / 0.0;
    if (is_first && first_wall_time && wall_time < *first_wall_time) first_wall_time = wall_time;
    if (wall_time > last_point_time) last_point_time = wall_time;
    note_wall_time(wall_time);
  }

  // Whether its last event says that no more will come.
  bool is_finished() const { return stop_at == record_at; }

  std::string name;
  uint32_t order = 0;  // among the run's files, by name
  Stamp stamp;
  bool stale = true;              // there may be something to read
  bool may_be_rewritten = false;  // compare what was read with the file
  int error = 0;                  // errno of the last attempt to read it
  Tail tail;
  DamageLog damage;
  Arena* arena = nullptr;  // for what is stored while it is read for the first time

  StableVector<Segment> segments;
  Segment* last_scalar = nullptr;
  uint64_t record_at = 0;         // offset of the record that is being read
  size_t values_read = 0;         // values of that record that are stored already
  Starts starts;                  // the effective ones
  bool has_start = false;         // effective or not
  uint64_t stop_at = UINT64_MAX;  // offset of the last SessionLog STOP
  std::optional<double> first_wall_time;
  double last_wall_time = -1.0 / 0.0;
  double last_point_time = -1.0 / 0.0;
};

}  // namespace lossboard

// Interprets the records of a run.
#include <bit>
#include <string_view>

#include "event_decode.h"
#include "run.h"
#include "scalar_tensor.h"
#include "utf8.h"

namespace lossboard {
namespace {

// Returns the plugin of old-style values, which need no metadata.
uint32_t implied_plugin(ValueType type) {
  switch (type) {
    case ValueType::kSimple:
      return kScalars;
    case ValueType::kHistogram:
      return kHistograms;
    case ValueType::kImage:
      return kImages;
    case ValueType::kAudio:
      return kAudio;
    case ValueType::kTensor:
    case ValueType::kNone:
      break;
  }
  return kNoPlugin;
}

// The STARTs that hide points of a plugin. TF1 writes a run's graph just before a START, so graphs ignore
// them.
const Starts& starts_for(uint32_t plugin, const EventFile& file) {
  static const Starts& none = *new Starts;  // never destroyed: a thread may still read while the process ends
  return plugin == kGraphs ? none : file.starts;
}

// The form of nearly every record: wall time, step, and a summary with one tag and simple_value.
struct PlainScalar {
  double wall_time;
  int64_t step = 0;
  Bytes tag;
  float value;
};

// Summary, value and tag begin with a key and a length each; simple_value is a key and four bytes. If all of
// it is shorter than 128 bytes, the total length determines the six bytes before the tag.
constexpr size_t kBeforeTag = 6, kBehindTag = 5;
constexpr uint64_t kSixBytes = 0xFFFF'FFFF'FFFF;
constexpr uint64_t six_bytes_before_tag(size_t bytes) {
  constexpr auto lengths = [](uint64_t summary, uint64_t value, uint64_t tag) {
    return summary << 8 | value << 24 | tag << 40;
  };
  constexpr uint64_t kKeys = 0x2A | 0x0A << 16 | uint64_t{0x0A} << 32;
  return bytes * lengths(1, 1, 1) - lengths(2, 4, kBeforeTag + kBehindTag) + kKeys;
}

inline bool parse_plain_scalar(Bytes payload, PlainScalar& scalar) {
  const uint8_t* p = payload.data();
  const uint8_t* end = p + payload.size();
  if (payload.size() < 9 + kBeforeTag + kBehindTag || *p != 0x09) return false;
  scalar.wall_time = load<double>(p + 1);
  p += 9;
  if (*p == 0x10) {
    uint64_t step;
    if (!(p = read_varint(p + 1, end, step))) return false;
    scalar.step = static_cast<int64_t>(step);
  }
  const auto left = static_cast<size_t>(end - p);
  if (left < kBeforeTag + kBehindTag || left >= 128 || end[-5] != 0x15) return false;
  if ((load<uint64_t>(p) & kSixBytes) != six_bytes_before_tag(left)) return false;
  scalar.tag = {p + kBeforeTag, left - kBeforeTag - kBehindTag};
  scalar.value = load<float>(end - 4);
  return true;
}

}  // namespace

// Sink of the records of one file. A record that throws can be taken again.
class Run::Ingest {
 public:
  Ingest(Run& run, EventFile& file) : run_(run), file_(file) {}

  bool record(Bytes payload, uint64_t offset) {
    file_.record_at = offset;
    PlainScalar scalar;
    return (parse_plain_scalar(payload, scalar) && take_plain_scalar(scalar)) || take_any(payload, offset);
  }
  void damage(uint64_t offset, uint64_t bytes, DamageReason why) { file_.damage.add({offset, bytes, why}); }

 private:
  bool take_plain_scalar(const PlainScalar& scalar) {
    Segment* segment = file_.last_scalar ? file_.last_scalar->next : nullptr;
    if (!segment || !same_bytes(segment->tag, scalar.tag)) [[unlikely]] {
      segment = find_unpredicted(scalar.tag);
      if (!segment) return false;
    }
    file_.last_scalar = segment;
    file_.note_point_time(scalar.wall_time);
    const auto bits = std::bit_cast<uint64_t>(static_cast<double>(scalar.value));
    push(*segment, {scalar.step, scalar.wall_time, bits}, file_.starts);
    ++run_.points_;
    // With thousands of tags, the next points go to memory that is not in the cache.
    if (Segment* ahead = segment->next ? segment->next->next : nullptr) {
      __builtin_prefetch(ahead->next);
      ahead->column().prefetch();
    }
    return true;
  }

  void push(Segment& segment, const Point& point, const Starts& starts) {
    segment.push(point, starts);
    segment.changed = run_.cursor_;
  }

  Segment* find_unpredicted(Bytes tag);
  bool take_any(Bytes payload, uint64_t offset);
  void take_value(const Event& event, const uint8_t* payload, uint64_t offset);
  void take_start(int64_t step);
  uint32_t plugin_of(uint32_t tag, uint64_t metadata_offset);
  Segment& segment(uint32_t tag, uint32_t plugin);
  uint32_t series_of(uint32_t tag, uint32_t plugin);
  uint32_t intern(Bytes tag);

  Run& run_;
  EventFile& file_;
  Value value_;  // memory to decode into
};

bool Run::read_records(EventFile& file, int fd, Scratch& scratch) {
  Ingest ingest(*this, file);
  return file.tail.advance(fd, file.stamp.size, scratch, ingest);
}

// Returns the segment of a tag other than the one that followed last time, and predicts it from now on.
// Returns nullptr if the tag is not valid.
Segment* Run::Ingest::find_unpredicted(Bytes tag) {
  if (!is_utf8(tag)) return nullptr;
  Segment* found = &segment(intern(tag), kScalars);
  if (file_.last_scalar) file_.last_scalar->next = found;
  return found;
}

bool Run::Ingest::take_any(Bytes payload, uint64_t offset) {
  Event event;
  if (!parse_event(payload, event, value_)) return false;
  // A header and a STOP have the times of the file, but logs may be written with those of an old training.
  if (event.values > 0 || event.type == EventType::kGraph)
    file_.note_point_time(event.wall_time);
  else if (event.type != EventType::kSessionStop)
    file_.note_wall_time(event.wall_time);
  const auto in_file = [&](const uint8_t* p) { return offset + static_cast<uint64_t>(p - payload.data()); };
  if (event.type == EventType::kSessionStart) take_start(event.step);
  if (event.type == EventType::kSessionStop) file_.stop_at = offset;
  if (event.type == EventType::kGraph) {
    Segment& graphs = segment(intern(bytes_of("__run_graph__")), kGraphs);
    push(graphs, {event.step, event.wall_time, in_file(event.graph)}, starts_for(kGraphs, file_));
    ++run_.blobs_;
  }
  if (event.values == 1) {  // the common case, decoded already
    take_value(event, payload.data(), offset);
    return true;
  }
  ValueReader values(event);
  for (size_t i = 0; values.next(value_); ++i) {
    if (i < file_.values_read) continue;  // stored before memory ran out
    take_value(event, payload.data(), offset);
    file_.values_read = i + 1;
  }
  file_.values_read = 0;
  return true;
}

// Stores value_, which is one of the event's.
void Run::Ingest::take_value(const Event& event, const uint8_t* payload, uint64_t offset) {
  if (value_.type == ValueType::kNone && !value_.metadata) return;
  const auto in_file = [&](const uint8_t* p) { return offset + static_cast<uint64_t>(p - payload); };
  const uint32_t tag = intern(value_.name());
  uint32_t plugin = implied_plugin(value_.type);
  if (value_.metadata || value_.type == ValueType::kTensor) {
    const uint32_t by_metadata = plugin_of(tag, value_.metadata ? in_file(value_.metadata.at()) : 0);
    if (plugin == kNoPlugin) plugin = by_metadata;
  }
  Point point{event.step, event.wall_time, 0};
  if (plugin == kScalars) {
    const auto number =
        value_.type == ValueType::kTensor ? scalar_value(value_.tensor.bytes()) : value_.simple;
    if (value_.type != ValueType::kNone && number) {
      point.bits = std::bit_cast<uint64_t>(*number);
      push(segment(tag, kScalars), point, file_.starts);
      ++run_.points_;
      return;
    }
    plugin = kNoPlugin;  // not a scalar, whatever its plugin: stored like any other tensor
  }
  // Hparams and unknown plugins may have all of their data in the metadata.
  if (value_.type == ValueType::kNone && plugin != kHparams && plugin < kFirstUnknown) return;
  point.bits = in_file(value_.at);
  push(segment(tag, plugin), point, starts_for(plugin, file_));
  ++run_.blobs_;
}

void Run::Ingest::take_start(int64_t step) {
  bool before = file_.has_start, behind = false;
  for (const auto& other : run_.files_) {
    if (other->order < file_.order) before |= other->has_start;
    if (other->order > file_.order) behind |= other->has_start;
  }
  if (!before && behind) run_.context_changed_ = true;  // the first START of later files is effective now
  if (before) {
    file_.starts.add(step);
    run_.starts_changed_ = run_.cursor_;
  }
  file_.has_start = true;
}

// Returns the plugin of the tag's first metadata so far. Later files do not count, but must be read again if
// the metadata that they relied on is no longer the first.
uint32_t Run::Ingest::plugin_of(uint32_t number, uint64_t metadata_offset) {
  Tag& tag = run_.tags_[number];
  const bool known = tag.metadata_file && tag.metadata_file->order <= file_.order;
  if (value_.metadata && !known) {
    if (tag.used_by && tag.used_by->order > file_.order) run_.context_changed_ = true;
    tag.plugin = plugin_number(plugin_name(value_.metadata.bytes()));
    tag.metadata_file = &file_;
    tag.metadata_offset = metadata_offset;
  }
  if (!tag.used_by || tag.used_by->order < file_.order) tag.used_by = &file_;
  return known || value_.metadata ? tag.plugin : static_cast<uint32_t>(kNoPlugin);
}

Segment& Run::Ingest::segment(uint32_t tag, uint32_t plugin) {
  Segment** link = &run_.series_[series_of(tag, plugin)].newest;
  while (*link && (*link)->file.order > file_.order) link = &(*link)->older;
  if (*link && &(*link)->file == &file_) return **link;
  Segment& fresh = file_.segments.emplace_back(file_.arena, file_, run_.tag_names_[tag]);
  fresh.older = *link;
  *link = &fresh;
  return fresh;
}

uint32_t Run::Ingest::series_of(uint32_t tag, uint32_t plugin) {
  uint32_t& first = run_.tags_[tag].first_series;
  for (uint32_t number = first; number != StringTable::kMissing; number = run_.series_[number].next_of_tag)
    if (run_.series_[number].plugin == plugin) return number;
  run_.series_.emplace_back(file_.arena, tag, plugin, first, nullptr);
  return first = static_cast<uint32_t>(run_.series_.size() - 1);
}

uint32_t Run::Ingest::intern(Bytes tag) {
  // For a new tag; first, as it may throw.
  if (run_.tags_.size() == run_.tag_names_.size()) run_.tags_.emplace_back(file_.arena);
  return run_.tag_names_.intern(tag, file_.arena);
}

}  // namespace lossboard

// Interprets the records of a run.
#include <bit>
#include <string_view>

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
  const uint64_t lengths = (bytes - 2) << 8 | (bytes - 4) << 24 | (bytes - kBeforeTag - kBehindTag) << 40;
  return 0x2A | 0x0A << 16 | uint64_t{0x0A} << 32 | lengths;
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

bool Run::take(EventFile& file, Bytes payload, uint64_t offset, Value& value) {
  file.record_at = offset;
  return take_plain_scalar(file, payload) || take_any(file, payload, offset, value);
}

bool Run::take_any(EventFile& file, Bytes payload, uint64_t offset, Value& value) {
  Event event;
  if (!parse_event(payload, event, value)) return false;
  // A STOP has the time of closing the file, but logs may be written with the wall times of an old training.
  if (event.type != EventType::kSessionStop) note_wall_time(file, event.wall_time);
  const auto in_file = [&](const uint8_t* p) { return offset + static_cast<uint64_t>(p - payload.data()); };
  if (event.type == EventType::kSessionStart) take_start(file, event.step);
  if (event.type == EventType::kSessionStop) file.stop_at = offset;
  if (event.type == EventType::kGraph) {
    Segment& graphs = segment(file, intern(bytes_of("__run_graph__")), kGraphs);
    push(graphs, {event.step, event.wall_time, in_file(event.graph)}, starts_for(kGraphs, file));
    ++blobs_;
  }
  if (event.values == 1) {  // the common case, decoded already
    take_value(file, event, value, payload.data(), offset);
    return true;
  }
  ValueReader values(event);
  for (size_t i = 0; values.next(value); ++i) {
    if (i < file.values_read) continue;  // stored before memory ran out
    take_value(file, event, value, payload.data(), offset);
    file.values_read = i + 1;
  }
  file.values_read = 0;
  return true;
}

bool Run::take_plain_scalar(EventFile& file, Bytes payload) {
  PlainScalar scalar;
  if (!parse_plain_scalar(payload, scalar)) return false;
  Segment* segment = file.last_scalar ? file.last_scalar->next : nullptr;
  if (!segment || !same_bytes(segment->tag, scalar.tag)) {
    if (!is_utf8(scalar.tag)) return false;
    segment = &scalar_segment(file, scalar.tag);
    if (file.last_scalar) file.last_scalar->next = segment;
  }
  file.last_scalar = segment;
  note_wall_time(file, scalar.wall_time);
  const auto bits = std::bit_cast<uint64_t>(static_cast<double>(scalar.value));
  push(*segment, {scalar.step, scalar.wall_time, bits}, file.starts);
  ++points_;
  return true;
}

void Run::take_value(EventFile& file, const Event& event, const Value& value, const uint8_t* payload,
                     uint64_t offset) {
  if (value.type == ValueType::kNone && !value.metadata) return;
  const auto in_file = [&](const uint8_t* p) { return offset + static_cast<uint64_t>(p - payload); };
  const uint32_t tag = intern(value.name());
  uint32_t plugin = implied_plugin(value.type);
  if (value.metadata || value.type == ValueType::kTensor) {
    const uint64_t metadata_at = value.metadata ? in_file(value.metadata.at()) : 0;
    const uint32_t by_metadata = plugin_of(tag, file, value, metadata_at);
    if (plugin == kNoPlugin) plugin = by_metadata;
  }
  Point point{event.step, event.wall_time, 0};
  if (plugin == kScalars) {
    const auto number = value.type == ValueType::kTensor ? scalar_value(value.tensor.bytes()) : value.simple;
    if (value.type != ValueType::kNone && number) {
      point.bits = std::bit_cast<uint64_t>(*number);
      push(segment(file, tag, kScalars), point, file.starts);
      ++points_;
      return;
    }
    plugin = kNoPlugin;  // not a scalar, whatever its plugin: stored like any other tensor
  }
  // Hparams and unknown plugins may have all of their data in the metadata.
  if (value.type == ValueType::kNone && plugin != kHparams && plugin < kFirstUnknown) return;
  point.bits = in_file(value.at);
  push(segment(file, tag, plugin), point, starts_for(plugin, file));
  ++blobs_;
}

void Run::take_start(EventFile& file, int64_t step) {
  bool before = file.has_start, behind = false;
  for (const auto& other : files_) {
    if (other->order < file.order) before |= other->has_start;
    if (other->order > file.order) behind |= other->has_start;
  }
  if (!before && behind) context_changed_ = true;  // the first START of later files is effective now
  if (before) {
    file.starts.add(step);
    starts_changed_ = cursor_;
  }
  file.has_start = true;
}

// Returns the plugin of the tag's first metadata so far. Later files do not count, but must be read again if
// the metadata that they relied on is no longer the first.
uint32_t Run::plugin_of(uint32_t number, EventFile& file, const Value& value, uint64_t metadata_offset) {
  Tag& tag = tags_[number];
  const bool known = tag.metadata_file && tag.metadata_file->order <= file.order;
  if (value.metadata && !known) {
    if (tag.used_by && tag.used_by->order > file.order) context_changed_ = true;
    tag.plugin = plugin_number(plugin_name(value.metadata.bytes()));
    tag.metadata_file = &file;
    tag.metadata_offset = metadata_offset;
  }
  if (!tag.used_by || tag.used_by->order < file.order) tag.used_by = &file;
  return known || value.metadata ? tag.plugin : static_cast<uint32_t>(kNoPlugin);
}

void Run::push(Segment& segment, const Point& point, const Starts& starts) {
  segment.push(point, starts);
  segment.changed = cursor_;
}

Segment& Run::scalar_segment(EventFile& file, Bytes tag) { return segment(file, intern(tag), kScalars); }

Segment& Run::segment(EventFile& file, uint32_t tag, uint32_t plugin) {
  Segment** link = &series_[series_of(tag, plugin)].newest;
  while (*link && (*link)->file.order > file.order) link = &(*link)->older;
  if (*link && &(*link)->file == &file) return **link;
  Segment& fresh = file.segments.emplace_back(file, series_of(tag, plugin), tag_names_[tag]);
  fresh.older = *link;
  *link = &fresh;
  return fresh;
}

uint32_t Run::series_of(uint32_t tag, uint32_t plugin) {
  uint32_t number = tags_[tag].first_series;
  while (number != StringTable::kMissing && series_[number].plugin != plugin)
    number = series_[number].next_of_tag;
  if (number != StringTable::kMissing) return number;
  series_.push_back({tag, plugin, tags_[tag].first_series, nullptr});
  return tags_[tag].first_series = static_cast<uint32_t>(series_.size() - 1);
}

uint32_t Run::intern(Bytes tag) {
  if (tags_.size() == tag_names_.size()) tags_.emplace_back();  // for a new tag; first, as it may throw
  return tag_names_.intern(tag);
}

void Run::note_wall_time(EventFile& file, double wall_time) {
  if (!file.first_wall_time) file.first_wall_time = wall_time;
  if (wall_time > file.last_wall_time) file.last_wall_time = wall_time;
}

}  // namespace lossboard

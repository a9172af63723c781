#include "event_decode.h"

#include <bit>

#include "utf8.h"

namespace lossboard {
namespace {

constexpr uint64_t kStart = 1, kStop = 2;  // SessionLog.SessionStatus

bool parse_session_log(Bytes message, What& what) {
  Wire wire(message);
  Field field;
  while (wire.next(field))
    if (field.is(1, WireType::kVarint))
      what = field.bits == kStart  ? What::kSessionStart
             : field.bits == kStop ? What::kSessionStop
                                   : What::kOther;
  return wire.ok();
}

bool is_metadata(Bytes message) {
  Wire wire(message);
  Field field;
  while (wire.next(field))
    if (field.is(1, WireType::kBytes) && !well_formed(field.bytes)) return false;
  return wire.ok() && is_utf8(plugin_name(message));
}

bool is_whole(const Value& value) {
  return is_utf8(value.tag) && is_utf8(value.node_name) && (!value.metadata || is_metadata(*value.metadata));
}

// A message that comes again goes on, as protobuf has it. No writer is known that does so.
Bytes continued(Bytes message, Bytes more, Value& value) {
  std::vector<uint8_t>& whole = value.continued.emplace_back(message.begin(), message.end());
  whole.insert(whole.end(), more.begin(), more.end());
  return whole;
}

// False if it is malformed.
bool parse_value(Bytes message, Value& value) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (field.is(1, WireType::kBytes)) value.tag = field.bytes;
    if (field.is(7, WireType::kBytes)) value.node_name = field.bytes;
    if (field.is(9, WireType::kBytes)) {
      value.metadata = value.metadata ? continued(*value.metadata, field.bytes, value) : field.bytes;
      value.metadata_at = field.at;
    }
    if (field.is(2, WireType::kFixed32)) {
      value.data = Data::kSimple;
      value.simple = std::bit_cast<float>(static_cast<uint32_t>(field.bits));
    }
    if (field.is(3, WireType::kBytes)) value.data = Data::kNone;  // a histogram form older than event files
    if (field.type != WireType::kBytes) continue;
    if (field.number == 4) value.data = Data::kImage;
    if (field.number == 5) value.data = Data::kHistogram;
    if (field.number == 6) value.data = Data::kAudio;
    if (field.number == 8) {
      const bool again = value.data == Data::kTensor;
      value.tensor = again ? continued(value.tensor, field.bytes, value) : field.bytes;
      value.data = Data::kTensor;
    }
    const bool message_field = field.number >= 4 && field.number <= 8 && field.number != 7;
    if (message_field && !well_formed(field.bytes)) return false;
  }
  return wire.ok();
}

// Several summaries of an Event are one.
bool parse_summary(Bytes message, std::vector<Value>& values) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (!field.is(1, WireType::kBytes)) continue;
    Value& value = values.emplace_back();
    value.at = field.at;
    if (!parse_value(field.bytes, value) || !is_whole(value)) return false;
  }
  return wire.ok();
}

bool parse_what(const Field& field, Event& event) {
  event.what = What::kOther;
  if (field.number == 5) {
    event.what = What::kSummary;
    return parse_summary(field.bytes, event.values);
  }
  event.values.clear();
  if (field.number == 3) return is_utf8(field.bytes);
  if (field.number == 7) return parse_session_log(field.bytes, event.what);
  if (field.number == 4) {
    event.what = What::kGraph;
    event.graph = field.at;
  }
  return true;
}

}  // namespace

bool parse_event(Bytes payload, Event& event) {
  event.wall_time = 0;
  event.step = 0;
  event.what = What::kNothing;
  event.values.clear();
  Wire wire(payload);
  Field field;
  while (wire.next(field)) {
    if (field.is(1, WireType::kFixed64)) event.wall_time = std::bit_cast<double>(field.bits);
    if (field.is(2, WireType::kVarint)) event.step = static_cast<int64_t>(field.bits);
    if (field.type == WireType::kBytes && field.number >= 3 && field.number <= 9 && !parse_what(field, event))
      return false;
  }
  return wire.ok();
}

Bytes plugin_name(Bytes metadata) {
  Bytes name;
  Wire wire(metadata);
  Field field;
  while (wire.next(field)) {
    if (!field.is(1, WireType::kBytes)) continue;
    Wire plugin_data(field.bytes);
    Field inner;
    while (plugin_data.next(inner))
      if (inner.is(1, WireType::kBytes)) name = inner.bytes;
  }
  return name;
}

}  // namespace lossboard

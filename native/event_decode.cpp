#include "event_decode.h"

#include <bit>

#include "utf8.h"

namespace lossboard {
namespace {

constexpr uint64_t kStart = 1, kStop = 2;  // SessionLog.SessionStatus
constexpr uint32_t kSummary = 5;           // field of the Event

bool parse_session_log(Bytes message, EventType& type) {
  Wire wire(message);
  Field field;
  while (wire.next(field))
    if (field.is(1, WireType::kVarint))
      type = field.bits == kStart  ? EventType::kSessionStart
             : field.bits == kStop ? EventType::kSessionStop
                                   : EventType::kOther;
  return wire.ok();
}

bool is_metadata(Bytes message) {
  Wire wire(message);
  Field field;
  while (wire.next(field))
    if (field.is(1, WireType::kBytes) && !well_formed(field.bytes)) return false;
  return wire.ok() && is_utf8(plugin_name(message));
}

bool is_message(uint32_t field) { return field >= 4 && field <= 8 && field != 7; }

// Decodes a Summary.Value. Returns false if it is malformed, or with kStrict a message in it.
enum Strictness : bool { kLenient, kStrict };
bool parse_value(Bytes message, Value& value, Strictness strictness) {
  value.tag = value.node_name = {};
  value.metadata.clear();
  value.tensor.clear();
  value.type = ValueType::kNone;
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (field.is(2, WireType::kFixed32)) {
      value.type = ValueType::kSimple;
      value.simple = std::bit_cast<float>(static_cast<uint32_t>(field.bits));
    }
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) value.tag = field.bytes;
    if (field.number == 3) value.type = ValueType::kNone;  // a histogram form older than event files
    if (field.number == 4) value.type = ValueType::kImage;
    if (field.number == 5) value.type = ValueType::kHistogram;
    if (field.number == 6) value.type = ValueType::kAudio;
    if (field.number == 7) value.node_name = field.bytes;
    if (field.number == 8) {
      if (value.type != ValueType::kTensor) value.tensor.clear();
      value.tensor.add(field.bytes, field.at);
      value.type = ValueType::kTensor;
    }
    if (field.number == 9) value.metadata.add(field.bytes, field.at);
    if (strictness == kStrict && is_message(field.number) && !well_formed(field.bytes)) return false;
  }
  return wire.ok();
}

bool parse_summary(Bytes message, Event& event, Value& value) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (!field.is(1, WireType::kBytes)) continue;
    ++event.values;
    value.at = field.at;
    if (!parse_value(field.bytes, value, kStrict)) return false;
    if (!is_utf8(value.tag) || !is_utf8(value.node_name)) return false;
    if (value.metadata && !is_metadata(value.metadata.bytes())) return false;
  }
  return wire.ok();
}

// Decodes a field of the oneof `what`. `rest` begins with it and reaches to the end of the Event.
bool parse_what(const Field& field, Bytes rest, Event& event, Value& value) {
  if (field.number == kSummary) {
    if (event.type != EventType::kSummary) event.summaries = rest;
    event.type = EventType::kSummary;
    return parse_summary(field.bytes, event, value);
  }
  event.type = EventType::kOther;
  event.summaries = {};
  event.values = 0;
  if (field.number == 3) return is_utf8(field.bytes);
  if (field.number == 7) return parse_session_log(field.bytes, event.type);
  if (field.number == 4) {
    event.type = EventType::kGraph;
    event.graph = field.at;
  }
  return true;
}

}  // namespace

void MessageField::clear() {
  bytes_ = {};
  at_ = nullptr;
}

void MessageField::add(Bytes part, const uint8_t* at) {
  if (at_) {
    if (bytes_.data() != joined_.data()) joined_.assign(bytes_.begin(), bytes_.end());
    joined_.insert(joined_.end(), part.begin(), part.end());
    part = joined_;
  }
  bytes_ = part;
  at_ = at;
}

bool parse_event(Bytes payload, Event& event, Value& value) {
  event = {};
  Wire wire(payload);
  Field field;
  for (Bytes rest = payload; wire.next(field); rest = wire.rest()) {
    if (field.is(1, WireType::kFixed64)) event.wall_time = std::bit_cast<double>(field.bits);
    if (field.is(2, WireType::kVarint)) event.step = static_cast<int64_t>(field.bits);
    if (field.type == WireType::kBytes && field.number >= 3 && field.number <= 9 &&
        !parse_what(field, rest, event, value))
      return false;
  }
  return wire.ok();
}

bool ValueReader::next(Value& value) {
  Field field;
  while (true) {
    while (values_.next(field)) {
      if (!field.is(1, WireType::kBytes)) continue;
      parse_value(field.bytes, value, kLenient);  // parse_event has checked it
      value.at = field.at;
      return true;
    }
    do {
      if (!fields_.next(field)) return false;
    } while (!field.is(kSummary, WireType::kBytes));
    values_ = Wire(field.bytes);
  }
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

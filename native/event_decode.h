// Decoder of Event messages. Field numbers are those of event.proto, summary.proto and tensor.proto.
//
// Known fields with a wrong wire type are skipped like unknown ones, as protobuf does. The last field of a
// oneof wins. log_message, tagged_run_metadata and meta_graph_def are not decoded.
//
// Decoding takes no memory that a message could multiply: the values of a summary are visited one by one.
#pragma once
#include <optional>
#include <vector>

#include "wire.h"

namespace lossboard {

enum class EventType : uint8_t { kNothing, kGraph, kSummary, kSessionStart, kSessionStop, kOther };

enum class ValueType : uint8_t { kNone, kSimple, kHistogram, kImage, kAudio, kTensor };

// A message field. If it occurs several times, its parts are joined, as protobuf does. No known writer splits
// messages.
class MessageField {
 public:
  void clear();
  void add(Bytes part, const uint8_t* at);
  explicit operator bool() const { return at_; }
  Bytes bytes() const { return bytes_; }
  const uint8_t* at() const { return at_; }  // where the length of the last part is

 private:
  Bytes bytes_;
  const uint8_t* at_ = nullptr;
  std::vector<uint8_t> joined_;
};

struct Value {
  Bytes tag;
  Bytes node_name;
  MessageField metadata;
  MessageField tensor;
  ValueType type = ValueType::kNone;
  float simple = 0;
  const uint8_t* at = nullptr;  // where the value's length is

  // The name of its series. A tensor without a tag has the name of its node.
  Bytes name() const { return tag.empty() && type == ValueType::kTensor ? node_name : tag; }
};

struct Event {
  double wall_time = 0;
  int64_t step = 0;
  EventType type = EventType::kNothing;
  const uint8_t* graph = nullptr;  // where the graph's length is
  Bytes summaries;                 // fields of the Event, from the first summary that counts
  size_t values = 0;               // in these summaries
};

// Returns false if the payload is not an Event, down to the messages within each Summary.Value. `value` is
// memory to decode into, which can be reused. If the event has one value, it is there afterwards.
bool parse_event(Bytes payload, Event& event, Value& value);

// Visits the values of a valid event. Several summaries of an Event are one.
class ValueReader {
 public:
  explicit ValueReader(const Event& event) : fields_(event.summaries), values_({}) {}
  bool next(Value& value);

 private:
  Wire fields_;
  Wire values_;
};

// Returns plugin_data.plugin_name, or nothing if it is missing.
Bytes plugin_name(Bytes metadata);

}  // namespace lossboard

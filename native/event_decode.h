// What an Event message says. Field numbers are those of event.proto, summary.proto and tensor.proto.
//
// Known fields with another wire type than theirs are passed over like unknown ones, as protobuf does.
// Of a oneof the last one wins. log_message, tagged_run_metadata and meta_graph_def are not looked into.
#pragma once
#include <optional>
#include <vector>

#include "wire.h"

namespace lossboard {

enum class What : uint8_t { kNothing, kGraph, kSummary, kSessionStart, kSessionStop, kOther };

enum class Data : uint8_t { kNone, kSimple, kHistogram, kImage, kAudio, kTensor };

struct Value {
  Bytes tag;
  Bytes node_name;
  std::optional<Bytes> metadata;
  const uint8_t* metadata_at = nullptr;  // where the metadata's length stands
  Data data = Data::kNone;
  float simple = 0;
  Bytes tensor;
  const uint8_t* at = nullptr;                  // where the value's length stands
  std::vector<std::vector<uint8_t>> continued;  // messages in several parts, put together

  // A tensor without a tag goes by its node's name.
  Bytes name() const { return tag.empty() && data == Data::kTensor ? node_name : tag; }
};

// Made once and parsed into again and again, so that the list of values keeps its room.
struct Event {
  double wall_time = 0;
  int64_t step = 0;
  What what = What::kNothing;
  const uint8_t* graph = nullptr;  // where the graph's length stands
  std::vector<Value> values;       // of the summary
};

// False if the payload is no Event, down to the messages within a Summary.Value.
bool parse_event(Bytes payload, Event& event);

// plugin_data.plugin_name; empty where there is none.
Bytes plugin_name(Bytes metadata);

}  // namespace lossboard

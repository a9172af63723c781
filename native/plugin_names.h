// Plugin names by number, for the whole process: there are few, and every run has the same.
#pragma once
#include <string>
#include <string_view>

#include "bytes.h"

namespace lossboard {

// Those that values without metadata have, or that the core treats in its own way.
enum Plugin : uint32_t { kNoPlugin, kScalars, kHistograms, kImages, kAudio, kGraphs, kHparams };

// Series of files next to event files have plugins with this prefix. A record that claims one has no plugin.
constexpr std::string_view kAssetPrefix = "asset:";

uint32_t plugin_number(Bytes name);
// StringTable::kMissing for one that no file has named.
uint32_t find_plugin(Bytes name);
std::string plugin_text(uint32_t number);

}  // namespace lossboard

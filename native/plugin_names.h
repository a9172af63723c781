// Plugin names by number. One table for the process, because there are few and all runs share them.
#pragma once
#include <string>
#include <string_view>

#include "bytes.h"

namespace lossboard {

// Plugins that values without metadata imply, or that the core treats specially.
enum Plugin : uint32_t { kNoPlugin, kScalars, kHistograms, kImages, kAudio, kGraphs, kHparams };

// The numbers from here on belong to plugins that no kind reads. The kinds are listed in lossboard/kinds.
constexpr uint32_t kFirstUnknown = 15;

// Series of files next to event files have plugins with this prefix. A record that claims one has no plugin.
constexpr std::string_view kAssetPrefix = "asset:";

uint32_t plugin_number(Bytes name);
// Returns StringTable::kMissing for a name that no file contains.
uint32_t find_plugin(Bytes name);
std::string plugin_text(uint32_t number);

}  // namespace lossboard

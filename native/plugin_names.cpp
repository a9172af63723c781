#include "plugin_names.h"

#include "fork.h"
#include "string_table.h"

namespace lossboard {
namespace {

// Those of the enum, then those of the other kinds.
constexpr std::string_view kKnown[] = {"",
                                       "scalars",
                                       "histograms",
                                       "images",
                                       "audio",
                                       "graphs",
                                       "hparams",
                                       "text",
                                       "pr_curves",
                                       "mesh",
                                       "custom_scalars",
                                       "graph_run_metadata",
                                       "graph_run_metadata_graph",
                                       "graph_keras_model",
                                       "attention"};
static_assert(std::size(kKnown) == kFirstUnknown);

StringTable* make_names() {
  auto* names = new StringTable;
  for (const std::string_view name : kKnown) names->intern(bytes_of(name));
  return names;
}

// Call with process_mutex(). Never destroyed: a thread may still read while the process ends.
StringTable& names() {
  static StringTable& instance = *make_names();
  return instance;
}

}  // namespace

uint32_t plugin_number(Bytes name) {
  if (text(name).starts_with(kAssetPrefix)) return kNoPlugin;
  const std::lock_guard lock(process_mutex());
  return names().intern(name);
}

uint32_t find_plugin(Bytes name) {
  const std::lock_guard lock(process_mutex());
  return names().find(name);
}

std::string plugin_text(uint32_t number) {
  const std::lock_guard lock(process_mutex());
  return std::string(text(names()[number]));
}

}  // namespace lossboard

#include "plugin_names.h"

#include <mutex>

#include "string_table.h"

namespace lossboard {
namespace {

struct Names {
  std::mutex mutex;
  StringTable table;

  Names() {
    for (const std::string_view name : {"", "scalars", "histograms", "images", "audio", "graphs", "hparams"})
      table.intern(bytes_of(name));
  }
};

// Never destroyed: a thread may still read while the process ends.
Names& names() {
  static Names& instance = *new Names;
  return instance;
}

}  // namespace

uint32_t plugin_number(Bytes name) {
  if (text(name).starts_with(kAssetPrefix)) return kNoPlugin;
  const std::lock_guard lock(names().mutex);
  return names().table.intern(name);
}

uint32_t find_plugin(Bytes name) {
  const std::lock_guard lock(names().mutex);
  return names().table.find(name);
}

std::string plugin_text(uint32_t number) {
  const std::lock_guard lock(names().mutex);
  return std::string(text(names().table[number]));
}

}  // namespace lossboard

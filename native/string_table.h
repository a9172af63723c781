// Strings that are stored once and identified by a small number. If memory runs out, the table stays as it
// was.
#pragma once
#include <memory>
#include <vector>

#include "bytes.h"
#include "stable_vector.h"

namespace lossboard {

class StringTable {
 public:
  static constexpr uint32_t kMissing = ~uint32_t{0};

  uint32_t find(Bytes string) const;
  // Returns the number of the string. A new one gets the number size().
  uint32_t intern(Bytes string, Arena* arena = nullptr);
  Bytes operator[](uint32_t number) const { return strings_[number].bytes; }
  uint32_t size() const { return static_cast<uint32_t>(strings_.size()); }

 private:
  struct Entry {
    Bytes bytes;
    uint64_t hash;
  };

  size_t slot(Bytes string, uint64_t hash) const;
  void grow();
  Bytes copy(Bytes string);

  StableVector<Entry> strings_;
  std::vector<uint32_t> slots_;  // open addressing; a power of two, at most half full
  std::vector<std::unique_ptr<uint8_t[]>> chunks_;
  size_t chunk_bytes_ = 0;
  size_t chunk_used_ = 0;
};

}  // namespace lossboard

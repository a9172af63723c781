// Views of bytes, and little-endian loads from any address.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace lossboard {

using Bytes = std::span<const uint8_t>;

template <typename T>
T load(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline Bytes bytes_of(std::string_view string) {
  return {reinterpret_cast<const uint8_t*>(string.data()), string.size()};
}

inline std::string_view text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline bool is_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

// Inlined, for short strings that are mostly equal: a call to memcmp takes longer than they do.
inline bool same_bytes(Bytes a, Bytes b) {
  if (a.size() != b.size()) return false;
  const size_t size = a.size();
  if (size < 8) {
    for (size_t i = 0; i < size; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  for (size_t i = 0; i + 8 <= size; i += 8)
    if (load<uint64_t>(a.data() + i) != load<uint64_t>(b.data() + i)) return false;
  return load<uint64_t>(a.data() + size - 8) == load<uint64_t>(b.data() + size - 8);
}

}  // namespace lossboard

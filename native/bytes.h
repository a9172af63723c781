// Little-endian loads from bytes that nobody has aligned.
#pragma once
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

}  // namespace lossboard

#include "tfrecord.h"

#include <algorithm>

namespace lossboard {
namespace {

// Returns where the next header can begin, given zeros at `at`: a header may begin with up to eleven of them.
size_t skip_zeros(Bytes bytes, size_t at) {
  size_t end = at;
  while (end + 8 <= bytes.size() && load<uint64_t>(&bytes[end]) == 0) end += 8;
  while (end < bytes.size() && bytes[end] == 0) ++end;
  return std::max(at + 1, end - (kHeaderBytes - 1));
}

}  // namespace

size_t find_header(Bytes bytes, HeaderCheck& check) {
  size_t at = 0;
  while (at + kHeaderBytes <= bytes.size()) {
    const auto length = load<uint64_t>(&bytes[at]);
    // No CRC is zero, so zeros are never a header.
    if (length == 0 && load<uint32_t>(&bytes[at + 8]) == 0) {
      at = skip_zeros(bytes, at);
    } else if (length <= kMaxPayloadBytes && check(&bytes[at])) {
      break;
    } else {
      ++at;
    }
  }
  return at;
}

}  // namespace lossboard

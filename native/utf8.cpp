#include "utf8.h"

namespace lossboard {
namespace {

// Returns the length of the sequence at `p`, or 0 if it is not valid. Overlong forms, surrogates and code
// points above U+10FFFF are not UTF-8 (RFC 3629).
size_t sequence(const uint8_t* p, size_t left) {
  const auto tail = [&](size_t i) { return i < left && (p[i] & 0xC0) == 0x80; };
  const uint8_t lead = p[0];
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!tail(1) || !tail(2)) return 0;
    const bool overlong = lead == 0xE0 && p[1] < 0xA0;
    const bool surrogate = lead == 0xED && p[1] > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    const bool overlong = lead == 0xF0 && p[1] < 0x90;
    const bool beyond = lead == 0xF4 && p[1] > 0x8F;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

}  // namespace

bool is_utf8(Bytes bytes) {
  const uint8_t* p = bytes.data();
  const uint8_t* end = p + bytes.size();
  while (p < end) {
    if (end - p >= 8 && (load<uint64_t>(p) & 0x8080808080808080u) == 0) {
      p += 8;
      continue;
    }
    const size_t length = sequence(p, static_cast<size_t>(end - p));
    if (length == 0) return false;
    p += length;
  }
  return true;
}

}  // namespace lossboard

// TFRecord, the framing of an event file. One record is
//   u64 length | u32 masked CRC-32C of the length | payload | u32 masked CRC-32C of the payload
#pragma once
#include <array>

#include "bytes.h"
#include "crc32c.h"

namespace lossboard {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;
constexpr size_t kFrameBytes = kHeaderBytes + kFooterBytes;
// A protobuf message cannot be longer, so a header that claims more is corrupt, whatever its CRC says.
constexpr uint64_t kMaxPayloadBytes = (uint64_t{1} << 31) - 1;

// Checks headers. Most records of a file have one of few lengths, so the CRCs of recent lengths are cached.
class HeaderCheck {
 public:
  bool operator()(const uint8_t* header) {
    const auto length = load<uint64_t>(header);
    const auto crc = load<uint32_t>(header + 8);
    Known& known = known_[length % known_.size()];
    if (known.length == length) return known.crc == crc;
    const uint32_t want = masked_crc32c(header, 8);
    if (want != crc) return false;
    known = {length, want};
    return true;
  }

 private:
  struct Known {
    uint64_t length = ~uint64_t{0};
    uint32_t crc = masked_crc32c("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  };
  std::array<Known, 256> known_;
};

// Returns the offset of the first valid header. Without one, returns bytes.size() - 11 (or 0), because a
// header may begin in the last 11 bytes.
size_t find_header(Bytes bytes, HeaderCheck& check);

}  // namespace lossboard

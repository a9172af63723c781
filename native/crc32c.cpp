#include "crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CRC_INSTRUCTION __attribute__((target("sse4.2")))
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#define CRC_INSTRUCTION __attribute__((target("+crc")))
#endif

namespace lossboard {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, bit-reversed

using ByteTable = std::array<uint32_t, 256>;

// kSlices[k][b]: the effect of byte b on a CRC when k more bytes follow it.
constexpr std::array<ByteTable, 8> kSlices = [] {
  std::array<ByteTable, 8> slices{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    slices[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; ++byte)
    for (int k = 1; k < 8; ++k)
      slices[k][byte] = (slices[k - 1][byte] >> 8) ^ slices[0][slices[k - 1][byte] & 0xFF];
  return slices;
}();

uint64_t load64(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

uint32_t by_table(const uint8_t* p, size_t size, uint32_t crc) {
  for (; size >= 8; p += 8, size -= 8) {
    const uint64_t word = load64(p) ^ crc;
    crc = 0;
    for (int k = 0; k < 8; ++k) crc ^= kSlices[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; size > 0; ++p, --size) crc = (crc >> 8) ^ kSlices[0][(crc ^ *p) & 0xFF];
  return crc;
}

#ifdef CRC_INSTRUCTION

#if defined(__x86_64__)
CRC_INSTRUCTION inline uint64_t step(uint64_t crc, uint64_t word) { return _mm_crc32_u64(crc, word); }
CRC_INSTRUCTION inline uint32_t step(uint32_t crc, uint32_t word) { return _mm_crc32_u32(crc, word); }
CRC_INSTRUCTION inline uint32_t step(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }
bool has_instruction() { return __builtin_cpu_supports("sse4.2"); }
#else
CRC_INSTRUCTION inline uint64_t step(uint64_t crc, uint64_t word) {
  return __crc32cd(static_cast<uint32_t>(crc), word);
}
CRC_INSTRUCTION inline uint32_t step(uint32_t crc, uint32_t word) { return __crc32cw(crc, word); }
CRC_INSTRUCTION inline uint32_t step(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }
#if defined(__linux__)
bool has_instruction() { return getauxval(AT_HWCAP) & HWCAP_CRC32; }
#else
bool has_instruction() { return true; }
#endif
#endif

// The instruction takes three cycles but can be issued every cycle: three lanes hide its latency.
constexpr size_t kLane = 256;

// kShift[k][b]: byte k of a CRC, b, after kLane zero bytes have followed.
constexpr std::array<ByteTable, 4> kShift = [] {
  std::array<uint32_t, 32> column{};
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t crc = 1u << bit;
    for (size_t zero = 0; zero < kLane; ++zero) crc = (crc >> 8) ^ kSlices[0][crc & 0xFF];
    column[bit] = crc;
  }
  std::array<ByteTable, 4> shift{};
  for (int k = 0; k < 4; ++k)
    for (uint32_t byte = 0; byte < 256; ++byte)
      for (int bit = 0; bit < 8; ++bit)
        if (byte >> bit & 1) shift[k][byte] ^= column[8 * k + bit];
  return shift;
}();

inline uint32_t shift(uint32_t crc) {
  return kShift[0][crc & 0xFF] ^ kShift[1][crc >> 8 & 0xFF] ^ kShift[2][crc >> 16 & 0xFF] ^
         kShift[3][crc >> 24];
}

CRC_INSTRUCTION uint32_t by_instruction(const uint8_t* p, size_t size, uint32_t crc) {
  for (; size >= 3 * kLane; p += 3 * kLane, size -= 3 * kLane) {
    uint64_t a = crc, b = 0, c = 0;
    for (size_t i = 0; i < kLane; i += 8) {
      a = step(a, load64(p + i));
      b = step(b, load64(p + kLane + i));
      c = step(c, load64(p + 2 * kLane + i));
    }
    crc = shift(shift(static_cast<uint32_t>(a)) ^ static_cast<uint32_t>(b)) ^ static_cast<uint32_t>(c);
  }
  uint64_t wide = crc;
  for (; size >= 8; p += 8, size -= 8) wide = step(wide, load64(p));
  crc = static_cast<uint32_t>(wide);
  if (size & 4) {
    uint32_t word;
    std::memcpy(&word, p, sizeof word);
    crc = step(crc, word);
    p += 4;
  }
  for (size &= 3; size > 0; ++p, --size) crc = step(crc, *p);
  return crc;
}

const auto best = has_instruction() ? by_instruction : by_table;
#else
constexpr auto best = by_table;
#endif

}  // namespace

uint32_t crc32c(const void* data, size_t size, uint32_t crc) {
  return ~best(static_cast<const uint8_t*>(data), size, ~crc);
}

uint32_t crc32c_portable(const void* data, size_t size, uint32_t crc) {
  return ~by_table(static_cast<const uint8_t*>(data), size, ~crc);
}

}  // namespace lossboard

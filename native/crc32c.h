// CRC-32C (Castagnoli), with the processor's instruction if it has one.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lossboard {

// Returns the CRC of `size` bytes, continuing from `crc` (0 to begin).
uint32_t crc32c(const void* data, size_t size, uint32_t crc = 0);

// The same with tables only, for other processors and for tests.
uint32_t crc32c_portable(const void* data, size_t size, uint32_t crc = 0);

// Event files rotate and offset each CRC, so that the CRC of data that contains CRCs stays strong.
constexpr uint32_t mask_crc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

inline uint32_t masked_crc32c(const void* data, size_t size) { return mask_crc(crc32c(data, size)); }

}  // namespace lossboard

#include "string_table.h"

#include <algorithm>
#include <random>

namespace lossboard {
namespace {

constexpr size_t kFirstChunkBytes = 256;
constexpr size_t kMaxChunkBytes = 64 << 10;

// A different seed in each process, so that nobody can craft a file whose tags all collide.
const uint64_t kSeed = (uint64_t{std::random_device{}()} << 32 | std::random_device{}()) | 1;

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t hash_of(Bytes string) {
  uint64_t hash = kSeed ^ string.size();
  const uint8_t* p = string.data();
  size_t left = string.size();
  for (; left >= 8; p += 8, left -= 8) hash = mix(hash ^ load<uint64_t>(p), 0x9E3779B97F4A7C15u);
  uint64_t tail = 0;
  if (left) std::memcpy(&tail, p, left);
  return mix(hash ^ tail, kSeed);
}

}  // namespace

size_t StringTable::slot(Bytes string, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at] != kMissing; at = (at + 1) & mask) {
    const Entry& entry = strings_[slots_[at]];
    if (entry.hash == hash && same_bytes(entry.bytes, string)) break;
  }
  return at;
}

uint32_t StringTable::find(Bytes string) const {
  return slots_.empty() ? kMissing : slots_[slot(string, hash_of(string))];
}

uint32_t StringTable::intern(Bytes string, Arena* arena) {
  if (2 * strings_.size() >= slots_.size()) grow();
  const uint64_t hash = hash_of(string);
  const size_t at = slot(string, hash);
  if (slots_[at] == kMissing) {
    strings_.emplace_back(arena, copy(string), hash);
    slots_[at] = size() - 1;
  }
  return slots_[at];
}

void StringTable::grow() {
  std::vector<uint32_t> slots(std::max<size_t>(8, slots_.size() * 2), kMissing);
  const size_t mask = slots.size() - 1;
  for (uint32_t number = 0; number < size(); ++number) {
    size_t at = strings_[number].hash & mask;
    while (slots[at] != kMissing) at = (at + 1) & mask;
    slots[at] = number;
  }
  slots_ = std::move(slots);
}

Bytes StringTable::copy(Bytes string) {
  if (chunks_.empty() || string.size() > chunk_bytes_ - chunk_used_) {
    size_t bytes = std::clamp(chunk_bytes_ * 2, kFirstChunkBytes, kMaxChunkBytes);
    bytes = std::max(bytes, string.size());
    chunks_.push_back(std::make_unique_for_overwrite<uint8_t[]>(bytes));
    chunk_bytes_ = bytes;
    chunk_used_ = 0;
  }
  uint8_t* copy = chunks_.back().get() + chunk_used_;
  std::ranges::copy(string, copy);
  chunk_used_ += string.size();
  return {copy, string.size()};
}

}  // namespace lossboard

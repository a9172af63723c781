#include "column.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace lossboard {
namespace {

constexpr size_t kPointBytes = 24;
constexpr size_t kFewPoints = 4;   // enough to predict how many there will be
constexpr size_t kMaxGrowth = 32;  // times the current size, however many are predicted

size_t bytes_for(size_t capacity) { return sizeof(Block) + capacity * kPointBytes; }

size_t next_capacity(size_t size, size_t expected) {
  if (size == 0) return 1;  // may be all: a logdir may have a million series of one point
  if (size < kFewPoints && expected > kMaxGrowth * size) return kFewPoints;
  return std::clamp(expected, size + size / 8 + 4, kMaxGrowth * size);
}

}  // namespace

Block* Block::make(size_t capacity, Arena* arena) {
  if (capacity > std::numeric_limits<uint32_t>::max()) throw std::bad_alloc();
  const Allocation from = allocate(arena, bytes_for(capacity));
  auto* block = new (from.memory) Block;
  block->slab = from.slab;
  block->owners.store(1, std::memory_order_relaxed);
  block->capacity = static_cast<uint32_t>(capacity);
  return block;
}

void Block::release() {
  if (owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  deallocate({this, slab}, bytes_for(capacity));
}

void Column::grow(size_t expected, Arena* arena) {
  const size_t old = capacity_;
  const size_t capacity = next_capacity(size_, expected);
  // A few points stay with malloc, which can reuse their memory when more come.
  if (capacity <= kFewPoints) arena = nullptr;
  if (!block_ || arena || block_->slab || block_->owners.load(std::memory_order_acquire) > 1)
    return move_to(capacity, arena);
  if (capacity > std::numeric_limits<uint32_t>::max()) throw std::bad_alloc();
  // realloc moves large blocks by remapping their pages. Then the later columns move to their new offsets.
  auto* grown = static_cast<Block*>(std::realloc(static_cast<void*>(block_), bytes_for(capacity)));
  if (!grown) throw std::bad_alloc();
  auto* words = reinterpret_cast<uint64_t*>(grown->data);
  std::memmove(words + 2 * capacity, words + 2 * old, size_ * sizeof(uint64_t));
  std::memmove(words + capacity, words + old, size_ * sizeof(uint64_t));
  grown->capacity = capacity_ = static_cast<uint32_t>(capacity);
  block_ = grown;
}

void Column::move_to(size_t capacity, Arena* arena) {
  Block* fresh = Block::make(capacity, arena);
  if (block_) {
    std::memcpy(fresh->steps(), block_->steps(), size_ * sizeof(int64_t));
    std::memcpy(fresh->wall_times(), block_->wall_times(), size_ * sizeof(double));
    std::memcpy(fresh->bits(), block_->bits(), size_ * sizeof(uint64_t));
    block_->release();
  }
  block_ = fresh;
  capacity_ = fresh->capacity;
}

void Column::unshare() {
  if (block_->owners.load(std::memory_order_acquire) > 1) move_to(capacity_);
}

size_t Column::below(int64_t step) const {
  if (size_ == 0 || last_step() < step) return size_;
  const int64_t* steps = block_->steps();
  return static_cast<size_t>(std::lower_bound(steps, steps + size_, step) - steps);
}

}  // namespace lossboard

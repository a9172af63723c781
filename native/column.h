// The points of a series in one growing block: steps, then wall times, then 64 bits of value each.
//
// The block has a reference count, so that Python can view it without a copy while it grows. Points are only
// appended behind those that a view sees. If points must move or be overwritten while a view exists, the
// column moves to a new block first. If memory runs out, the column stays as it was.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "arena.h"

namespace lossboard {

struct Block {
  std::atomic<uint32_t> owners;
  uint32_t capacity;
  Slab* slab;  // that contains it; nullptr if it is from malloc
  alignas(16) unsigned char data[];

  int64_t* steps() { return reinterpret_cast<int64_t*>(data); }
  double* wall_times() { return reinterpret_cast<double*>(steps() + capacity); }
  uint64_t* bits() { return reinterpret_cast<uint64_t*>(wall_times() + capacity); }

  static Block* make(size_t capacity, Arena* arena = nullptr);
  void retain() { owners.fetch_add(1, std::memory_order_relaxed); }
  void release();
};

struct Point {
  int64_t step;
  double wall_time;
  uint64_t bits;
};

class Column {
 public:
  Column() = default;
  Column(Column&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Column& operator=(Column&&) = delete;
  ~Column() {
    if (block_) block_->release();
  }

  size_t size() const { return size_; }
  Block* block() const { return block_; }
  int64_t last_step() const { return block_->steps()[size_ - 1]; }
  Point operator[](size_t i) const {
    return {block_->steps()[i], block_->wall_times()[i], block_->bits()[i]};
  }

  bool full() const { return size_ == capacity_; }
  // Adds capacity for about as many points as are expected in the end, within bounds: enough to grow rarely,
  // and not so much that a wrong prediction wastes memory. Takes it from the arena, if there is one.
  void grow(size_t expected, Arena* arena);

  // Must not be full.
  void append(const Point& point) {
    int64_t* at = block_->steps() + size_;
    *at = point.step;
    *reinterpret_cast<double*>(at + capacity_) = point.wall_time;
    *reinterpret_cast<uint64_t*>(at + 2 * size_t{capacity_}) = point.bits;
    ++size_;
  }

  // Fetches the memory of the next point into the cache.
  void prefetch() const {
    if (!block_) return;
    const int64_t* at = block_->steps() + size_;
    __builtin_prefetch(at, 1);
    __builtin_prefetch(at + capacity_, 1);
    __builtin_prefetch(at + 2 * size_t{capacity_}, 1);
  }

  // Must be called before truncate: afterwards no view shares the block.
  void unshare();
  // Keeps the first `size` points.
  void truncate(size_t size) { size_ = static_cast<uint32_t>(size); }

  // Returns how many points have a smaller step. Steps must be increasing.
  size_t below(int64_t step) const;

 private:
  void move_to(size_t capacity, Arena* arena = nullptr);

  Block* block_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;  // that of the block, which is in another cache line
};

}  // namespace lossboard

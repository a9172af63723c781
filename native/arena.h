// Memory for what a first read stores, allocated from the system in large slabs.
//
// Opening a logdir allocates nearly everything at once, and it lives long. With malloc, the kernel's page
// faults would take as long as decoding does.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lossboard {

// A memory mapping that lives as long as any allocation in it.
class Slab {
 public:
  static Slab* make(size_t bytes);

  // Returns nullptr if there is not enough left.
  void* allocate(size_t bytes);
  // Returns whole pages to the system at once.
  void free(void* memory, size_t bytes);
  void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release();

 private:
  explicit Slab(size_t bytes) : bytes_(bytes) {}

  std::atomic<uint32_t> holders_ = 1;
  size_t bytes_;
  size_t used_ = 0;
};

struct Allocation {
  void* memory = nullptr;
  Slab* slab = nullptr;  // that contains it; nullptr if it is from malloc
};

// Allocates from the current slab of one thread.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (slab_) slab_->release();
  }

  Allocation allocate(size_t bytes);

 private:
  Slab* slab_ = nullptr;
};

// Allocates from the arena, if there is one, else with malloc.
Allocation allocate(Arena* arena, size_t bytes);
void deallocate(const Allocation& allocation, size_t bytes);

}  // namespace lossboard

// Memory for the points of a first read, allocated from the system in large slabs.
//
// Opening a logdir allocates all columns at once, and they live long. With malloc, the kernel's page faults
// would take as long as decoding does.
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

// Allocates from the current slab of one thread.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (slab_) slab_->release();
  }

  struct Allocation {
    void* memory;
    Slab* slab;  // that it must be returned to
  };
  Allocation allocate(size_t bytes);

 private:
  Slab* slab_ = nullptr;
};

}  // namespace lossboard

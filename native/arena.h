// Memory for the points of a first read, taken from the system in large pieces.
//
// A logdir that is opened needs its columns at once and keeps them long. Piece by piece from malloc, the
// kernel's handing out of small pages would take as long as the decoding does.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lossboard {

// A mapping that lives as long as anything in it.
class Slab {
 public:
  static Slab* make(size_t bytes);

  // Room for `bytes`, held until given back; nullptr if there is not enough left.
  void* take(size_t bytes);
  // Whole pages of it go back to the system at once.
  void give_back(void* memory, size_t bytes);
  void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release();

 private:
  explicit Slab(size_t bytes) : bytes_(bytes) {}

  std::atomic<uint32_t> holders_ = 1;
  size_t bytes_;
  size_t used_ = 0;
};

// The slabs of one thread, one after the other.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (slab_) slab_->release();
  }

  struct Room {
    void* memory;
    Slab* slab;  // that it is to be given back to
  };
  Room take(size_t bytes);

 private:
  Slab* slab_ = nullptr;
};

}  // namespace lossboard

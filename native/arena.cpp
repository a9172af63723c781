#include "arena.h"

#include <sys/mman.h>

#include <new>

namespace lossboard {
namespace {

// Only what is touched takes memory, so this is generous with addresses.
constexpr size_t kSlabBytes = 64 << 20;
// Large pages only where this much is used: the kernel clears a whole one at the first touch.
constexpr size_t kSmallPagesBytes = 1 << 20;
constexpr size_t kPageBytes = 64 << 10;  // the largest of any system that we know
constexpr size_t kAlignment = 16;

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

Slab* Slab::make(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // A wish: without it everything works, slower.
  if (bytes > kSmallPagesBytes)
    madvise(static_cast<std::byte*>(memory) + kSmallPagesBytes, bytes - kSmallPagesBytes, MADV_HUGEPAGE);
#endif
  Slab* slab = new (memory) Slab(bytes);
  slab->used_ = rounded_up(sizeof(Slab), kAlignment);
  return slab;
}

void* Slab::take(size_t bytes) {
  bytes = rounded_up(bytes, kAlignment);
  if (bytes > bytes_ - used_) return nullptr;
  retain();
  void* memory = reinterpret_cast<std::byte*>(this) + used_;
  used_ += bytes;
  return memory;
}

void Slab::give_back(void* memory, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = rounded_up(begin, kPageBytes);
  const uintptr_t last = (begin + bytes) / kPageBytes * kPageBytes;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  release();
}

void Slab::release() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) munmap(this, bytes_);
}

Arena::Room Arena::take(size_t bytes) {
  void* memory = slab_ ? slab_->take(bytes) : nullptr;
  if (memory) return {memory, slab_};
  if (bytes > kSlabBytes / 4) {  // a slab of its own, rather than the end of the last one wasted
    Slab* own = Slab::make(rounded_up(bytes + kPageBytes, kPageBytes));
    memory = own->take(bytes);
    own->release();
    return {memory, own};
  }
  if (slab_) slab_->release();
  slab_ = nullptr;  // should there be no memory for another
  slab_ = Slab::make(kSlabBytes);
  return {slab_->take(bytes), slab_};
}

}  // namespace lossboard

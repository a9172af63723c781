#include "arena.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace lossboard {
namespace {

// Only pages that are touched take memory, so a slab can be large.
constexpr size_t kSlabBytes = 64 << 20;
constexpr size_t kHugePageBytes = 2 << 20;
constexpr size_t kPageBytes = 64 << 10;  // the largest base page of any known system
constexpr size_t kAlignment = 16;

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Returns a mapping that begins where a huge page can begin.
std::byte* map_aligned(size_t bytes) {
  void* memory =
      mmap(nullptr, bytes + kHugePageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(memory);
  const size_t before =
      rounded_up(reinterpret_cast<uintptr_t>(begin), kHugePageBytes) - reinterpret_cast<uintptr_t>(begin);
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePageBytes - before);
  return begin + before;
}

}  // namespace

Slab* Slab::make(size_t bytes) {
  std::byte* memory = map_aligned(bytes);
#ifdef MADV_HUGEPAGE
  // Best effort: without huge pages, loading is only slower.
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  Slab* slab = new (memory) Slab(bytes);
  slab->used_ = rounded_up(sizeof(Slab), kAlignment);
  return slab;
}

void* Slab::allocate(size_t bytes) {
  bytes = rounded_up(bytes, kAlignment);
  if (bytes > bytes_ - used_) return nullptr;
  retain();
  void* memory = reinterpret_cast<std::byte*>(this) + used_;
  used_ += bytes;
  return memory;
}

void Slab::free(void* memory, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = rounded_up(begin, kPageBytes);
  const uintptr_t last = (begin + bytes) / kPageBytes * kPageBytes;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  release();
}

void Slab::release() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) munmap(this, bytes_);
}

Allocation Arena::allocate(size_t bytes) {
  void* memory = slab_ ? slab_->allocate(bytes) : nullptr;
  if (memory) return {memory, slab_};
  if (bytes > kSlabBytes / 4) {  // its own slab, so that the end of the current one is not wasted
    Slab* own = Slab::make(rounded_up(bytes + kPageBytes, kPageBytes));
    memory = own->allocate(bytes);
    own->release();
    return {memory, own};
  }
  Slab* fresh = Slab::make(kSlabBytes);
  if (slab_) slab_->release();
  slab_ = fresh;
  return {slab_->allocate(bytes), slab_};
}

Allocation allocate(Arena* arena, size_t bytes) {
  if (arena) return arena->allocate(bytes);
  void* memory = std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return {memory, nullptr};
}

void deallocate(const Allocation& allocation, size_t bytes) {
  if (allocation.slab)
    allocation.slab->free(allocation.memory, bytes);
  else
    std::free(allocation.memory);
}

}  // namespace lossboard

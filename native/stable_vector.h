// A vector whose elements never move. It grows by chunks that double, so it never copies, and an empty one
// takes no memory. If memory runs out, it stays as it was.
#pragma once
#include <bit>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "arena.h"

namespace lossboard {

template <typename T>
class StableVector {
 public:
  StableVector() = default;
  StableVector(StableVector&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {}
  StableVector& operator=(StableVector&& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~StableVector() {
    for (size_t i = 0; i < size_; ++i) (*this)[i].~T();
    for (size_t i = 0; i < chunks_.size(); ++i) deallocate(chunks_[i], chunk_size(i) * sizeof(T));
  }

  size_t size() const { return size_; }
  T& operator[](size_t i) { return *at(i); }
  const T& operator[](size_t i) const { return *at(i); }

  // Takes memory from the arena, if there is one.
  template <typename... Arguments>
  T& emplace_back(Arena* arena, Arguments&&... arguments) {
    if (chunk_of(size_) == chunks_.size()) {
      chunks_.emplace_back();  // first, as it may throw
      try {
        chunks_.back() = allocate(arena, chunk_size(chunks_.size() - 1) * sizeof(T));
      } catch (const std::bad_alloc&) {
        chunks_.pop_back();
        throw;
      }
    }
    T* added = new (at(size_)) T{std::forward<Arguments>(arguments)...};
    ++size_;
    return *added;
  }

 private:
  // The chunks have 2, 2, 4, 8 … elements.
  static size_t chunk_of(size_t i) { return static_cast<size_t>(std::bit_width(i / 2)); }
  static size_t chunk_begin(size_t chunk) { return chunk == 0 ? 0 : size_t{1} << chunk; }
  static size_t chunk_size(size_t chunk) { return chunk == 0 ? 2 : size_t{1} << chunk; }

  T* at(size_t i) const {
    const size_t chunk = chunk_of(i);
    return static_cast<T*>(chunks_[chunk].memory) + (i - chunk_begin(chunk));
  }

  std::vector<Allocation> chunks_;
  size_t size_ = 0;
};

}  // namespace lossboard

// NumPy arrays that own the memory of a vector.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace lossboard {

template <typename T>
nanobind::object to_numpy(std::vector<T> source) {
  auto owned = std::make_unique<std::vector<T>>(std::move(source));
  T* data = owned->data();
  const size_t size = owned->size();
  nanobind::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(data, {size}, owner));
}

}  // namespace lossboard

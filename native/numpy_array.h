// NumPy arrays that own the memory of a vector.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace lossboard {

template <typename T>
nanobind::object to_numpy(std::vector<T> source, std::initializer_list<size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(source));
  T* data = owned->data();
  nanobind::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data, shape, owner));
}

template <typename T>
nanobind::object to_numpy(std::vector<T> source) {
  const size_t size = source.size();
  return to_numpy(std::move(source), {size});
}

}  // namespace lossboard

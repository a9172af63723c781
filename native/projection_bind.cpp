// Python bindings of the projections.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gil.h"
#include "numpy_array.h"
#include "projection.h"

namespace nb = nanobind;

namespace lossboard {
namespace {

using namespace projection;
using FloatArray = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntArray = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using VectorArray = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr size_t kMaxRows = size_t{1} << 30;

Matrix matrix_of(const FloatArray& array) { return {array.data(), array.shape(0), array.shape(1)}; }

nb::object to_numpy(Rows rows) {
  return lossboard::to_numpy(std::move(rows.data), {rows.rows, rows.columns});
}

float euclidean_distance(const float* a, const float* b, size_t size) {
  return std::sqrt(squared_distance(a, b, size));
}

/// Returns 1 if a vector is zero and so has no direction.
float cosine_distance(const float* a, const float* b, size_t size) {
  const float lengths = std::sqrt(dot(a, a, size)) * std::sqrt(dot(b, b, size));
  return lengths > 0 ? 1 - dot(a, b, size) / lengths : 1;
}

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

void require_neighbors(const FloatArray& rows, size_t k) {
  require(rows.shape(0) < kMaxRows, "Too many rows.");
  require(k >= 1 && k < rows.shape(0), "k must be at least 1 and less than the number of rows.");
}

Neighbors neighbors_of(const IntArray& indices, const FloatArray& distances, const FloatArray& start) {
  const size_t rows = indices.shape(0), k = indices.shape(1);
  require(rows >= 1 && k >= 1 && distances.shape(0) == rows && distances.shape(1) == k,
          "Indices and distances must have the same shape, with at least one neighbor.");
  require(start.shape(0) == rows && (start.shape(1) == 2 || start.shape(1) == 3),
          "The start must have 2 or 3 columns and a row for each row of the neighbors.");
  const auto is_row = [&](int32_t i) { return i >= 0 && static_cast<size_t>(i) < rows; };
  require(std::all_of(indices.data(), indices.data() + rows * k, is_row), "A neighbor is not a row.");
  return {rows, k, std::vector(indices.data(), indices.data() + rows * k),
          std::vector(distances.data(), distances.data() + rows * k)};
}

Pca pca(const FloatArray& rows, size_t components, Progress& progress) {
  require(rows.shape(0) >= 2 && rows.shape(1) >= 1 && components >= 1,
          "A PCA needs at least two rows, one column and one component.");
  return without_gil([&] { return fit_pca(matrix_of(rows), components, progress); });
}

nb::object pca_transform(const Pca& self, const FloatArray& rows) {
  require(rows.shape(1) == self.mean.size(), "The rows must have as many columns as the fitted ones.");
  return to_numpy(without_gil([&] { return transform(self, matrix_of(rows)); }));
}

nb::tuple neighbors(const FloatArray& rows, size_t k, bool exact, uint64_t seed, Progress& progress) {
  require_neighbors(rows, k);
  Neighbors found = without_gil([&] {
    return exact ? exact_neighbors(matrix_of(rows), k, progress)
                 : approximate_neighbors(matrix_of(rows), k, seed, progress);
  });
  return nb::make_tuple(lossboard::to_numpy(std::move(found.indices), {found.rows, k}),
                        lossboard::to_numpy(std::move(found.distances), {found.rows, k}));
}

nb::object bound_umap(const IntArray& indices, const FloatArray& distances, const FloatArray& start,
                      const std::vector<int>& epochs, double min_dist, uint64_t seed, Progress& progress) {
  const Neighbors graph = neighbors_of(indices, distances, start);
  require(!epochs.empty() && *std::min_element(epochs.begin(), epochs.end()) > 0,
          "Each schedule needs at least one epoch.");
  return to_numpy(
      without_gil([&] { return umap(graph, matrix_of(start), {min_dist, epochs, seed}, progress); }));
}

nb::object bound_tsne(const IntArray& indices, const FloatArray& distances, const FloatArray& start,
                      double perplexity, double learning_rate, int exaggerated_iterations, int iterations,
                      Progress& progress) {
  const Neighbors graph = neighbors_of(indices, distances, start);
  require(perplexity > 0 && exaggerated_iterations >= 0 && iterations >= 0,
          "The perplexity must be positive, and iterations must not be negative.");
  const TsneOptions options{perplexity, learning_rate, exaggerated_iterations, iterations};
  return to_numpy(without_gil([&] { return tsne(graph, matrix_of(start), options, progress); }));
}

nb::object bound_place_rows(const FloatArray& placed, const FloatArray& layout, const FloatArray& rows,
                            uint64_t seed, Progress& progress) {
  require(placed.shape(0) >= 2 && placed.shape(0) == layout.shape(0) && placed.shape(1) == rows.shape(1) &&
              (layout.shape(1) == 2 || layout.shape(1) == 3),
          "The layout must have 2 or 3 columns and a row for each placed row.");
  return to_numpy(without_gil(
      [&] { return place_rows(matrix_of(placed), matrix_of(layout), matrix_of(rows), seed, progress); }));
}

nb::object distances(const FloatArray& rows, const VectorArray& vector, bool cosine) {
  require(rows.shape(1) == vector.shape(0), "The vector must have as many numbers as the rows have columns.");
  const Matrix matrix = matrix_of(rows);
  std::vector<float> result(matrix.rows);
  const auto measure = cosine ? cosine_distance : euclidean_distance;
  without_gil([&] {
    parallel_for(matrix.rows, 4096, Progress(), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) result[i] = measure(matrix.row(i), vector.data(), matrix.columns);
    });
    return 0;
  });
  return lossboard::to_numpy(std::move(result), {matrix.rows});
}

std::pair<double, double> bound_quality(const FloatArray& rows, const FloatArray& layout, size_t k,
                                        size_t samples, uint64_t seed) {
  require_neighbors(rows, k);
  require(rows.shape(0) == layout.shape(0) && samples >= 1 && 2 * rows.shape(0) > 3 * k + 1,
          "The layout must have a row for each row, and k must be less than two thirds of the rows.");
  const Quality quality =
      without_gil([&] { return layout_quality(matrix_of(rows), matrix_of(layout), k, samples, seed); });
  return {quality.trustworthiness, quality.recall};
}

nb::object published_layout(const Progress& self) {
  auto found = without_gil([&] { return self.layout(); });
  if (!found) return nb::none();
  return nb::make_tuple(found->first, to_numpy(std::move(found->second)));
}

}  // namespace

void bind_projection(nb::module_& m) {
  nb::exception<Cancelled>(m, "ProjectionCancelled");
  nb::class_<Progress>(m, "Progress")
      .def(nb::init<>())
      .def("cancel", &Progress::cancel)
      .def_prop_ro("is_cancelled", &Progress::is_cancelled)
      .def_prop_ro("fraction", &Progress::fraction)
      .def_prop_ro("stage", &Progress::stage)
      .def("layout", &published_layout);
  nb::class_<Pca>(m, "Pca")
      .def_prop_ro("mean", [](const Pca& self) { return lossboard::to_numpy(self.mean, {self.mean.size()}); })
      .def_prop_ro("components", [](const Pca& self) { return to_numpy(self.components); })
      .def_prop_ro(
          "variances",
          [](const Pca& self) { return lossboard::to_numpy(self.variances, {self.variances.size()}); })
      .def_ro("total_variance", &Pca::total_variance)
      .def("transform", &pca_transform);
  m.def("pca", &pca, nb::arg("rows"), nb::arg("components"), nb::arg("progress"));
  m.def("neighbors", &neighbors, nb::arg("rows"), nb::arg("k"), nb::kw_only(), nb::arg("exact"),
        nb::arg("seed"), nb::arg("progress"));
  m.def("umap", &bound_umap, nb::arg("indices"), nb::arg("distances"), nb::arg("start"), nb::kw_only(),
        nb::arg("epochs"), nb::arg("min_dist"), nb::arg("seed"), nb::arg("progress"));
  m.def("tsne", &bound_tsne, nb::arg("indices"), nb::arg("distances"), nb::arg("start"), nb::kw_only(),
        nb::arg("perplexity"), nb::arg("learning_rate"), nb::arg("exaggerated_iterations"),
        nb::arg("iterations"), nb::arg("progress"));
  m.def("place_rows", &bound_place_rows, nb::arg("placed"), nb::arg("layout"), nb::arg("rows"), nb::kw_only(),
        nb::arg("seed"), nb::arg("progress"));
  m.def("distances", &distances, nb::arg("rows"), nb::arg("vector"), nb::kw_only(), nb::arg("cosine"));
  m.def("layout_quality", &bound_quality, nb::arg("rows"), nb::arg("layout"), nb::kw_only(), nb::arg("k"),
        nb::arg("samples"), nb::arg("seed"));
}

}  // namespace lossboard

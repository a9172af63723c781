// Exact principal components. Computes the covariance in tiles, then its largest eigenvectors by Lanczos
// iteration with full reorthogonalization. Wide matrices, and those with fewer rows than columns, are applied
// directly instead of forming their covariance.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "projection.h"
#include "projection_tiles.h"

namespace lossboard::projection {
namespace {

constexpr size_t kMaxCovarianceColumns = 2048;
constexpr size_t kBlockRows = 256;    // summed in float32 before they are added in float64
constexpr size_t kExactColumns = 96;  // iterated to the end, so that equal eigenvalues are all found
constexpr double kTolerance = 1e-9;

using Vector = std::vector<double>;

double inner(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector column_means(const Matrix& rows) {
  Vector mean(rows.columns);
  for (size_t i = 0; i < rows.rows; ++i)
    for (size_t j = 0; j < rows.columns; ++j) mean[j] += rows.row(i)[j];
  for (double& one : mean) one /= static_cast<double>(rows.rows);
  return mean;
}

double total_variance(const Matrix& rows, const Vector& mean) {
  Vector squares(rows.columns);
  for (size_t i = 0; i < rows.rows; ++i)
    for (size_t j = 0; j < rows.columns; ++j) {
      const double d = rows.row(i)[j] - mean[j];
      squares[j] += d * d;
    }
  return std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(rows.rows - 1);
}

/// Columns of centered rows, in panels of 16.
void pack_columns(const Matrix& rows, const Vector& mean, size_t first, size_t count,
                  std::vector<float>& out) {
  std::fill(out.begin(), out.end(), 0.0f);
  for (size_t r = 0; r < count; ++r)
    for (size_t j = 0; j < rows.columns; ++j)
      out[(j / kPanel * kBlockRows + r) * kPanel + j % kPanel] =
          static_cast<float>(rows.row(first + r)[j] - mean[j]);
}

void add_tile(const float* tile, size_t row, size_t column, size_t size, Vector& sums) {
  for (size_t i = 0; i < kPanel && row + i < size; ++i)
    for (size_t j = 0; j < kPanel && column + j < size; ++j)
      sums[(row + i) * size + column + j] += tile[i * kPanel + j];
}

/// The covariance times (rows − 1), summed up in two parts whose order is fixed.
Vector covariance_sums(const Matrix& rows, const Vector& mean, Progress& progress) {
  const size_t size = rows.columns, panels = panels_of(size);
  std::array<Vector, kParts> sums;
  parallel_for(kParts, 1, progress, [&](size_t part, size_t) {
    sums[part].resize(size * size);
    std::vector<float> packed(panels * kPanel * kBlockRows);
    float tile[kPanel * kPanel];
    const auto [begin, end] = part_of(rows.rows, part);
    for (size_t first = begin; first < end && !progress.is_cancelled(); first += kBlockRows) {
      pack_columns(rows, mean, first, std::min(kBlockRows, end - first), packed);
      for (size_t p = 0; p < panels; ++p)
        for (size_t q = p; q < panels; ++q) {
          multiply_tile(&packed[p * kPanel * kBlockRows], &packed[q * kPanel * kBlockRows], kBlockRows, tile);
          add_tile(tile, p * kPanel, q * kPanel, size, sums[part]);
        }
    }
  });
  progress.update(0.8);
  Vector& all = sums[0];
  for (size_t i = 0; i < size; ++i)
    for (size_t j = i; j < size; ++j) {
      for (size_t part = 1; part < kParts; ++part) all[i * size + j] += sums[part][i * size + j];
      all[j * size + i] = all[i * size + j];
    }
  return std::move(all);
}

/// Multiplies a vector with the covariance.
class Covariance {
 public:
  Covariance(const Matrix& rows, const Vector& mean, Progress& progress)
      : rows_(rows), mean_(mean), scale_(1 / static_cast<double>(rows.rows - 1)) {
    if (rows.columns <= kMaxCovarianceColumns && rows.columns <= 2 * rows.rows)
      sums_ = covariance_sums(rows, mean, progress);
  }

  Vector times(const Vector& v) const {
    Vector result(v.size());
    if (!sums_.empty()) {
      for (size_t j = 0; j < v.size(); ++j)
        for (size_t i = 0; i < v.size(); ++i) result[i] += sums_[j * v.size() + i] * v[j];
    } else {
      const double offset = inner(mean_, v);
      for (size_t r = 0; r < rows_.rows; ++r) {
        const float* row = rows_.row(r);
        const double along = std::inner_product(row, row + v.size(), v.begin(), -offset);
        for (size_t j = 0; j < v.size(); ++j) result[j] += along * (row[j] - mean_[j]);
      }
    }
    for (double& one : result) one *= scale_;
    return result;
  }

 private:
  const Matrix& rows_;
  const Vector& mean_;
  double scale_;
  Vector sums_;
};

/// Eigenvalues and eigenvectors, one per row, of a symmetric tridiagonal matrix, by implicit QL steps.
void solve_tridiagonal(Vector& diagonal, Vector off, Vector& vectors) {
  const size_t n = diagonal.size();
  vectors.assign(n * n, 0);
  for (size_t i = 0; i < n; ++i) vectors[i * n + i] = 1;
  off.resize(n);
  for (size_t l = 0; l < n; ++l) {
    for (int sweep = 0; sweep < 60; ++sweep) {
      size_t m = l;
      while (m + 1 < n && std::abs(off[m]) > 1e-16 * (std::abs(diagonal[m]) + std::abs(diagonal[m + 1]))) ++m;
      if (m == l) break;
      double g = (diagonal[l + 1] - diagonal[l]) / (2 * off[l]);
      const double r0 = std::hypot(g, 1.0);
      g = diagonal[m] - diagonal[l] + off[l] / (g + std::copysign(r0, g));
      double s = 1, c = 1, p = 0;
      bool split = false;
      for (size_t i = m; i-- > l;) {
        double f = s * off[i];
        const double b = c * off[i], r = std::hypot(f, g);
        off[i + 1] = r;
        if (r == 0) {
          diagonal[i + 1] -= p;
          off[m] = 0;
          split = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = diagonal[i + 1] - p;
        const double t = (diagonal[i] - g) * s + 2 * c * b;
        p = s * t;
        diagonal[i + 1] = g + p;
        g = c * t - b;
        double *low = &vectors[i * n], *high = &vectors[(i + 1) * n];
        for (size_t k = 0; k < n; ++k) {
          f = high[k];
          high[k] = s * low[k] + c * f;
          low[k] = c * low[k] - s * f;
        }
      }
      if (split) continue;
      diagonal[l] -= p;
      off[l] = g;
      off[m] = 0;
    }
  }
}

struct Ritz {
  Vector values;   // in descending order
  Vector vectors;  // one per row, in the Krylov basis
  double worst_residual = 0;
};

Ritz ritz_pairs(const Vector& diagonal, const Vector& off, double last_off, size_t count) {
  Vector values = diagonal, vectors;
  solve_tridiagonal(values, off, vectors);
  const size_t n = values.size();
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
  Ritz result;
  for (size_t i = 0; i < std::min(count, n); ++i) {
    const double* vector = &vectors[order[i] * n];
    result.values.push_back(values[order[i]]);
    result.vectors.insert(result.vectors.end(), vector, vector + n);
    result.worst_residual = std::max(result.worst_residual, std::abs(last_off * vector[n - 1]));
  }
  return result;
}

/// Makes `v` orthogonal to the basis, twice for precision, and returns its length.
double orthogonalize(Vector& v, const std::vector<Vector>& basis) {
  for (int pass = 0; pass < 2; ++pass)
    for (const Vector& one : basis) {
      const double along = inner(one, v);
      for (size_t i = 0; i < v.size(); ++i) v[i] -= along * one[i];
    }
  return std::sqrt(inner(v, v));
}

Vector random_unit(const std::vector<Vector>& basis, size_t size, Random& random) {
  Vector v(size);
  for (double& one : v) one = random.unit() - 0.5;
  const double length = orthogonalize(v, basis);
  for (double& one : v) one /= length;
  return v;
}

/// The largest `count` eigenvalues and their vectors. `basis` gets the Krylov basis of the vectors.
Ritz lanczos(const Covariance& covariance, size_t size, size_t count, std::vector<Vector>& basis,
             Progress& progress) {
  Random random(1);
  Vector diagonal, off;
  basis.push_back(random_unit(basis, size, random));
  size_t next_check = size <= kExactColumns ? size : std::min(size, 4 * count + 16);
  for (;;) {
    progress.update(0.9);
    Vector v = covariance.times(basis.back());
    diagonal.push_back(inner(v, basis.back()));
    const double length = orthogonalize(v, basis);
    const size_t steps = basis.size();
    if (steps == next_check || steps == size) {
      Ritz found = ritz_pairs(diagonal, off, length, count);
      if (steps == size || found.worst_residual <= kTolerance * std::abs(found.values[0])) return found;
      next_check = std::min(size, steps + steps / 2);
    }
    const bool broke_down = length <= 1e-12 * std::abs(diagonal[0]) || length == 0;
    if (!broke_down)
      for (double& one : v) one /= length;
    off.push_back(broke_down ? 0 : length);
    basis.push_back(broke_down ? random_unit(basis, size, random) : std::move(v));
  }
}

/// Sets the sign so that the largest entry is positive. The iteration would give either sign.
void fix_sign(float* component, size_t size) {
  const float* largest = std::max_element(component, component + size,
                                          [](float a, float b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0)
    for (size_t i = 0; i < size; ++i) component[i] = -component[i];
}

}  // namespace

Pca fit_pca(const Matrix& rows, size_t components, Progress& progress) {
  const size_t size = rows.columns, count = std::min({components, size, rows.rows});
  Pca result;
  result.mean = column_means(rows);
  result.total_variance = total_variance(rows, result.mean);
  const Covariance covariance(rows, result.mean, progress);
  std::vector<Vector> basis;
  const Ritz found = lanczos(covariance, size, count, basis, progress);
  result.components = Rows(count, size);
  for (size_t c = 0; c < count; ++c) {
    Vector component(size);
    const double* weights = &found.vectors[c * basis.size()];
    for (size_t i = 0; i < basis.size(); ++i)
      for (size_t j = 0; j < size; ++j) component[j] += weights[i] * basis[i][j];
    std::copy(component.begin(), component.end(), result.components.row(c));
    fix_sign(result.components.row(c), size);
    result.variances.push_back(std::max(0.0, found.values[c]));
  }
  return result;
}

Rows transform(const Pca& pca, const Matrix& rows) {
  Rows result(rows.rows, pca.components.rows);
  std::vector<float> centered(rows.columns);
  for (size_t i = 0; i < rows.rows; ++i) {
    for (size_t j = 0; j < rows.columns; ++j) centered[j] = static_cast<float>(rows.row(i)[j] - pca.mean[j]);
    for (size_t c = 0; c < pca.components.rows; ++c)
      result.row(i)[c] = dot(centered.data(), pca.components.row(c), rows.columns);
  }
  return result;
}

}  // namespace lossboard::projection

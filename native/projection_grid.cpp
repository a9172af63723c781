#include "projection_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace lossboard::projection {
namespace {

constexpr size_t kLanes = 16;  // columns that are transformed together
// The forces vary over a distance of about 1. A fine grid is cheap up to a size of 512.
constexpr size_t kMinSize = 64, kCheapSize = 512, kMaxSize = 1024;
constexpr float kFineSpacing = 0.35f, kMaxSpacing = 0.7f;
constexpr size_t kMargin = 4;    // nodes at the border that stencils need
constexpr float kGrowth = 1.1f;  // the span is rounded up to its powers, so that kernels stay valid

/// One radix-4 step of a decimation in frequency, on 16 columns. The order of the result does not matter for
/// a convolution: `join_four` undoes it exactly.
WIDEST_VECTORS void split_four(float* re, float* im, size_t quarter, const float* cosine, const float* sine,
                               size_t stride) {
  const size_t q = quarter * kLanes;
  for (size_t j = 0; j < quarter; ++j) {
    const float c1 = cosine[j * stride], s1 = -sine[j * stride];
    const float c2 = cosine[2 * j * stride], s2 = -sine[2 * j * stride];
    const float c3 = cosine[3 * j * stride], s3 = -sine[3 * j * stride];
    float *r = re + j * kLanes, *m = im + j * kLanes;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float r0 = r[lane], r1 = r[lane + q], r2 = r[lane + 2 * q], r3 = r[lane + 3 * q];
      const float i0 = m[lane], i1 = m[lane + q], i2 = m[lane + 2 * q], i3 = m[lane + 3 * q];
      const float ar = r0 + r2, ai = i0 + i2, br = r0 - r2, bi = i0 - i2;
      const float cr = r1 + r3, ci = i1 + i3, dr = i1 - i3, di = r3 - r1;  // −i (a1 − a3)
      const float y1r = br + dr, y1i = bi + di, y2r = ar - cr, y2i = ai - ci, y3r = br - dr, y3i = bi - di;
      r[lane] = ar + cr;
      m[lane] = ai + ci;
      r[lane + q] = y1r * c1 - y1i * s1;
      m[lane + q] = y1r * s1 + y1i * c1;
      r[lane + 2 * q] = y2r * c2 - y2i * s2;
      m[lane + 2 * q] = y2r * s2 + y2i * c2;
      r[lane + 3 * q] = y3r * c3 - y3i * s3;
      m[lane + 3 * q] = y3r * s3 + y3i * c3;
    }
  }
}

WIDEST_VECTORS void join_four(float* re, float* im, size_t quarter, const float* cosine, const float* sine,
                              size_t stride) {
  const size_t q = quarter * kLanes;
  for (size_t j = 0; j < quarter; ++j) {
    const float c1 = cosine[j * stride], s1 = sine[j * stride];
    const float c2 = cosine[2 * j * stride], s2 = sine[2 * j * stride];
    const float c3 = cosine[3 * j * stride], s3 = sine[3 * j * stride];
    float *r = re + j * kLanes, *m = im + j * kLanes;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float z0r = r[lane], z0i = m[lane];
      const float z1r = r[lane + q] * c1 - m[lane + q] * s1, z1i = r[lane + q] * s1 + m[lane + q] * c1;
      const float z2r = r[lane + 2 * q] * c2 - m[lane + 2 * q] * s2;
      const float z2i = r[lane + 2 * q] * s2 + m[lane + 2 * q] * c2;
      const float z3r = r[lane + 3 * q] * c3 - m[lane + 3 * q] * s3;
      const float z3i = r[lane + 3 * q] * s3 + m[lane + 3 * q] * c3;
      const float ar = z0r + z2r, ai = z0i + z2i, br = z0r - z2r, bi = z0i - z2i;
      const float cr = z1r + z3r, ci = z1i + z3i, dr = z3i - z1i, di = z1r - z3r;  // i (z1 − z3)
      r[lane] = ar + cr;
      m[lane] = ai + ci;
      r[lane + q] = br + dr;
      m[lane + q] = bi + di;
      r[lane + 2 * q] = ar - cr;
      m[lane + 2 * q] = ai - ci;
      r[lane + 3 * q] = br - dr;
      m[lane + 3 * q] = bi - di;
    }
  }
}

WIDEST_VECTORS void add_and_subtract(float* re, float* im) {
  for (float* part : {re, im})
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float a = part[lane], b = part[lane + kLanes];
      part[lane] = a + b;
      part[lane + kLanes] = a - b;
    }
}

/// Multiplies the transformed charges with a force kernel. Returns their sum of squares, weighted by the
/// potential.
WIDEST_VECTORS double multiply(float* re, float* im, const float* kernel_re, const float* kernel_im,
                               const float* potential) {
  float sums[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const float r = re[lane], i = im[lane];
    sums[lane] = (r * r + i * i) * potential[lane];
    re[lane] = r * kernel_re[lane] - i * kernel_im[lane];
    im[lane] = r * kernel_im[lane] + i * kernel_re[lane];
  }
  double sum = 0;
  for (float one : sums) sum += one;
  return sum;
}

/// Cubic interpolation between the nodes −1, 0, 1 and 2.
void cubic_weights(float t, float* out) {
  out[0] = -t * (t - 1) * (t - 2) / 6;
  out[1] = (t + 1) * (t - 1) * (t - 2) / 2;
  out[2] = -(t + 1) * t * (t - 2) / 2;
  out[3] = (t + 1) * t * (t - 1) / 6;
}

}  // namespace

struct RepulsionGrid::Column {
  std::vector<float> re, im;  // size × 16
};

void RepulsionGrid::choose_grid(const Rows& layout) {
  float low[2], high[2];
  for (size_t d = 0; d < 2; ++d) {
    low[d] = high[d] = layout.data[d];
    for (size_t i = 0; i < layout.rows; ++i) {
      low[d] = std::min(low[d], layout.row(i)[d]);
      high[d] = std::max(high[d], layout.row(i)[d]);
    }
  }
  const float wanted = std::max({high[0] - low[0], high[1] - low[1], 1.0f});
  if (wanted > span_ || wanted * kGrowth * kGrowth < span_) {
    span_ = std::pow(kGrowth, std::ceil(std::log(wanted) / std::log(kGrowth)) + 0.01f);
    const auto spacing_of = [&](size_t size) { return span_ / static_cast<float>(size / 2 - kMargin); };
    size_ = kMinSize;
    while (size_ < kMaxSize && spacing_of(size_) > (size_ < kCheapSize ? kFineSpacing : kMaxSpacing))
      size_ *= 2;
    spacing_ = spacing_of(size_);
    potential_kernel_.clear();
  }
  for (size_t d = 0; d < 2; ++d) origin_[d] = (low[d] + high[d] - span_) / 2;
}

void RepulsionGrid::make_kernels() {
  const size_t n = size_;
  cosine_.resize(n);
  sine_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    cosine_[i] = static_cast<float>(std::cos(angle));
    sine_[i] = static_cast<float>(std::sin(angle));
  }
  for (auto* grid : {&re_, &im_, &half_re_, &half_im_, &other_re_, &other_im_}) grid->assign(n * n, 0);
  const auto offset = [&](size_t i) {
    return (i < n / 2 ? static_cast<float>(i) : static_cast<float>(i) - static_cast<float>(n)) * spacing_;
  };
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) re_[i * n + j] = 1 / (1 + offset(i) * offset(i) + offset(j) * offset(j));
  std::vector<float> unused;
  transform_kernel(potential_kernel_, unused);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      const float q = 1 / (1 + offset(i) * offset(i) + offset(j) * offset(j));
      re_[i * n + j] = offset(i) * q * q;
      im_[i * n + j] = offset(j) * q * q;
    }
  transform_kernel(force_kernel_re_, force_kernel_im_);
}

/// Transforms the grid in `re_` and `im_` along both axes.
void RepulsionGrid::transform_kernel(std::vector<float>& out_re, std::vector<float>& out_im) {
  const size_t n = size_;
  out_re.resize(n * n);
  out_im.resize(n * n);
  Column column{std::vector<float>(n * kLanes), std::vector<float>(n * kLanes)};
  for (size_t first = 0; first < n; first += kLanes) {
    load(re_, im_, first, n, column);
    transform(column, false);
    store_transposed(column, first, n, half_re_, half_im_);
  }
  for (size_t first = 0; first < n; first += kLanes) {
    load(half_re_, half_im_, first, n, column);
    transform(column, false);
    store(column, first, n, out_re, out_im);
  }
}

void RepulsionGrid::transform(Column& column, bool inverse) const {
  float *re = column.re.data(), *im = column.im.data();
  const auto blocks = [&](size_t length, const auto& step) {
    for (size_t first = 0; first < size_; first += length) step(re + first * kLanes, im + first * kLanes);
  };
  const auto four = [&](size_t length) {
    blocks(length, [&](float* r, float* i) {
      const auto step = inverse ? join_four : split_four;
      step(r, i, length / 4, cosine_.data(), sine_.data(), size_ / length);
    });
  };
  const bool odd = std::countr_zero(size_) % 2;
  const auto two = [&] { blocks(2, [&](float* r, float* i) { add_and_subtract(r, i); }); };
  if (inverse) {
    if (odd) two();
    for (size_t length = odd ? 8 : 4; length <= size_; length *= 4) four(length);
  } else {
    for (size_t length = size_; length >= 4; length /= 4) four(length);
    if (odd) two();
  }
}

void RepulsionGrid::load(const std::vector<float>& re, const std::vector<float>& im, size_t first,
                         size_t rows, Column& out) const {
  for (size_t i = 0; i < rows; ++i) {
    std::copy_n(&re[i * size_ + first], kLanes, &out.re[i * kLanes]);
    std::copy_n(&im[i * size_ + first], kLanes, &out.im[i * kLanes]);
  }
  std::fill(out.re.begin() + static_cast<ptrdiff_t>(rows * kLanes), out.re.end(), 0.0f);
  std::fill(out.im.begin() + static_cast<ptrdiff_t>(rows * kLanes), out.im.end(), 0.0f);
}

void RepulsionGrid::store(const Column& column, size_t first, size_t rows, std::vector<float>& re,
                          std::vector<float>& im) const {
  for (size_t i = 0; i < rows; ++i) {
    std::copy_n(&column.re[i * kLanes], kLanes, &re[i * size_ + first]);
    std::copy_n(&column.im[i * kLanes], kLanes, &im[i * size_ + first]);
  }
}

void RepulsionGrid::store_transposed(const Column& column, size_t first, size_t rows, std::vector<float>& re,
                                     std::vector<float>& im) const {
  for (size_t lane = 0; lane < kLanes; ++lane)
    for (size_t i = 0; i < rows; ++i) {
      re[(first + lane) * size_ + i] = column.re[i * kLanes + lane];
      im[(first + lane) * size_ + i] = column.im[i * kLanes + lane];
    }
}

/// Turns the charges in `re_` into forces in `re_` and `im_`. Returns the potential of all charges together.
double RepulsionGrid::convolve(const Progress& progress) {
  const size_t n = size_, half = n / 2;
  const auto for_columns = [&](size_t columns, const auto& work) {
    parallel_for(columns / kLanes, std::max<size_t>(1, columns / kLanes / 8), progress,
                 [&](size_t begin, size_t end) {
                   Column column{std::vector<float>(n * kLanes), std::vector<float>(n * kLanes)};
                   for (size_t block = begin; block < end; ++block) work(block * kLanes, column);
                 });
  };
  // Charges fill a quarter of the grid, and only forces in that quarter are needed.
  for_columns(half, [&](size_t first, Column& column) {
    load(re_, im_, first, half, column);
    transform(column, false);
    store_transposed(column, first, n, half_re_, half_im_);
  });
  std::vector<double> potentials(n / kLanes);
  for_columns(n, [&](size_t first, Column& column) {
    load(half_re_, half_im_, first, half, column);
    transform(column, false);
    for (size_t k = 0; k < n; ++k)
      potentials[first / kLanes] +=
          multiply(&column.re[k * kLanes], &column.im[k * kLanes], &force_kernel_re_[k * n + first],
                   &force_kernel_im_[k * n + first], &potential_kernel_[k * n + first]);
    transform(column, true);
    store_transposed(column, first, half, other_re_, other_im_);
  });
  for_columns(half, [&](size_t first, Column& column) {
    load(other_re_, other_im_, first, n, column);
    transform(column, true);
    store(column, first, half, re_, im_);
  });
  const double cells = static_cast<double>(n) * static_cast<double>(n);
  return std::accumulate(potentials.begin(), potentials.end(), 0.0) / cells;
}

RepulsionGrid::Stencil RepulsionGrid::stencil_of(const float* point) const {
  Stencil result;
  size_t first[2];
  float* weights[2] = {result.x, result.y};
  for (size_t d = 0; d < 2; ++d) {
    const float at = (point[d] - origin_[d]) / spacing_ + 1;
    const float cell = std::floor(at);
    first[d] = static_cast<size_t>(std::max(0.0f, cell - 1));
    cubic_weights(at - cell, weights[d]);
  }
  result.node = static_cast<uint32_t>(first[0] * size_ + first[1]);
  return result;
}

double RepulsionGrid::repel(const Rows& layout, Rows& forces, const Progress& progress) {
  choose_grid(layout);
  if (potential_kernel_.empty()) make_kernels();
  for (size_t i = 0; i < size_ / 2; ++i) {
    std::fill_n(&re_[i * size_], size_ / 2, 0.0f);
    std::fill_n(&im_[i * size_], size_ / 2, 0.0f);
  }
  std::vector<Stencil> stencils(layout.rows);
  for (size_t i = 0; i < layout.rows; ++i) {
    const Stencil& one = stencils[i] = stencil_of(layout.row(i));
    for (size_t a = 0; a < 4; ++a)
      for (size_t b = 0; b < 4; ++b) re_[one.node + a * size_ + b] += one.x[a] * one.y[b];
  }
  const double potential = convolve(progress);
  const float scale = 1 / (static_cast<float>(size_) * static_cast<float>(size_));
  for (size_t i = 0; i < layout.rows; ++i) {
    const Stencil& one = stencils[i];
    float x = 0, y = 0;
    for (size_t a = 0; a < 4; ++a)
      for (size_t b = 0; b < 4; ++b) {
        const float weight = one.x[a] * one.y[b];
        x += weight * re_[one.node + a * size_ + b];
        y += weight * im_[one.node + a * size_ + b];
      }
    forces.row(i)[0] = x * scale;
    forces.row(i)[1] = y * scale;
  }
  return potential - static_cast<double>(layout.rows);
}

}  // namespace lossboard::projection

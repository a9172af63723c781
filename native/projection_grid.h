// Repulsion of t-SNE on a grid (after Linderman et al. 2019): points spread their charge over the nodes
// around them, and one FFT convolution gives the force at every node.
#pragma once

#include <vector>

#include "projection.h"

namespace lossboard::projection {

class RepulsionGrid {
 public:
  /// Sets forces to Σ q² (y_i − y_j) over j, with q = 1 / (1 + |y_i − y_j|²). Returns Σ q over all pairs i ≠
  /// j.
  double repel(const Rows& layout, Rows& forces, const Progress& progress);

 private:
  struct Stencil {
    uint32_t node;  // the first of 4 × 4
    float x[4], y[4];
  };
  struct Column;

  void choose_grid(const Rows& layout);
  void make_kernels();
  void transform_kernel(std::vector<float>& out_re, std::vector<float>& out_im);
  Stencil stencil_of(const float* point) const;
  double convolve(const Progress& progress);
  void transform(Column& column, bool inverse) const;
  void load(const std::vector<float>& re, const std::vector<float>& im, size_t first, size_t rows,
            Column& out) const;
  void store(const Column& column, size_t first, size_t rows, std::vector<float>& re,
             std::vector<float>& im) const;
  void store_transposed(const Column& column, size_t first, size_t rows, std::vector<float>& re,
                        std::vector<float>& im) const;

  size_t size_ = 0;    // nodes along an axis, with the padding of a convolution: a power of two
  float spacing_ = 0;  // between two nodes
  float span_ = 0;
  float origin_[2] = {};
  std::vector<float> cosine_, sine_;
  std::vector<float> potential_kernel_;                   // the transform of q, which is real
  std::vector<float> force_kernel_re_, force_kernel_im_;  // the transform of (x + i y) q²
  std::vector<float> re_, im_;                            // charges, then forces
  std::vector<float> half_re_, half_im_;    // charges, transformed along one axis and transposed
  std::vector<float> other_re_, other_im_;  // forces, transformed back along one axis and transposed
};

}  // namespace lossboard::projection

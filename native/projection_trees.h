// Random projection trees: rows that land in one leaf are often near each other.
#pragma once

#include <vector>

#include "projection.h"

namespace lossboard::projection {

struct Tree {
  struct Node {
    std::vector<float> normal;  // empty in a leaf
    float threshold = 0;
    size_t low = 0, high = 0;  // children, or the number of the leaf in `low`
  };
  std::vector<Node> nodes;
  std::vector<std::vector<int32_t>> leaves;

  /// The rows of the leaf in which a vector lands.
  const std::vector<int32_t>& leaf_of(const float* vector) const;
};

std::vector<Tree> build_trees(const Matrix& rows, size_t count, uint64_t seed, const Progress& progress);

}  // namespace lossboard::projection

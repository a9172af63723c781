#include "projection_trees.h"

#include <algorithm>
#include <numeric>

namespace lossboard::projection {
namespace {

constexpr size_t kLeafRows = 50;

struct Range {
  size_t node, begin, end;
};

/// Splits a range in the middle of its projections on the line through two of its rows.
size_t split(const Matrix& rows, const Range& range, Random& random, std::vector<int32_t>& order,
             std::vector<float>& along, Tree::Node& node) {
  const auto pick = [&] {
    return rows.row(static_cast<size_t>(order[range.begin + random.below(range.end - range.begin)]));
  };
  const float *a = pick(), *b = pick();
  node.normal.resize(rows.columns);
  for (size_t i = 0; i < rows.columns; ++i) node.normal[i] = a[i] - b[i];
  for (size_t i = range.begin; i < range.end; ++i) {
    const auto row = static_cast<size_t>(order[i]);
    along[row] = dot(rows.row(row), node.normal.data(), rows.columns);
  }
  const size_t middle = (range.begin + range.end) / 2;
  const auto less = [&](int32_t x, int32_t y) {
    return std::pair(along[static_cast<size_t>(x)], x) < std::pair(along[static_cast<size_t>(y)], y);
  };
  const auto at = [&](size_t i) { return order.begin() + static_cast<ptrdiff_t>(i); };
  std::nth_element(at(range.begin), at(middle), at(range.end), less);
  node.threshold = along[static_cast<size_t>(order[middle])];
  return middle;
}

Tree build_tree(const Matrix& rows, uint64_t seed, const Progress& progress) {
  Random random(seed);
  std::vector<int32_t> order(rows.rows);
  std::iota(order.begin(), order.end(), 0);
  std::vector<float> along(rows.rows);
  Tree tree;
  tree.nodes.emplace_back();
  std::vector<Range> open{{0, 0, rows.rows}};
  while (!open.empty() && !progress.is_cancelled()) {
    const Range range = open.back();
    open.pop_back();
    if (range.end - range.begin <= kLeafRows) {
      tree.nodes[range.node].low = tree.leaves.size();
      tree.leaves.emplace_back(order.begin() + static_cast<ptrdiff_t>(range.begin),
                               order.begin() + static_cast<ptrdiff_t>(range.end));
      continue;
    }
    Tree::Node node;
    const size_t middle = split(rows, range, random, order, along, node);
    node.low = tree.nodes.size();
    node.high = node.low + 1;
    open.push_back({node.low, range.begin, middle});
    open.push_back({node.high, middle, range.end});
    tree.nodes[range.node] = std::move(node);
    tree.nodes.resize(tree.nodes.size() + 2);
  }
  return tree;
}

}  // namespace

const std::vector<int32_t>& Tree::leaf_of(const float* vector) const {
  const Node* node = &nodes[0];
  while (!node->normal.empty())
    node = &nodes[dot(vector, node->normal.data(), node->normal.size()) < node->threshold ? node->low
                                                                                          : node->high];
  return leaves[node->low];
}

std::vector<Tree> build_trees(const Matrix& rows, size_t count, uint64_t seed, const Progress& progress) {
  std::vector<Tree> trees(count);
  parallel_for(count, 1, progress,
               [&](size_t i, size_t) { trees[i] = build_tree(rows, mix(seed + i), progress); });
  return trees;
}

}  // namespace lossboard::projection

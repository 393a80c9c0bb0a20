// The in-order binary tree over ranks 0 .. n-1 and its mirror image, the pair of trees in which
// (almost) every rank is a leaf of one: Sanders, Speck, Traeff, Parallel Computing 2009.
#pragma once

#include <bit>
#include <vector>

namespace paceline::formula {

struct TreeNode {
  int parent = -1;  // of the root
  std::vector<int> children;
};

// A rank's height is the number of trailing zeros of its index; rank 0 is the root above the
// highest power of two.
inline std::vector<TreeNode> in_order_tree(int n) {
  std::vector<TreeNode> tree(static_cast<std::size_t>(n));
  for (int rank = 1; rank < n; ++rank) {
    const int bit = rank & -rank;
    int parent = (rank ^ bit) | (bit << 1);
    if (parent >= n) parent = rank ^ bit;
    tree[static_cast<std::size_t>(rank)].parent = parent;
    tree[static_cast<std::size_t>(parent)].children.push_back(rank);
  }
  return tree;
}

// Mirrored (n even) or shifted by one (n odd), so that inner ranks of the first are leaves here.
inline std::vector<TreeNode> complementary_tree(int n) {
  const std::vector<TreeNode> first = in_order_tree(n);
  const auto map = [n](int rank) { return n % 2 == 0 ? n - 1 - rank : (rank + 1) % n; };
  std::vector<TreeNode> tree(static_cast<std::size_t>(n));
  for (int rank = 0; rank < n; ++rank) {
    const TreeNode& node = first[static_cast<std::size_t>(rank)];
    TreeNode& image = tree[static_cast<std::size_t>(map(rank))];
    image.parent = node.parent < 0 ? -1 : map(node.parent);
    for (const int child : node.children) image.children.push_back(map(child));
  }
  return tree;
}

// The most edges between the root and a leaf.
inline int tree_depth(const std::vector<TreeNode>& tree) {
  int deepest = 0;
  for (std::size_t rank = 0; rank < tree.size(); ++rank) {
    int depth = 0;
    for (int at = tree[rank].parent; at >= 0; at = tree[static_cast<std::size_t>(at)].parent) {
      ++depth;
    }
    deepest = depth > deepest ? depth : deepest;
  }
  return deepest;
}

}  // namespace paceline::formula

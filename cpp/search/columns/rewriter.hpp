// A tree as the rows of a node see it, and what it costs.
#pragma once

#include "search/driver/extract.hpp"

namespace exactree {

template <class V>
class Rewriter {
 public:
  explicit Rewriter(Worker<V>& worker) : worker_(worker), extractor_(worker) {}

  // Appends the part of a tree that starts at `here`: without splits that part nothing, with the
  // ranks on both sides of the others, and with no more levels than the budget has. Gives its cost,
  // or what it costs at most where two last leaves may cost one more together (Last pairs in
  // targets/squares.hpp); kInfinite if a side is smaller than is allowed.
  Cost rewrite(Node& node, Budget budget, int here, const Tree& from, Tree& to);
  // A side of a split, ready for what is below.
  Node& side(Node& node, Budget budget, const TreeNode& split, bool right);

 private:
  Worker<V>& worker_;
  Extractor<V> extractor_;
};

}  // namespace exactree

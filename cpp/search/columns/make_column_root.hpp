// What targets/*.cpp instantiate: see column_root.hpp.
#pragma once

#include "search/columns/column_node.hpp"
#include "search/columns/column_root.hpp"

namespace exactree::EXACTREE_ISA {

template <class Targets>
std::unique_ptr<Node> column_root(const Problem& data, Workspace& work) {
  // Ranks in 16 bits where they fit: twice as many in a vector.
  if constexpr (!kSpare)
    if (data.max_rank < 65535) return ColumnNode<std::int16_t, Targets>::root(data, work);
  return ColumnNode<std::int32_t, Targets>::root(data, work);
}

}  // namespace exactree::EXACTREE_ISA

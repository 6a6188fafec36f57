// What targets/*.cpp instantiate: see column_root.hpp.
#pragma once

#include "search/columns/column_node.hpp"
#include "search/columns/column_root.hpp"

namespace exactree::EXACTREE_ISA {

template <class Targets>
std::unique_ptr<Node> column_root(const Problem& data, Workspace& work) {
  return ColumnNode<Targets>::root(data, work);
}

}  // namespace exactree::EXACTREE_ISA

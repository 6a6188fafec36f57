// What targets/*.cpp instantiate: see column_root.hpp.
#pragma once

#include "search/columns/column_node.hpp"
#include "search/columns/column_root.hpp"

namespace exactree::EXACTREE_ISA {

// Whether a row takes so long that the width of its ranks does not matter: one will do.
template <class Targets>
inline constexpr bool kSlowRows = requires { requires Targets::kSlowRows; };

template <class Targets>
std::unique_ptr<Node> column_root(const Problem& data, Workspace& work) {
  // Ranks in 16 bits where they fit: twice as many in a vector.
  // Few rows do not mean low ranks: those of some rows of a table are what they are among all.
  if constexpr (!kSpare && !kSlowRows<Targets>)
    if (data.max_rank < 65535) return ColumnNode<std::int16_t, Targets>::root(data, work);
  return ColumnNode<std::int32_t, Targets>::root(data, work);
}

}  // namespace exactree::EXACTREE_ISA

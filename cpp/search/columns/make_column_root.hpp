// What targets/*.cpp instantiate: see column_root.hpp.
#pragma once

#include "search/columns/column_node.hpp"
#include "search/columns/column_root.hpp"

namespace exactree::EXACTREE_ISA {

// Whether targets are for so few rows that ranks always fit in 16 bits.
template <class Targets>
inline constexpr bool kFewRows = requires { Targets::kMostRows; };

// Whether a row takes so long that the width of its ranks does not matter: one will do.
template <class Targets>
inline constexpr bool kSlowRows = requires { requires Targets::kSlowRows; };

template <class Targets>
std::unique_ptr<Node> column_root(const Problem& data, Workspace& work) {
  // Ranks in 16 bits where they fit: twice as many in a vector.
  if constexpr (kFewRows<Targets>) {
    static_assert(Targets::kMostRows <= 65535);
    return ColumnNode<std::int16_t, Targets>::root(data, work);
  } else {
    if constexpr (!kSpare && !kSlowRows<Targets>)
      if (data.max_rank < 65535) return ColumnNode<std::int16_t, Targets>::root(data, work);
    return ColumnNode<std::int32_t, Targets>::root(data, work);
  }
}

}  // namespace exactree::EXACTREE_ISA

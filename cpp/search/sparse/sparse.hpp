// Trees with a price per split and no limit on depth: a search of its own.
//
// With a price p, k splits cost at least k p, so depth limits nothing, and what is known of a set
// of rows holds wherever it is met (row_set_table.hpp). The search solves for growing targets: the
// optimum if it is at most the target, else a bound above it (solver.hpp). So a search that is
// stopped has a bound, and it needs no good tree to begin with.
#pragma once

#include <memory>

#include "search/driver/control.hpp"
#include "search/driver/make_root.hpp"
#include "search/driver/search.hpp"
#include "search/problem.hpp"
#include "search/tree.hpp"

namespace exactree {

// One search under way; all costs are without what every tree costs (offset).
class SparseSearch {
 public:
  virtual ~SparseSearch() = default;

  // A first tree, and targets until the bound meets the best tree or the control stops it.
  virtual void run(Control& control, SearchProgress& progress, SearchResult& result) = 0;
};

// Null: the weights need more than 31 bits, so that this search is not the right one.
using MakeSparse = std::unique_ptr<SparseSearch> (*)(const Problem&, Switches);

// Solves a problem with a penalty above 0 and no other limit on the tree. Every threshold is a
// column of two values here, so that its time grows with the third power of their number. An
// optimal tree that is deeper than `max_depth` is not wanted: then, and where the weights are too
// large, the result has no answers.
SearchResult search_sparse(const Problem& data, int max_depth, Switches switches, MakeSparse make,
                           Control& control, SearchProgress& progress);

namespace plain {
std::unique_ptr<SparseSearch> make_sparse(const Problem& data, Switches switches);
}
#ifdef EXACTREE_HAS_AVX2
namespace avx2 {
std::unique_ptr<SparseSearch> make_sparse(const Problem& data, Switches switches);
}
#endif
#ifdef EXACTREE_HAS_AVX512
namespace avx512 {
std::unique_ptr<SparseSearch> make_sparse(const Problem& data, Switches switches);
}
#endif

}  // namespace exactree

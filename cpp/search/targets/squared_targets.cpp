#include "search/targets/squared_targets.hpp"

#include "search/columns/make_column_root.hpp"

namespace exactree::EXACTREE_ISA {

template std::unique_ptr<Node> column_root<SquaredTargets<false>>(const Problem&, Workspace&);

}  // namespace exactree::EXACTREE_ISA

#include "search/targets/sum_targets.hpp"

#include "search/columns/make_column_root.hpp"

namespace exactree::EXACTREE_ISA {

template std::unique_ptr<Node> column_root<SumTargets<PowerGains>>(const Problem&, Workspace&);

}  // namespace exactree::EXACTREE_ISA

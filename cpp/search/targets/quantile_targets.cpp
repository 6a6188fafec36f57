#include "search/targets/quantile_targets.hpp"

#include "search/columns/make_column_root.hpp"

namespace exactree::EXACTREE_ISA {

#ifndef EXACTREE_SPARE
template std::unique_ptr<Node> column_root<QuantileTargets<std::int64_t>>(const Problem&,
                                                                          Workspace&);
#endif
template std::unique_ptr<Node> column_root<QuantileTargets<Wide>>(const Problem&, Workspace&);

}  // namespace exactree::EXACTREE_ISA

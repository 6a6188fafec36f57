#include "search/targets/two_weighted.hpp"

#include "search/columns/make_column_root.hpp"

namespace exactree::EXACTREE_ISA {

template std::unique_ptr<Node> column_root<TwoWeighted>(const Problem&, Workspace&);

}  // namespace exactree::EXACTREE_ISA

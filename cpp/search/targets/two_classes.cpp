#include "search/targets/two_classes.hpp"

#include "search/columns/make_column_root.hpp"

namespace exactree::EXACTREE_ISA {

template std::unique_ptr<Node> column_root<TwoClasses>(const Problem&, Workspace&);

}  // namespace exactree::EXACTREE_ISA

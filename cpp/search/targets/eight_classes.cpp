#include "search/targets/eight_classes.hpp"

#include "search/columns/make_column_root.hpp"

namespace exactree::EXACTREE_ISA {

#if EXACTREE_SIMD
template std::unique_ptr<Node> column_root<EightClasses>(const Problem&, Workspace&);
#endif

}  // namespace exactree::EXACTREE_ISA

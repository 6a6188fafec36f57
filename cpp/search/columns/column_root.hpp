// The node of all rows for one kind of targets. Each kind is compiled in a file of its own,
// targets/*.cpp, so that a change of one compiles only that.
#pragma once

#include <memory>

#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

template <class Targets>
std::unique_ptr<Node> column_root(const Problem& data, Workspace& work);

}  // namespace exactree::EXACTREE_ISA

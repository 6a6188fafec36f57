// The node of all rows, for each instruction set. Throws Stopped at a limit.
#pragma once

#include <memory>

#include "search/node.hpp"

namespace exactree {

using MakeRoot = std::unique_ptr<Node> (*)(const Problem&, Workspace&);

namespace plain {
std::unique_ptr<Node> make_root(const Problem& data, Workspace& work);
}
#ifdef EXACTREE_HAS_AVX2
namespace avx2 {
std::unique_ptr<Node> make_root(const Problem& data, Workspace& work);
}
#endif
#ifdef EXACTREE_HAS_AVX512
namespace avx512 {
std::unique_ptr<Node> make_root(const Problem& data, Workspace& work);
}
#endif

}  // namespace exactree

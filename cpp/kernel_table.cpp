// Compiled once per instruction set: collects what that set offers.
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

GeometryKernels geometry_kernels();
ObliqueResult oblique_search(const ObliqueData& data, const ObliqueRequest& request,
                             Control& control, std::atomic<Cost>& best);

KernelTable kernel_table() {
  return KernelTable{.geometry = geometry_kernels(),
                     .make_root = make_root,
                     .oblique = oblique_search,
                     .make_sparse = make_sparse};
}

}  // namespace KERNEL_NAMESPACE

// Compiled once per instruction set: collects what that set offers.
#include "kernels.hpp"

namespace KERNEL_NAMESPACE {

BitsetKernels bitset_kernels();
GeometryKernels geometry_kernels();

KernelTable kernel_table() {
  return KernelTable{.bitset = bitset_kernels(),
                     .geometry = geometry_kernels(),
                     .make_root = make_root,
                     .make_sparse = make_sparse};
}

}  // namespace KERNEL_NAMESPACE

// Kernels and the choice of an instruction set.
//
// Everything that has to be fast is compiled several times from the same sources: for any x86-64
// processor ("plain"), for one with popcnt, AVX2, BMI and BMI2 ("avx2"), and for one with the
// AVX-512 of recent servers, compress and vector popcount included ("avx512"); on other processors
// only plain. CMake does it (exactree_kernels in CMakeLists.txt) and defines EXACTREE_ISA as that
// name. The copies live side by side in one module, so that nothing has to be rebuilt for a
// processor, and which copy runs is an argument, so that all can be tested on one machine.
//
// To add a kernel, or a whole engine:
//   1. write it in namespace exactree::EXACTREE_ISA (KERNEL_NAMESPACE below; templates and inline
//      functions in its headers too), and add its .cpp files to EXACTREE_KERNEL_SOURCES;
//   2. declare its plain-data arguments and a struct of function pointers, such as GeometryKernels,
//      in a header that does not depend on EXACTREE_ISA, and give it a member in KernelTable;
//   3. fill that member in kernel_table.cpp. Callers take kernels(isa) and call through it.
// Code that is compiled once (bindings.cpp, kernels.cpp) must not include headers of step 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "geometry/geometry.hpp"
#include "oblique/oblique.hpp"
#include "search/driver/make_root.hpp"
#include "search/sparse/sparse.hpp"

#define KERNEL_NAMESPACE exactree::EXACTREE_ISA

namespace exactree {

// The entry points of one instruction set.
struct KernelTable {
  GeometryKernels geometry;
  MakeRoot make_root;
  ObliqueSearch oblique;
  MakeSparse make_sparse;
};

namespace plain {
KernelTable kernel_table();
}
#ifdef EXACTREE_HAS_AVX2
namespace avx2 {
KernelTable kernel_table();
}
#endif
#ifdef EXACTREE_HAS_AVX512
namespace avx512 {
KernelTable kernel_table();
}
#endif

// The instruction sets this processor can run, the fastest last. "plain" is always among them.
std::vector<std::string> instruction_sets();

// The kernels for "auto" (the fastest), or for a name out of instruction_sets(). Throws
// std::invalid_argument for any other name.
KernelTable kernels(std::string_view isa);

}  // namespace exactree

// The Python face of the native core: checks shapes, releases the GIL, calls the kernels. Only
// the files bindings*.cpp know nanobind. Arrays are never converted: a wrong type is an error, not
// a copy.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "kernels.hpp"

NB_MODULE(_native, m) {
  using namespace exactree;
  m.doc() = "The native core of exactree: arrays in, arrays out.";
  m.def("instruction_sets", &instruction_sets,
        "List the instruction sets this processor can run, the fastest (\"auto\") last.");
  bind_geometry(m);
  bind_search(m);
  bind_losses(m);
  bind_masks(m);
  bind_oblique(m);
  bind_proof(m);
  bind_remote(m);
  bind_rows(m);
  bind_shapes(m);
  bind_squares(m);
  bind_costs(m);
}

// The parts of the Python face; each file of bindings adds its own.
#pragma once

#include <nanobind/nanobind.h>

namespace exactree {

void bind_geometry(nanobind::module_& m);
void bind_losses(nanobind::module_& m);
void bind_masks(nanobind::module_& m);
void bind_oblique(nanobind::module_& m);
void bind_proof(nanobind::module_& m);
void bind_remote(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_shapes(nanobind::module_& m);
void bind_squares(nanobind::module_& m);
void bind_costs(nanobind::module_& m);

}  // namespace exactree

// The elastic program: the plane of least hinge loss, by a simplex method.
#pragma once

#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

// Minimises sum c_i max(0, 1 - s_i f(z_i)) over planes f, c the size and s the sign of the wishes,
// from the given plane. 0 means that all rows with a wish are on their side: this is the one
// direction that finds a separating plane for certain, and it pays where rows are nearly separable.
//
// With `give_up`, the rows on the wrong side count nothing but for a few random ones near the
// plane: the program then asks for a plane that is right where this one is, and in these too.
// Returns false if there was nothing to solve.
bool elastic_plane(const NodeRows& rows, const Wishes& wishes, const Scores& scores,
                   const Plane& from, bool give_up, Random& random, Pace& pace, Plane& found);

}  // namespace KERNEL_NAMESPACE

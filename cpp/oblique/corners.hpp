// A first plane where the classes lie in opposite corners.
#pragma once

#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

// Where a split has two others below it that turn the classes round, as in a chess board, no plane
// parts the classes to speak of, and a search by the gain of one split goes elsewhere. But the
// classes differ in their products of columns, z z', and most so between the normal of that split
// and what its two sides differ in. These two directions are found as those in which the wishes
// bend most, whatever a plane explains of them taken away (principal Hessian directions).
// Returns false if there are too few rows for that, or too many columns.
bool corner_plane(const NodeRows& rows, const Wishes& wishes, Random& random, Plane& plane);

}  // namespace KERNEL_NAMESPACE

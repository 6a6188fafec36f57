// Directions in which to look for a better plane.
#pragma once

#include "oblique/meters.hpp"

namespace KERNEL_NAMESPACE {

// About how far off the plane so many rows are that are nearest to it, read off some of them.
double distance_of_nearest(const Scores& scores, std::size_t many);

// Weighted least squares of the wishes on the rows near the plane, a local discriminant: near are
// the share of the rows with the smallest scores, and nearer ones count more. This is the direction
// that pays most: at the right bandwidth it is Newton's for a smoothed loss.
// Returns false if there is none, or no time for it.
bool local_least_squares(const NodeRows& rows, const Wishes& wishes, const Scores& scores,
                         double share, Random& random, Pace& pace, Plane& direction);

// The sum of a few random rows that are on the side they do not want.
bool towards_wrong_rows(const NodeRows& rows, const Wishes& wishes, const Scores& scores,
                        Random& random, Plane& direction);

// A random direction over all columns, or over a few.
void random_direction(int columns, Random& random, Plane& direction);

}  // namespace KERNEL_NAMESPACE

// The best tree whose predictions follow some columns: every leaf left of a split on an increasing
// column predicts at most what every leaf right of it does. Leaves predict their own majority, or
// mean.
//
// Fronts. To the tree above it, a subtree is its cost, its lowest and its highest prediction. One
// that is no better in any of them than another can be replaced by that one, so of the subtrees for
// some rows those are kept that no other dominates: their front.
//
// Bounds. Let the leaves predict what they like, as long as they keep the order. The trees in
// question are among these; so f, the least cost of the free ones, bounds theirs. And f never falls
// with more rows, as what the trees in question cost may: a tree for more rows, with its
// predictions, is one for fewer, and costs no more there. So a bound for some rows holds for all
// that have them, and thresholds are searched by intervals: a split from a to before b costs at
// least what the left side of a and the right side of b do.
//
// Two classes. Below a split on an increasing column, free leaves on the left all predict 0, and
// cost the weight of the ones there, or those on the right all predict 1, and cost that of the
// zeros; the other side is then free. With that, the recursion gives f itself.
//
// Numbers. Let the sides of a split on an increasing column have weights w, v and means a > b, and
// let t be a number between their predictions. Free leaves of weights w_i and means m_i that
// predict p_i <= t cost their own squares and the sum of w_i (m_i - p_i)^2, which is w (a - t)^2 at
// least if a > t, since the mean of the p_i is t at most (Jensen). It is the same on the right; the
// least sum over t is w v / (w + v) (a - b)^2. The recursion with this term bounds f from below.
//
// Means. What some rows predict as one leaf lies between the lowest and the highest prediction of
// any tree for them: a mean is one of means, and if all leaves have a majority of one class, so
// have their rows together. So a split on an increasing column is in vain if the left side as one
// leaf predicts more than the right side; and no leaf on the left predicts more than what the right
// side would as one leaf, and the other way round. Subtrees need not be looked for outside such
// limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "search/least_side.hpp"

namespace exactree {

struct MonotoneProblem {
  const std::int32_t* ranks;  // columns x rows
  const std::int8_t* ways;    // of every column: 1 increasing, -1 decreasing, 0 neither
  std::size_t columns, rows;
  const std::int64_t* counts;  // what each row counts, and a side has to
  LeastSide least_side;
  int depth;
  int splits;  // at most, in all
};

// A tree in preorder: rows of a rank up to `rank` go left; column -1 is a leaf.
struct MonotoneTree {
  std::vector<std::int32_t> column, rank;
};

template <class Cost>
struct MonotoneFound {
  bool better = false;  // whether there is a tree below the cap
  bool stopped = false;
  Cost cost{}, bound{};  // no tree that keeps to all terms costs less than the bound
  MonotoneTree tree;
};

// Asked now and then whether to stop, and told the bytes that subtrees take.
using StopAsked = std::function<bool(std::int64_t)>;

// Finds the best tree that costs less than the cap. `zeros` and `ones` are the weights of rows of
// class 0 and of class 1; a leaf predicts 1 if its ones weigh more.
MonotoneFound<std::int64_t> monotone_classes(const MonotoneProblem& problem,
                                             const std::int64_t* zeros, const std::int64_t* ones,
                                             std::int64_t penalty, std::int64_t cap,
                                             const StopAsked& stop);
// The same for numbers, which are centred; means that differ by the slack are in order.
MonotoneFound<double> monotone_numbers(const MonotoneProblem& problem, const double* weights,
                                       const double* targets, double slack, double penalty,
                                       double cap, const StopAsked& stop);

}  // namespace exactree

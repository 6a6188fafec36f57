// Which two splits can make a tree of three leaves with few errors.
//
// Two classes, and a tree of two splits that needs both: a leaf beside a split with two leaves. The
// latter have different labels, or the split would not be needed, so one of them has the label a of
// the first leaf. The tree predicts a on the union of two sides H and G, one of each split: where G
// holds rows of the first leaf, these have the label a as well. Elsewhere it predicts the other
// class c. Of its errors, the rows of c in the union are at least as many as those in H and as
// those in G; the others are rows of a outside the union.
//   Let it make fewer than e errors. Then H and G have fewer than e rows of c. Let H(k) be the
// largest side of its split's column, on its side, with fewer than k rows of c: it holds H if H has
// fewer than k. For any h,
//   either H and G have at most h rows of c, and fewer than e rows of a lie outside H(h + 1) and
//   G(h + 1) together;
//   or one of them has more, and fewer than e - 1 - h rows of a lie outside H(e) and G(e).
// Where neither is so for any label a, the two columns and sides are no such tree.
//   Both splits can come first, and whether a pair is possible does not depend on it.
#pragma once

#include <cstdint>
#include <vector>

namespace exactree {

struct Covers {
  // For every column and side s, at 2 f + s: in which columns the other split can be, a bit for
  // each of those that lead (twins.hpp).
  std::vector<std::uint64_t> columns;
  int words = 0;  // for one column and side

  const std::uint64_t* of(int f, int s) const {
    return &columns[static_cast<std::size_t>(2 * f + s) * static_cast<std::size_t>(words)];
  }

  // Room for the sides of a label: their rows of that label.
  struct Sides {
    std::vector<std::uint64_t> rows;
  };
  Sides few, many;
  std::vector<std::uint64_t> labelled;
};

}  // namespace exactree

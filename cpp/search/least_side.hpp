// The constraint that all searches know: each side of a split counts at least so much, of the rows
// or of their weight.
#pragma once

namespace exactree {

struct LeastSide {
  int least = 1;

  // Whether it forbids any split: those that leave a side empty are none.
  bool binds() const { return least > 1; }
  template <class Count>
  bool enough(Count side) const {
    return side >= least;
  }
  template <class Count>
  bool allows(Count left, Count right) const {
    return enough(left) && enough(right);
  }
};

}  // namespace exactree

// What the classes of some rows alone say of a tree.
//
// Answers. A tree of l leaves gives at most l answers, and gets all rows of other classes wrong: it
// costs no less than all rows weigh but those of the l heaviest classes.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "proof/bounds.hpp"

namespace exactree::proof {

// The levels and splits that a tree may have; -1 splits: as many as it has room for.
struct SideBudget {
  int depth = 0, splits = -1;
};

class Answers {
 public:
  Answers(const Facts& facts, SideBudget budget, int budgets) : problem_(facts.problem) {
    if (facts.rigid || !facts.gains.empty()) return;  // other costs than a unit for a wrong answer
    leaves_.assign(static_cast<std::size_t>(budgets), 1 << std::min(budget.depth, 30));
    if (budget.splits >= 0) std::iota(leaves_.begin(), leaves_.end(), 1);
  }

  // Whether they say anything: the fewest leaves are too few for all classes.
  bool tell() const { return !leaves_.empty() && leaves_.front() < problem_.classes; }

  // The weights of the classes of no rows, and of all, in the order of a column.
  void start(const std::uint32_t* order, int n, std::vector<Cost> weights[2]) const {
    for (int s = 0; s < 2; ++s) weights[s].assign(static_cast<std::size_t>(problem_.classes), 0);
    for (int i = 0; i < n; ++i) weights[1][label(row_of(order[i]))] += weight(row_of(order[i]));
  }
  // A row goes from the second to the first.
  void move(std::uint32_t row, std::vector<Cost> weights[2]) const {
    weights[0][label(row)] += weight(row);
    weights[1][label(row)] -= weight(row);
  }

  template <int Size>
  Bound<Size> bound(std::vector<Cost> weights, int variants) const {
    std::sort(weights.begin(), weights.end());
    Bound<Size> out;
    for (std::size_t k = 0; k < leaves_.size(); ++k) {
      const int others = std::max(0, problem_.classes - leaves_[k]);
      const Cost wrong = std::accumulate(weights.begin(), weights.begin() + others, Cost{0});
      for (int v = 0; v < variants; ++v) out.at(v, static_cast<int>(k)) = wrong;
    }
    return out;
  }

 private:
  std::size_t label(std::uint32_t row) const {
    return static_cast<std::size_t>(problem_.labels[row]);
  }
  Cost weight(std::uint32_t row) const { return problem_.weights[row]; }

  const ProofProblem& problem_;
  std::vector<int> leaves_;  // by number of splits
};

}  // namespace exactree::proof

// What is open at the root over side masks: branches of the tree of masks, in rounds.
//
// Rounds. A branch is not searched for its best mask at once, but first for one that costs less
// than a target a third of the way from its bound to the best cost known, then halfway from
// there, and so on (see target()).
// A search below a target that ends without a find has proved that no mask of the branch costs less
// than that target; one that ends with a find has proved that none costs less than the find. So
// every branch has a bound from its last search, every mask is in one branch, and the least bound
// of all holds for all trees with a first split. Those without one are known. Where the target is
// low, far more is pruned: the early rounds take little of the time, and a search that is stopped
// in the last one has proved what they did.
//
// Ties. The goal of a place is what a mask of that branch must cost less than to be taken, and
// never rises. The branch is closed once its bound is no less. Until then it is searched again, so
// the mask that is taken in the end is the first of the best ones, as if every branch had been
// searched once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "search/driver/frontier.hpp"
#include "search/masks/mask_source.hpp"

namespace exactree {

// A round of one branch.
template <class V>
struct MaskPiece : Piece {
  std::unique_ptr<MaskSearch<V>> search;
};

// What a search has found, as a reply to those elsewhere.
template <class V>
void reply_of(const MaskSearch<V>& search, const MaskTree& tree, Reply& reply);

template <class V>
class MaskFrontier final : public Frontier<V> {
 public:
  using Frontier<V>::Frontier;

  bool open(PlanFacts* plan) override;
  bool worth_threads() const override { return !branches_.empty(); }
  std::unique_ptr<Piece> piece() const override { return std::make_unique<MaskPiece<V>>(); }
  Asked ask(Worker<V>& worker, Piece& piece) override;
  void answer(Worker<V>& worker, Node& root, Piece& piece) override;
  void tell(Worker<V>& worker, Piece& piece, bool complete) override;
  void describe(const Piece& piece, Question& question) const override;
  void accept(Piece& piece, const Reply& reply) override;
  void reply(const Piece& piece, Reply& reply) const override;
  bool restore(const Question& question, const Reply& reply) override;
  V bound() const override;
  std::int64_t open_pieces() const override;
  SolvedSplit<V> first_best(int k) override {
    return MaskSource<V>::split_of(first_splits_[static_cast<std::size_t>(k)]);
  }

 private:
  using Frontier<V>::budgets;
  using Frontier<V>::top_;
  // Workers elsewhere need more to do at a time than threads.
  static constexpr int kBranchLevels = 7, kRemoteLevels = 10, kPlannedLevels = 4;

  struct RootBranch {
    int branch;
    std::vector<bool> path;  // which child, from the root on
    V bound;                 // no mask of the branch costs less as a first split, if that matters
    int rounds = 0;
    bool busy = false;
  };

  MaskNode& root() const { return static_cast<MaskNode&>(top_.root); }
  Solution<V> solve_single();
  void take_single(const Solution<V>& one);
  void plan();
  void list_branches(int branch, std::vector<bool> path);
  V target(const V& goal, const V& bound, int round) const;

  std::vector<RootBranch> branches_;  // the place of a tree is that of its branch
  std::size_t next_ = 0;
  std::vector<MaskSplit<V>> first_splits_;  // the first of the best masks, for each budget
};

}  // namespace exactree

// Nodes whose splits are side masks.
//
// Such a node has no columns. Its splits are the masks of a tree that all nodes share, each by its
// id; a split sends the rows of its mask left. A mask that has all rows of the node on one side is
// no split there. The recursion is in mask_source.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/masks/mask_archive.hpp"
#include "search/masks/mask_tree.hpp"
#include "search/node.hpp"

namespace exactree {

// What one mask, or a whole branch of masks, does to the rows of a node.
struct MaskView {
  std::vector<std::uint64_t> side[2];  // the rows that go left, or right, whatever mask is chosen
  Cost leaf[2] = {0, 0};               // what a leaf for these rows costs
  int rows[2] = {0, 0};
  bool splits = false;              // some mask may be a split (false: certainly none is)
  bool decided = false;             // all masks part the rows alike
  std::vector<std::uint64_t> mask;  // room for one
};

// The mask that suits two sets of rows best.
struct MaskChoice {
  MaskPlace place;       // not found: there is none
  bool swapped = false;  // better the other way round
  Cost cost = 0;
};

// Where rows are better off, left or right, if the subtrees on both sides stay as they are: the
// rows that are right on each side; or, where every row has costs of its own, what each costs
// there.
struct MaskWish {
  std::vector<std::uint64_t> right[2];
  std::vector<Cost> cost[2];
};

class MaskNode : public Node {
 public:
  using Word = std::uint64_t;

  explicit MaskNode(MaskTree& tree) : tree_(&tree) {}
  SplitKind kind() const override { return SplitKind::kMasks; }

  MaskTree& tree() const { return *tree_; }
  const std::vector<Word>& row_set() const { return set_; }
  // Whether splits must leave enough rows on both sides.
  bool limited() const { return limited_; }

  // Becomes the node of these rows.
  virtual void take_rows(const Word* rows, bool limited) = 0;
  virtual void look(int branch, MaskView& view) const = 0;
  virtual void look_at(const Word* mask, MaskView& view) const = 0;

  // What the best of the masks that were best for others lately would achieve on these rows, with
  // a leaf on either side; the cost of a leaf if that is less.
  virtual Cost recent(const Word* rows, Cost leaf, Workspace& work) const = 0;
  // Raises what is known of these rows by an archive, up to the goal; true if it is reached.
  virtual bool raise(MaskArchive& archive, const Word* rows, Cost* lower, const Cost* goal,
                     Workspace& work) const = 0;
  // The first mask in the order of the tree whose split, with two leaves, costs at most this.
  virtual MaskPlace first_mask(Cost cost, Workspace& work) = 0;
  // Adds that the tree on a side gives these rows this answer.
  virtual void add_wish(int label, const Word* rows, int side, MaskWish& wish) const = 0;
  // The mask that is better for the wish than `sent`, the rows that go left now: the best one of
  // them, or the other way round if that is better still.
  virtual MaskChoice prefer(const Word* sent, const MaskWish& wish, Workspace& work) = 0;
  // The best single split of these rows that costs less than `below`.
  virtual MaskChoice single(Cost below, Workspace& work) = 0;
  // What a set of rows costs as a leaf.
  virtual Cost leaf_of(const Word* rows, int* label) const = 0;
  virtual int rows_of(const Word* rows) const = 0;

  // Positions: there is one per mask, which stands for its split.
  static constexpr int kPosition = 1;
  // The nearest ranks on both sides of a threshold among the rows of the node; masks have none.
  int rank_at(int id, int p) const override {
    const MaskThreshold* at = tree_->threshold(static_cast<std::uint32_t>(id));
    if (at == nullptr) return 0;
    int low = -1, high = -1;
    for (int i = 0; i < tree_->rows(); ++i) {
      if ((set_[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) == 0) continue;
      const int rank = tree_->rank(at->column, i);
      if (rank < at->rank)
        low = std::max(low, rank);
      else
        high = high < 0 ? rank : std::min(high, rank);
    }
    return p < kPosition ? low : high;
  }
  int position_of(int, int, int) const override { return 0; }
  void part(int, int, Workspace&) const override {}
  void depth_one(int, int, SideQuery*, bool, Workspace&) override {}
  void list_rows(int, int*, Cost*) const override {}

 protected:
  MaskTree* tree_;
  std::vector<Word> set_;
  bool limited_ = true;
};

}  // namespace exactree

// Good trees over side masks before the search: the lower it starts, the more it can prune.
//
// A tree of a fixed shape is improved split by split. Where the tree below a split is fixed, each
// row is right on both sides, on neither, or on one of them; so the best mask for that split is the
// one that parts those that are right on the left only from those that are right on the right only:
// a single split of two sets of rows, which is found exactly (MaskNode::prefer). Where rows have
// costs of their own, one set are those that cost less on the left, and they count by how much
// less. Splits above
// leaves are best single splits. Some random first splits and a few rounds come close to the
// optimum.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "search/masks/mask_node.hpp"
#include "search/tree.hpp"

namespace exactree {

// A tree, what it costs and how many splits it has.
struct MaskPlan {
  Cost cost = kInfinite;
  int splits = 0;
  Tree tree;
};

class MaskPlanner {
 public:
  MaskPlanner(MaskNode& root, int depth, Cost penalty, LeastSide least_side, Workspace& work);

  // The best tree found, always the same one for the same problem.
  MaskPlan run();

 private:
  using Set = std::vector<std::uint64_t>;
  struct Place {
    int id = -1;           // of its mask; -1: all rows go to the first child
    bool flipped = false;  // the rows of the mask go to the second child
    int label = 0;
    Set rows;
  };

  bool bottom(int v) const { return v >= first_leaf_; }
  Place& place(int v) { return places_[static_cast<std::size_t>(v)]; }
  const Place& place(int v) const { return places_[static_cast<std::size_t>(v)]; }
  int id_of(MaskPlace place) const {
    return place.found() ? static_cast<int>(root_.tree().id(place)) : -1;
  }
  void start(bool random);
  bool improve();
  void choose_single(int v);
  bool choose_by_children(int v);
  void pour(int v);
  void send(int v, const Set& rows, Set out[2]) const;
  void add_wish(int v, const Set& rows, int side, MaskWish& wish) const;
  MaskPlan grown(int v);
  MaskPlan leaf(int v) const;
  bool stopped() const { return work_.control != nullptr && work_.control->stopped(); }

  MaskNode& root_;
  Cost penalty_;
  LeastSide least_side_;
  Workspace& work_;
  std::unique_ptr<Node> node_;  // of the rows of the split at hand
  int first_leaf_, splits_;
  std::vector<Place> places_;  // by rows of a binary heap, from 1
  std::mt19937_64 dice_{20240229};
};

}  // namespace exactree

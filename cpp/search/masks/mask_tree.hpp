// A tree over side masks: what all masks of a branch have in common.
//
// A side mask is a split given by the rows it sends left. Masks are many (millions of hyperplanes
// part a few hundred points), and most are much alike. So they are the leaves of a tree whose every
// node holds P, the rows that all masks below send left (AND), and O, the rows that some mask below
// sends left (OR). Whatever mask below is chosen, P goes left and the rows outside O go right. That
// one tree serves the search for single splits (kernel.hpp) and the search for a split with
// trees on both sides (mask_source.cpp).
//
// The tree grows where it is looked at: a search touches a few per cent of it. Threads share it.
// What it looks like depends on the masks alone, not on who looked where first.
//
// Masks are listed, or they are the cells of arrangements, which nobody lists: then a branch is a
// cell of some of the points, and grows by cutting it (geometry/arrangement.hpp). With several
// sources the tree has a branch for each.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "geometry/arrangement.hpp"

namespace exactree {

struct Workspace;

// A threshold of a rank column as a mask: rows with a rank below `rank` go left.
struct MaskThreshold {
  int column;
  int rank;
};

// Masks that are the cells of an arrangement: row i is where its point points[i] is. Points are
// numbered in the order in which rows have them. Both must outlive the tree.
struct MaskCells {
  Arrangement* arrangement;
  const std::uint32_t* points;
};

// Where a mask is in the tree: its number in a twig, or any mask of a branch.
struct MaskPlace {
  int branch = -1;
  std::uint32_t which = 0;
  static constexpr std::uint32_t kAny = ~std::uint32_t{0};
  bool found() const { return branch >= 0; }
};

class MaskTree {
 public:
  using Word = std::uint64_t;

  struct Branch {
    std::uint32_t begin = 0, end = 0;  // its masks, if they are listed
    std::uint32_t first = 0;           // the lowest id among them
    int source = kListed;              // or the number of the arrangement, or kSeveral
    std::unique_ptr<Cell> cell;        // while it is closed
    Word patterns = 0;                 // a twig: in which ways the open points can be parted
    // Its child is the first of two, or one of these:
    static constexpr int kClosed = -1, kTwig = -2, kListed = -1, kSeveral = -2;
  };

  // `masks` has `count` masks of `words` words and must outlive the tree. The thresholds of
  // `columns` rank columns of `rows` rows become further masks. Nothing is done before start().
  MaskTree(const Word* masks, std::size_t count, int rows, const std::int32_t* ranks, int columns,
           std::vector<MaskCells> cells = {});

  // Lists what there is and makes the root. False if the search was stopped meanwhile.
  bool start(Workspace& work);

  int rows() const { return rows_; }
  int words() const { return words_; }
  int columns() const { return columns_; }
  // The masks that are listed.
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty() && cells_.empty(); }

  static constexpr int kRoot = 0;
  const Branch& branch(int i) const { return chunk(i).branches[offset(i)]; }
  // The rows that every mask of the branch, and that some mask of it, sends left.
  const Word* all(int i) const { return &chunk(i).sets[2 * offset(i) * width()]; }
  const Word* some(int i) const { return all(i) + words_; }
  // The children of a branch, made on demand; Branch::kTwig if it has a few masks only,
  // Branch::kClosed if the search was stopped meanwhile.
  int open(int i, Workspace& work) {
    const int child = link(i).load(std::memory_order_acquire);
    return child != Branch::kClosed ? child : grow(i, work);
  }
  // Says that somebody may look at the children of these two soon: the tree is larger than caches.
  void expect(int i) const {
    for (int c = 0; c < 2; ++c) {
      const int child = link(i + c).load(std::memory_order_relaxed);
      if (child < 0) continue;
      const char* at = reinterpret_cast<const char*>(all(child));
      for (std::size_t k = 0; k < 4 * width() * sizeof(Word); k += 64) __builtin_prefetch(at + k);
    }
  }
  // The masks of a twig. One of them may be written to `room`.
  std::uint32_t twig_size(int i) const;
  const Word* twig_mask(int i, std::uint32_t which, Word* room) const;
  // Some mask of a branch, always the same; none if the search was stopped meanwhile.
  MaskPlace first_of(int i, Workspace& work);
  // All masks, in the order of the tree, which grows to its full size; for the audit and tests.
  template <class Do>
  void for_all(Workspace& work, Do action) {
    if (start(work) && !empty()) for_all_below(kRoot, work, action);
  }
  // A mask at random; -1 if the search was stopped meanwhile.
  int random(std::mt19937_64& dice, Workspace& work);

  // The id for the mask of a cell that was found elsewhere.
  std::uint32_t adopt(int source, const Word* mask) { return keep(source, mask); }
  // The id of a mask. Where all masks of a branch part the rows alike, any of their ids will do.
  std::uint32_t id(MaskPlace place);
  // The mask with an id: first those that were listed, in that order, then thresholds, then cells
  // whose ids were asked for.
  const Word* given(std::uint32_t id) const;
  // Where a listed mask stands in the given list; for a threshold, its column after all of these.
  int feature(std::uint32_t id) const;
  int source(std::uint32_t id) const;  // of a cell
  const MaskThreshold* threshold(std::uint32_t id) const {
    return id < given_count_ || id >= size() ? nullptr : &thresholds_[id - given_count_];
  }
  std::int32_t rank(int column, int row) const {
    return ranks_[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_) +
                  static_cast<std::size_t>(row)];
  }

 private:
  // Branches never move, so that threads may look at them while others grow.
  static constexpr std::size_t kChunk = 1024;
  struct Chunk {
    std::unique_ptr<std::atomic<int>[]> links;  // to the children
    std::unique_ptr<Branch[]> branches;
    std::vector<Word> sets;
  };
  struct Kept {
    int source;
    std::vector<Word> mask;
  };

  std::size_t width() const { return static_cast<std::size_t>(words_); }
  static std::size_t offset(int i) { return static_cast<std::size_t>(i) % kChunk; }
  const Chunk& chunk(int i) const { return *chunks_[static_cast<std::size_t>(i) / kChunk]; }
  std::atomic<int>& link(int i) const { return chunk(i).links[offset(i)]; }
  Branch& own(int i) { return chunk(i).branches[offset(i)]; }
  Word* sets(int i) { return const_cast<Word*>(all(i)); }

  template <class Do>
  void for_all_below(int i, Workspace& work, Do& action) {
    const int child = open(i, work);
    if (child == Branch::kClosed) return;
    if (child != Branch::kTwig) {
      for (int c = 0; c < 2; ++c) for_all_below(child + c, work, action);
      return;
    }
    std::vector<Word> room(width());
    for (std::uint32_t m = 0; m < twig_size(i); ++m) action(twig_mask(i, m, room.data()));
  }
  const Word* mask(std::uint32_t place) const { return &masks_[place * width()]; }
  bool list_thresholds(int column, Workspace& work);
  bool copy_masks(Workspace& work);
  bool plant(int i, int source, Workspace& work);
  bool plant_one(int i, int source, Workspace& work);
  void plant_cells(int i, int source);
  void decide(int i, const CellSide& side);
  int grow(int i, Workspace& work);
  int grow_listed(int i, Workspace& work);
  int grow_cell(int i, Workspace& work);
  std::uint32_t keep(int source, const Word* mask);
  int new_branches(int count, Workspace& work);
  int balanced_row(int i) const;
  bool part(std::uint32_t begin, std::uint32_t end, int row, Workspace& work,
            std::uint32_t& middle);
  bool sum_up(int i, Workspace& work);

  int rows_, words_;
  const Word* given_;
  std::size_t given_count_;
  const std::int32_t* ranks_;
  std::vector<MaskThreshold> thresholds_;
  std::vector<Word> threshold_masks_;
  std::vector<Word> masks_;  // in the order of the tree
  std::vector<std::uint32_t> ids_;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // as many as there can be at most
  int branches_ = 0;
  bool started_ = false;
  std::mutex growing_;

  int columns_;
  std::vector<MaskCells> cells_;
  // By source: the rows of each point.
  std::vector<std::vector<std::vector<std::uint32_t>>> rows_at_;
  mutable std::mutex keeping_;
  std::deque<Kept> kept_;
};

}  // namespace exactree

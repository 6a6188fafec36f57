// A tree over side masks: what all masks of a branch have in common.
//
// A side mask is a split given by the rows it sends left. Masks are many (millions of hyperplanes
// part a few hundred points), and most are much alike. So they are the leaves of a tree whose every
// node holds P, the rows that all masks below send left (AND), and O, the rows that some mask below
// sends left (OR). Whatever mask below is chosen, P goes left and the rows outside O go right. That
// one tree serves the search for single splits (mask_kernel.hpp) and the search for a split with
// trees on both sides (mask_worker.cpp).
//
// The tree grows where it is looked at: a search touches a few per cent of it. Threads share it.
// What it looks like depends on the masks alone, not on who looked where first.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace exactree {

struct Workspace;

// A threshold of a rank column as a mask: rows with a rank below `rank` go left.
struct MaskThreshold {
  int column;
  int rank;
};

class MaskTree {
 public:
  using Word = std::uint64_t;

  struct Branch {
    std::uint32_t begin = 0, end = 0;  // its masks
    std::uint32_t first = 0;           // the lowest id among them
    std::atomic<int> child = kClosed;  // the first of two, or one of these:
    static constexpr int kClosed = -1, kTwig = -2;
  };

  // `masks` has `count` masks of `words` words and must outlive the tree. The thresholds of
  // `columns` rank columns of `rows` rows become further masks.
  MaskTree(const Word* masks, std::size_t count, int rows, const std::int32_t* ranks, int columns);

  int rows() const { return rows_; }
  int words() const { return words_; }
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }

  static constexpr int kRoot = 0;
  const Branch& branch(int i) const { return chunk(i).branches[offset(i)]; }
  // The rows that every mask of the branch, and that some mask of it, sends left.
  const Word* all(int i) const { return &chunk(i).sets[2 * offset(i) * width()]; }
  const Word* some(int i) const { return all(i) + words_; }
  // The children of a branch, made on demand; Branch::kTwig if it has a few masks only,
  // Branch::kClosed if the search was stopped meanwhile.
  int open(int i, Workspace& work) {
    const int child = branch(i).child.load(std::memory_order_acquire);
    return child != Branch::kClosed ? child : grow(i, work);
  }
  // A mask of a twig (its place is between begin and end), and the id of a place.
  const Word* mask(std::uint32_t place) const { return &masks_[place * width()]; }
  std::uint32_t id(std::uint32_t place) const { return ids_[place]; }

  // The masks as they were given: ids are places in that order, thresholds come last.
  const Word* given(std::uint32_t id) const {
    return id < given_count_ ? given_ + id * width()
                             : &threshold_masks_[(id - given_count_) * width()];
  }
  // Where a mask stands in the given list, or, for a threshold, its column after all masks.
  int feature(std::uint32_t id) const;
  const MaskThreshold* threshold(std::uint32_t id) const {
    return id < given_count_ ? nullptr : &thresholds_[id - given_count_];
  }
  std::int32_t rank(int column, int row) const {
    return ranks_[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_) +
                  static_cast<std::size_t>(row)];
  }
  std::int64_t bytes() const;

 private:
  // Branches never move, so that threads may look at them while others grow.
  static constexpr std::size_t kChunk = 1024;
  struct Chunk {
    std::unique_ptr<Branch[]> branches;
    std::vector<Word> sets;
  };

  std::size_t width() const { return static_cast<std::size_t>(words_); }
  static std::size_t offset(int i) { return static_cast<std::size_t>(i) % kChunk; }
  const Chunk& chunk(int i) const { return *chunks_[static_cast<std::size_t>(i) / kChunk]; }
  Branch& own(int i) { return chunk(i).branches[offset(i)]; }
  Word* sets(int i) { return const_cast<Word*>(all(i)); }

  void list_thresholds(const std::int32_t* ranks, int columns);
  void copy_masks();
  int grow(int i, Workspace& work);
  int new_branches(int count, Workspace* work);
  int balanced_row(int i) const;
  bool part(std::uint32_t begin, std::uint32_t end, int row, Workspace& work,
            std::uint32_t& middle);
  bool sum_up(int i, Workspace* work);

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
  std::mutex growing_;
};

}  // namespace exactree

// The audit build: optima by brute force, so that no bound has to be believed.
//
// A pruning is a claim about an optimum. With EXACTREE_AUDIT the search states its claims while it
// runs (claims.hpp), and here is what they are judged by: a recursion over all splits of a set of
// rows, as plain as possible. It shares no code with the search, leaf costs included, and prunes
// nothing. (Of side masks it lists those of the MaskTree, which has tests of its own.) Without
// EXACTREE_AUDIT none of this is compiled.
#pragma once

#ifdef EXACTREE_AUDIT

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/problem.hpp"
#include "search/tree.hpp"

namespace exactree {

// Problems with more rows are not audited.
inline constexpr int kAuditedRows = 256;
using RowSet = std::bitset<kAuditedRows>;

class Audit {
 public:
  explicit Audit(const Problem& data) : data_(data) {}

  // A way to divide rows by one column; `position` rows (not counting repetitions) go left.
  struct Split {
    int position;
    RowSet left, right;
  };
  // What a subproblem may use. `limited`: every split keeps to least_side.
  struct Terms {
    int depth, splits;
    bool limited;
  };

  // The least cost of a tree on these rows.
  Cost optimum(const RowSet& rows, Terms terms);
  // The least cost of a tree that divides its rows in this way first; infinite if it may not.
  Cost split_optimum(const Split& split, Terms terms);
  // The least cost, without the penalty, of one split of column f with a leaf on either side; the
  // cost of a single leaf if there is none, or if that is less.
  Cost one_split(const RowSet& rows, int f, bool limited) const;
  Cost leaf(const RowSet& rows) const;

  std::vector<Split> splits(const RowSet& rows, int f) const;
  // All ways to divide rows, by columns or by side masks; of masks, those that differ there.
  std::vector<Split> splits(const RowSet& rows) const;
  // The rows of a packed set.
  RowSet unpacked(const std::uint64_t* words) const;
  // The rows with a lower rank.
  RowSet below(const RowSet& rows, int f, int rank) const;
  // What a tree costs on all rows, penalties included; infinite if it breaks least_side.
  Cost tree_cost(const Tree& tree) const;
  RowSet all() const;

  // Whether brute force is quick enough for these rows.
  bool affords(const RowSet& rows, int depth) const;
  const Problem& data() const { return data_; }

 private:
  struct Key {
    RowSet rows;
    int depth, splits;
    bool limited;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::vector<Split> mask_splits(const RowSet& rows) const;
  RowSet left_of(const RowSet& rows, const TreeNode& node) const;
  Cost compute(const RowSet& rows, Terms terms);
  // What predicting one class for these rows costs.
  Cost prediction_cost(const RowSet& rows, int prediction) const;
  // Squared error by the definition in squares.hpp, before it is shifted.
  __extension__ typedef __int128 Exact;
  Exact error(const RowSet& rows) const;
  Cost two_leaves(const Split& split) const;
  Cost join(const Split& split, Terms terms);
  int rows_for(const RowSet& rows) const;
  bool allows(const Split& split, bool limited) const;
  Cost subtree_cost(const Tree& tree, int at, const RowSet& rows) const;
  Cost cost(int row) const { return data_.weights == nullptr ? data_.unit : data_.weights[row]; }

  const Problem& data_;
  std::mutex mutex_;  // threads ask about one root
  std::unordered_map<Key, Cost, Hash> known_;
};

// What a node carries in the audit build: which rows it has.
struct AuditedRows {
  std::shared_ptr<Audit> audit;  // null: too many rows
  RowSet rows;

  void set_root(const Problem& data);
  void set_child(const AuditedRows& parent, int f, int rank, bool left);
  static std::shared_ptr<Audit> root_of(const Problem& data);
  void set_packed(const std::shared_ptr<Audit>& of, const std::uint64_t* words);
};

// Ends the search with an error that says which claim is false.
[[noreturn]] void false_claim(const std::string& name, const std::string& numbers);

}  // namespace exactree

#endif

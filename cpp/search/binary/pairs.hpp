// The best second splits of both sides of every column, from counts of pairs.
//
// Letters
//   i, j    columns; the rows with i set are its inner side, the others its outer side
//   right   rows of the majority class, in a leaf or in the leaves of a subtree
//
// With n(i, j) the rows of a class that have both set, the four leaves of the tree that splits by i
// and then by j hold n(i, j), n(i) - n(i, j), n(j) - n(i, j) and the rest. One pass over the pairs
// i <= j tells, for every column, the best second split of either side: depth two is solved.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "search/binary/margins.hpp"

namespace exactree::EXACTREE_ISA {

// A set of rows: per class, how many there are and how many have each column set.
template <class Count>
struct SetCounts {
  int columns = 0, stride = 0, classes = 0, rows = 0;
  const Count* set = nullptr;  // classes x stride, zero beyond the last column
  const int* total = nullptr;  // per class
};

template <class Count>
class SecondSplits {
 public:
  // Rows right with at most one more split, on the inner and the outer side of each column. The
  // pairs are those of `table`, less those of `minus` if there is one. K: classes, 0 if many.
  template <int K, class Minus>
  void find(const SetCounts<Count>& rows, const Count* table, const Minus* minus,
            std::size_t table_size) {
    const int classes = K > 0 ? K : rows.classes, stride = rows.stride;
    Count* in = in_.room(at(stride));
    Count* out = out_.room(at(stride));
    std::fill(in, in + stride, Count{0});
    std::fill(out, out + stride, Count{0});
    for (int i = 0; i < rows.columns; ++i) {
      Register best_in = Register::zero(), best_out = Register::zero();
      const std::size_t row = at(i) * at(stride);
      for (int j = i / kSize * kSize; j < stride; j += kSize) {
        Register both = Register::zero(), only_i = both, only_j = both, none = both;
        for (int c = 0; c < classes; ++c) {
          const Count* set = rows.set + c * stride;
          const std::size_t from = at(c) * table_size + row + at(j);
          Register n = Register::load(table + from);
          if (minus != nullptr) n = n - Register::load_narrow(minus + from);
          const Register without = Register::load(set + j) - n;
          both = max(both, n);
          only_i = max(only_i, Register::splat(set[i]) - n);
          only_j = max(only_j, without);
          none = max(none, Register::splat(static_cast<Count>(rows.total[c] - set[i])) - without);
        }
        best_in = max(best_in, both + only_i);
        best_out = max(best_out, only_j + none);
        max(Register::load(in + j), both + only_j).store(in + j);
        max(Register::load(out + j), only_i + none).store(out + j);
      }
      in[i] = std::max(in[i], best_in.largest());
      out[i] = std::max(out[i], best_out.largest());
    }
    find_leaves(rows, classes);
  }

  // What the best column makes of it. Columns beyond the last stand for no split at all.
  FewestErrors fewest(const SetCounts<Count>& rows) const {
    Register one = Register::zero(), two = one, three = one;
    for (int j = 0; j < rows.stride; j += kSize) {
      const Register leaf_in = Register::load(leaf_in_.data() + j);
      const Register leaf_out = Register::load(leaf_out_.data() + j);
      const Register in = Register::load(in_.data() + j), out = Register::load(out_.data() + j);
      one = max(one, leaf_in + leaf_out);
      two = max(two, max(leaf_in + out, in + leaf_out));
      three = max(three, in + out);
    }
    FewestErrors e{0, rows.rows - one.largest(), rows.rows - two.largest(),
                   rows.rows - three.largest()};
    e[0] = rows.rows - *std::max_element(rows.total, rows.total + rows.classes);
    for (std::size_t k = 1; k < 4; ++k) e[k] = std::min(e[k], e[k - 1]);
    return e;
  }

  int in(int i) const { return in_.data()[i]; }
  int out(int i) const { return out_.data()[i]; }
  int leaf_in(int i) const { return leaf_in_.data()[i]; }
  int leaf_out(int i) const { return leaf_out_.data()[i]; }

 private:
  using Register = Lanes<Count>;
  static constexpr int kSize = Register::kSize;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void find_leaves(const SetCounts<Count>& rows, int classes) {
    Count* in = leaf_in_.room(at(rows.stride));
    Count* out = leaf_out_.room(at(rows.stride));
    for (int j = 0; j < rows.stride; j += kSize) {
      Register most_in = Register::zero(), most_out = most_in;
      for (int c = 0; c < classes; ++c) {
        const Register n = Register::load(rows.set + c * rows.stride + j);
        most_in = max(most_in, n);
        most_out = max(most_out, Register::splat(static_cast<Count>(rows.total[c])) - n);
      }
      most_in.store(in + j);
      most_out.store(out + j);
    }
  }

  Buffer<Count> in_, out_, leaf_in_, leaf_out_;
};

// The same, one by one, with enough rows on both sides of every split. Numbers are
// errors here; a side that may not be split keeps the errors of its leaf.
class LimitedSplits {
 public:
  template <class Count, class Minus>
  void find(const SetCounts<Count>& rows, const Count* table, const Minus* minus,
            std::size_t table_size, LeastSide least_side) {
    const std::size_t n = static_cast<std::size_t>(rows.columns);
    for (auto* list : {&in_, &out_, &leaf_in_, &leaf_out_}) list->assign(n, 0);
    allowed_.assign(n, 0);
    for (int i = 0; i < rows.columns; ++i) {
      const auto at = static_cast<std::size_t>(i);
      int inner = 0, most_in = 0, most_out = 0;
      for (int c = 0; c < rows.classes; ++c) {
        const int set = rows.set[c * rows.stride + i];
        inner += set;
        most_in = std::max(most_in, set);
        most_out = std::max(most_out, rows.total[c] - set);
      }
      leaf_in_[at] = inner - most_in;
      leaf_out_[at] = rows.rows - inner - most_out;
      allowed_[at] = least_side.allows(inner, rows.rows - inner);
      in_[at] = leaf_in_[at];
      out_[at] = leaf_out_[at];
    }
    for (int i = 0; i < rows.columns; ++i)
      for (int j = i + 1; j < rows.columns; ++j)
        look_at(rows, table, minus, table_size, least_side, i, j);
  }

  FewestErrors fewest(const int* total, int classes, int rows) const {
    const int leaf = rows - *std::max_element(total, total + classes);
    FewestErrors e{leaf, leaf, leaf, leaf};
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (!allowed_[i]) continue;
      e[1] = std::min(e[1], leaf_in_[i] + leaf_out_[i]);
      e[2] = std::min({e[2], leaf_in_[i] + out_[i], in_[i] + leaf_out_[i]});
      e[3] = std::min(e[3], in_[i] + out_[i]);
    }
    for (std::size_t k = 1; k < 4; ++k) e[k] = std::min(e[k], e[k - 1]);
    return e;
  }
  int in(int i) const { return in_[static_cast<std::size_t>(i)]; }
  int out(int i) const { return out_[static_cast<std::size_t>(i)]; }

 private:
  template <class Count, class Minus>
  void look_at(const SetCounts<Count>& rows, const Count* table, const Minus* minus,
               std::size_t table_size, LeastSide least_side, int i, int j) {
    int size[4] = {0, 0, 0, 0}, most[4] = {0, 0, 0, 0};  // both, only i, only j, none
    for (int c = 0; c < rows.classes; ++c) {
      const std::size_t from = static_cast<std::size_t>(c) * table_size +
                               static_cast<std::size_t>(i) * static_cast<std::size_t>(rows.stride) +
                               static_cast<std::size_t>(j);
      const int both = table[from] - (minus != nullptr ? minus[from] : 0);
      const int with_i = rows.set[c * rows.stride + i], with_j = rows.set[c * rows.stride + j];
      const int n[4] = {both, with_i - both, with_j - both, rows.total[c] - with_i - with_j + both};
      for (int q = 0; q < 4; ++q) size[q] += n[q], most[q] = std::max(most[q], n[q]);
    }
    const auto lower = [&](std::vector<int>& best, int column, int a, int b) {
      if (!least_side.allows(size[a], size[b])) return;
      int& e = best[static_cast<std::size_t>(column)];
      e = std::min(e, size[a] - most[a] + size[b] - most[b]);
    };
    lower(in_, i, 0, 1);
    lower(out_, i, 2, 3);
    lower(in_, j, 0, 2);
    lower(out_, j, 1, 3);
  }

  std::vector<int> in_, out_, leaf_in_, leaf_out_;
  std::vector<char> allowed_;
};

}  // namespace exactree::EXACTREE_ISA

// Scan: the best single splits of the two sides of thresholds of a node.
//
// The places of every column are taken in blocks. A split within a block has on its left all that
// lies before the block, and on its right all after it. By Mono it costs no less than leaves of
// these two: where that is no less than the best split so far, the block is not looked into.
#pragma once

#include "basics.hpp"
#include "rows.hpp"

namespace checker {

// What a side costs: as a leaf, and with a single split at most, without and with the limit.
struct SideCosts {
  Cost leaf = 0, split[2] = {0, 0};
};

class Scan {
 public:
  Scan(const Rows& rows, const Order& order)
      : rows_(rows),
        order_(order),
        n_(order[0].size()),
        places_(n_ < 4096 ? 32 : 64),
        blocks_((n_ + places_ - 1) / places_),
        sums_(rows.classes + 1),
        block_(rows.columns * rows.n),
        ends_(rows.columns * n_, 0),
        whole_(rows.columns * blocks_ * sums_, 0),
        before_(rows.columns * (blocks_ + 1) * sums_),
        bound_(rows.columns * blocks_),
        is_left_(rows.n, 0),
        total_(sums_),
        near_(sums_),
        far_(sums_) {
    demand(whole_.size() < std::size_t{1} << 32, "too large for this checker");
    for (std::size_t g = 0; g < rows.columns; ++g)
      for (std::size_t i = 0; i < n_; ++i) {
        const auto row = static_cast<std::size_t>(order[g][i]);
        const std::size_t at = (g * blocks_ + i / places_) * sums_;
        block_[row * rows.columns + g] = static_cast<std::uint32_t>(at);
        ends_[g * n_ + i] = i + 1 < n_ && rows.ends(g, order[g], i);
        add(whole_, at, row);
      }
  }

  // Begin with the thresholds of a column: nothing is left of them yet.
  void start(std::size_t f) {
    f_ = f;
    moved_ = 0;
    left_.assign(whole_.size(), 0);
    for (const int row : order_[f]) is_left_[static_cast<std::size_t>(row)] = 0;
  }
  // Go on to the threshold after so many rows.
  void move_to(std::size_t position) {
    for (; moved_ < position; ++moved_) {
      const auto row = static_cast<std::size_t>(order_[f_][moved_]);
      is_left_[row] = 1;
      for (std::size_t g = 0; g < rows_.columns; ++g)
        add(left_, block_[row * rows_.columns + g], row);
    }
  }

  // The left side (0) of the threshold, or the right one (1).
  SideCosts best(int side) {
    sum_up(side);
    SideCosts out;
    out.leaf = rows_.leaf(total_.data());
    best_[0] = best_[1] = out.leaf - rows_.penalty;
    std::size_t promising = 0;
    for (std::size_t g = 0; g < rows_.columns; ++g) bound_blocks(g, promising);
    look(promising / blocks_, promising % blocks_, side);
    for (std::size_t at = 0; at < bound_.size(); ++at)
      if (bound_[at] < best_[0] || (bound_[at] < best_[1] && has_room(at)))
        look(at / blocks_, at % blocks_, side);
    for (int v = 0; v < 2; ++v) out.split[v] = std::min(out.leaf, best_[v] + rows_.penalty);
    return out;
  }

 private:
  // The sums are the weights of the classes, and the size.
  void add(std::vector<Cost>& to, std::size_t at, std::size_t row) const {
    to[at + static_cast<std::size_t>(rows_.label[row])] += rows_.weight[row];
    to[at + rows_.classes] += rows_.size[row];
  }
  Cost* before(std::size_t g, std::size_t b) { return &before_[(g * (blocks_ + 1) + b) * sums_]; }

  // What the side has before each block of each column.
  void sum_up(int side) {
    for (std::size_t g = 0; g < rows_.columns; ++g) {
      std::fill_n(before(g, 0), sums_, 0);
      for (std::size_t b = 0; b < blocks_; ++b) {
        const std::size_t at = (g * blocks_ + b) * sums_;
        const Cost* from = before(g, b);
        Cost* to = before(g, b + 1);
        for (std::size_t c = 0; c < sums_; ++c)
          to[c] = from[c] + (side == 0 ? left_[at + c] : whole_[at + c] - left_[at + c]);
      }
    }
    std::copy_n(before(0, blocks_), sums_, total_.begin());
  }

  // Bounds of the splits within the blocks of a column; and the splits between blocks.
  void bound_blocks(std::size_t g, std::size_t& promising) {
    Cost left = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const Cost* end = before(g, b + 1);
      for (std::size_t c = 0; c < sums_; ++c) far_[c] = total_[c] - end[c];
      const Cost right = rows_.leaf(far_.data());
      const std::size_t at = g * blocks_ + b;
      bound_[at] = left + right;
      left = rows_.leaf(end);
      const std::size_t last = (b + 1) * places_ - 1;
      if (last < n_ && ends_[g * n_ + last] != 0) offer(left + right, end, far_.data());
      if (bound_[at] < bound_[promising]) promising = at;
    }
  }

  bool has_room(std::size_t at) {
    const std::size_t g = at / blocks_, b = at % blocks_, size = rows_.classes;
    return before(g, b + 1)[size] >= rows_.least &&
           total_[size] - before(g, b)[size] >= rows_.least;
  }

  void offer(Cost cost, const Cost* left, const Cost* right) {
    best_[0] = std::min(best_[0], cost);
    if (std::min(left[rows_.classes], right[rows_.classes]) >= rows_.least)
      best_[1] = std::min(best_[1], cost);
  }

  // All splits within a block.
  void look(std::size_t g, std::size_t b, int side) {
    for (std::size_t c = 0; c < sums_; ++c) {
      near_[c] = before(g, b)[c];
      far_[c] = total_[c] - near_[c];
    }
    for (std::size_t i = b * places_; i < std::min(n_, (b + 1) * places_); ++i) {
      const auto row = static_cast<std::size_t>(order_[g][i]);
      if (is_left_[row] == 1 - side) {
        near_[static_cast<std::size_t>(rows_.label[row])] += rows_.weight[row];
        far_[static_cast<std::size_t>(rows_.label[row])] -= rows_.weight[row];
        near_[rows_.classes] += rows_.size[row];
        far_[rows_.classes] -= rows_.size[row];
      }
      if (ends_[g * n_ + i] != 0)
        offer(rows_.leaf(near_.data()) + rows_.leaf(far_.data()), near_.data(), far_.data());
    }
  }

  const Rows& rows_;
  const Order& order_;
  std::size_t n_, places_, blocks_, sums_, f_ = 0, moved_ = 0;
  std::vector<std::uint32_t> block_;  // by row and column: where the sums of its block are
  std::vector<char> ends_;            // by column and place: a larger value follows
  std::vector<Cost> whole_, left_;    // by column, block and sum: all rows, and those left
  std::vector<Cost> before_;
  std::vector<Cost> bound_;  // by column and block
  std::vector<char> is_left_;
  std::vector<Cost> total_, near_, far_;
  Cost best_[2] = {0, 0};
};

}  // namespace checker

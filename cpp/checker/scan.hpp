// Scan: the best single splits of the two sides of thresholds of a node.
//
// The places of every column are taken in blocks. A split within a block has on its left all that
// lies before the block, and on its right all after it. By Mono it costs no less than leaves of
// these two, so it saves no more than they do and what the rows of the block can cost: where that
// is no more than the best split so far saves, the block is not looked into.
//
// What a leaf saves is what its rows can cost at most, less what they cost with the best answer.
#pragma once

#include "basics.hpp"
#include "rows.hpp"

namespace checker {

// What a side costs: as a leaf, and with a single split at most, without and with the limit.
struct SideCosts {
  Cost leaf = 0, split[2] = {0, 0};
};

// T holds all sums and costs: 16 or 32 bits where they are enough.
template <class T>
class Scan {
 public:
  Scan(const Rows& rows, const Order& order)
      : rows_(rows),
        order_(order),
        n_(order[0].size()),
        places_(n_ < 4096 ? 16 : 32),
        blocks_((n_ + places_ - 1) / places_),
        width_(blocks_ + 1),
        limited_(rows.least > 1),
        sums_(rows.classes + (limited_ ? 1 : 0)),
        block_(rows.columns * rows.n),
        ends_(rows.columns * n_, 0),
        whole_(rows.columns * sums_ * width_, 0),
        before_(rows.columns * sums_ * width_),
        most_(rows.columns * blocks_),
        is_left_(rows.n, 0),
        total_(sums_),
        near_(sums_),
        far_(sums_) {
    demand(whole_.size() < std::size_t{1} << 32, "too large for this checker");
    for (auto* each : {&saved_left_, &saved_right_, &weight_, &gain_}) each->resize(width_);
    for (std::size_t g = 0; g < rows.columns; ++g)
      for (std::size_t i = 0; i < n_; ++i) {
        const auto row = static_cast<std::size_t>(order[g][i]);
        const std::size_t at = g * sums_ * width_ + i / places_;
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
    for (std::size_t k = 0; k < sums_; ++k) total_[k] = 0;
    for (std::size_t b = 0; b < blocks_; ++b)
      for (std::size_t k = 0; k < sums_; ++k) add_to(total_[k], part(side, k * width_ + b));
    const Cost worst = influence(total_.data()), alone = saved(total_.data());
    best_[0] = best_[1] = alone + rows_.penalty;
    std::size_t promising = 0;
    for (std::size_t g = 0; g < rows_.columns; ++g) {
      sum_up(g, side);
      weigh(g);
      bound_blocks(g, promising);
    }
    look(promising / blocks_, promising % blocks_, side);
    for (std::size_t at = 0; at < most_.size(); ++at)
      if (most_[at] > best_[0] || (limited_ && most_[at] > best_[1] && has_room(at)))
        look(at / blocks_, at % blocks_, side);
    if (!limited_) best_[1] = best_[0];
    SideCosts out;
    out.leaf = worst - alone;
    for (int v = 0; v < 2; ++v) out.split[v] = worst - best_[v] + rows_.penalty;
    return out;
  }

 private:
  static void add_to(T& to, T more) { to = static_cast<T>(to + more); }
  // The sums are the weights of the classes, and with a limit the size: by column, kind and block.
  void add(std::vector<T>& to, std::size_t at, std::size_t row) const {
    add_to(to[at + static_cast<std::size_t>(rows_.label[row]) * width_],
           static_cast<T>(rows_.weight[row]));
    if (limited_) add_to(to[at + rows_.classes * width_], static_cast<T>(rows_.size[row]));
  }
  T part(int side, std::size_t at) const {
    return side == 0 ? left_[at] : static_cast<T>(whole_[at] - left_[at]);
  }
  T* before(std::size_t g, std::size_t kind) { return &before_[(g * sums_ + kind) * width_]; }

  Cost influence(const T* sums) const {
    Cost out = 0;
    for (std::size_t l = 0; l < rows_.classes; ++l) out += rows_.worst(l) * Cost{sums[l]};
    return out;
  }
  Cost saved(const T* sums) const {
    if (!rows_.costs.empty()) return saved_of_costs(sums);
    T most = sums[0];
    for (std::size_t l = 1; l < rows_.classes; ++l) most = std::max(most, sums[l]);
    return most;
  }
  Cost saved_of_costs(const T* sums) const {
    const std::vector<Cost> weights(sums, sums + rows_.classes);
    return influence(sums) - rows_.leaf(weights.data());
  }

  // What the side has before each block of a column.
  void sum_up(std::size_t g, int side) {
    for (std::size_t k = 0; k < sums_; ++k) {
      T* to = before(g, k);
      const std::size_t at = (g * sums_ + k) * width_;
      T sum = 0;
      for (std::size_t b = 0; b < blocks_; ++b) {
        to[b] = sum;
        add_to(sum, part(side, at + b));
      }
      to[blocks_] = sum;
    }
  }
  // What leaves of all before each block save, and of all that is not; and what the former weighs.
  void weigh(std::size_t g) {
    if (!rows_.costs.empty()) return weigh_one_by_one(g);
    T *left = saved_left_.data(), *right = saved_right_.data(), *weight = weight_.data();
    std::fill_n(left, width_, T{0});
    std::fill_n(right, width_, T{0});
    std::fill_n(weight, width_, T{0});
    for (std::size_t l = 0; l < rows_.classes; ++l) {
      const T *here = before(g, l), all = total_[l];
      for (std::size_t b = 0; b < width_; ++b) {
        left[b] = std::max(left[b], here[b]);
        right[b] = std::max(right[b], static_cast<T>(all - here[b]));
        weight[b] = static_cast<T>(weight[b] + here[b]);
      }
    }
  }
  void weigh_one_by_one(std::size_t g) {
    for (std::size_t b = 0; b < width_; ++b) {
      for (std::size_t k = 0; k < sums_; ++k) {
        near_[k] = before(g, k)[b];
        far_[k] = static_cast<T>(total_[k] - near_[k]);
      }
      saved_left_[b] = static_cast<T>(saved(near_.data()));
      saved_right_[b] = static_cast<T>(saved(far_.data()));
      weight_[b] = static_cast<T>(influence(near_.data()));
    }
  }

  // How much splits within the blocks of a column save at most; and the splits between blocks.
  void bound_blocks(std::size_t g, std::size_t& promising) {
    T* most = &most_[g * blocks_];
    for (std::size_t b = 0; b < blocks_; ++b) {
      most[b] = static_cast<T>(saved_left_[b] + saved_right_[b + 1] + weight_[b + 1] - weight_[b]);
      gain_[b] = static_cast<T>(saved_left_[b + 1] + saved_right_[b + 1]);
    }
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t last = (b + 1) * places_ - 1;
      if (gain_[b] > best_[1] && last < n_ && ends_[g * n_ + last] != 0)
        offer(gain_[b], limited_ ? before(g, rows_.classes)[b + 1] : T{0});
      if (most[b] > most_[promising]) promising = g * blocks_ + b;
    }
  }

  bool has_room(std::size_t at) {
    const T* size = before(at / blocks_, rows_.classes) + at % blocks_;
    return size[1] >= rows_.least && total_[rows_.classes] - size[0] >= rows_.least;
  }

  // A split that saves so much, with so much on its left if there is a limit.
  void offer(Cost gain, T left) {
    best_[0] = std::max(best_[0], gain);
    if (limited_ && std::min(left, static_cast<T>(total_[rows_.classes] - left)) < rows_.least)
      return;
    best_[1] = std::max(best_[1], gain);
  }

  // All splits within a block.
  void look(std::size_t g, std::size_t b, int side) {
    for (std::size_t k = 0; k < sums_; ++k) {
      near_[k] = before(g, k)[b];
      far_[k] = static_cast<T>(total_[k] - near_[k]);
    }
    for (std::size_t i = b * places_; i < std::min(n_, (b + 1) * places_); ++i) {
      const auto row = static_cast<std::size_t>(order_[g][i]);
      if (is_left_[row] == 1 - side) {
        move(static_cast<std::size_t>(rows_.label[row]), static_cast<T>(rows_.weight[row]));
        if (limited_) move(rows_.classes, static_cast<T>(rows_.size[row]));
      }
      if (ends_[g * n_ + i] != 0)
        offer(saved(near_.data()) + saved(far_.data()), limited_ ? near_[rows_.classes] : T{0});
    }
  }
  void move(std::size_t kind, T by) {
    add_to(near_[kind], by);
    add_to(far_[kind], static_cast<T>(-by));
  }

  const Rows& rows_;
  const Order& order_;
  std::size_t n_, places_, blocks_, width_;
  bool limited_;
  std::size_t sums_, f_ = 0, moved_ = 0;
  std::vector<std::uint32_t> block_;  // by row and column: where the sums of its block are
  std::vector<char> ends_;            // by column and place: a larger value follows
  std::vector<T> whole_, left_;       // all rows, and those left
  std::vector<T> before_;
  std::vector<T> most_;  // by column and block
  std::vector<char> is_left_;
  std::vector<T> total_, near_, far_;
  std::vector<T> saved_left_, saved_right_, weight_, gain_;  // by block, of one column
  Cost best_[2] = {0, 0};
};

}  // namespace checker

// Best single splits of rows of any weight, and for any table of costs.
//
// The rows of every column are taken in blocks of 64, and their gains by answer are summed up for
// the rows left of a threshold of the first column. A split within a block that beats a leaf gives
// answer a on its left and b on its right, a != b: it gains at most what a does up to the end of
// the block and b from its start on. Only blocks where this beats the best are looked at row by
// row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "proof/scanner.hpp"
#include "search/bits.hpp"

namespace exactree::EXACTREE_ISA::proving {

using namespace proof;

class WeighedScanner final : public Scanner {
 public:
  WeighedScanner(const Facts& facts, const Rows& rows)
      : facts_(facts),
        rows_(rows),
        features_(facts.problem.features),
        answers_(facts.problem.answers),
        blocks_((rows.n + 63) / 64),
        limited_(facts.problem.least > 1),
        place_(cells(64), std::numeric_limits<std::int32_t>::max()),
        ends_(cells(1), 0),
        all_(cells(answers_)),
        sums_(cells(answers_)),
        where_(static_cast<std::size_t>(facts.problem.rows)),
        reach_(static_cast<std::size_t>(features_)) {
    weights_.assign(cells(64), 0);
    labels_.assign(cells(64), 0);
    for (int g = 0; g < features_; ++g)
      for (int i = 0; i < rows.n; ++i) {
        const std::uint32_t r = row_of(rows.column(g)[i]);
        weights_[block(g, 0) * 64 + static_cast<std::size_t>(i)] = facts.problem.weights[r];
        labels_[block(g, 0) * 64 + static_cast<std::size_t>(i)] = facts.problem.labels[r];
      }
    for (int g = 0; g < features_; ++g) {
      for (int i = 0; i + 1 < rows.n; ++i)
        if (is_end(rows.column(g)[i])) ends_[block(g, i / 64)] |= Word{1} << (i % 64);
      for (int b = 0; b < blocks_; ++b) sum(g * blocks_ + b, valid(b), &all_[gains_at(g, b)]);
    }
    if (limited_) {
      size_all_.resize(cells(1));
      size_sums_.resize(cells(1));
      for (int g = 0; g < features_; ++g)
        for (int b = 0; b < blocks_; ++b) size_all_[block(g, b)] = size_of(g, b, valid(b));
    }
    for (Cost* work : {total_, left_, right_}) std::fill_n(work, kMost, Cost{0});
  }

  void first_column(int f) override {
    for (int i = 0; i < rows_.n; ++i)
      where_[row_of(rows_.column(f)[i])] = static_cast<std::int32_t>(i);
    for (int g = 0; g < features_; ++g) {
      const std::uint32_t* order = rows_.column(g);
      std::int32_t* out = &place_[block(g, 0) * 64];
      for (int i = 0; i < rows_.n; ++i) out[i] = where_[row_of(order[i])];
    }
  }

  void scan(int position, SideCosts out[2]) override {
    for (int g = 0; g < features_; ++g)
      for (int b = 0; b < blocks_; ++b) {
        const Word left = below(&place_[block(g, b) * 64], static_cast<std::int32_t>(position));
        sum(g * blocks_ + b, left, &sums_[gains_at(g, b)]);
        if (limited_) size_sums_[block(g, b)] = size_of(g, b, left);
      }
    for (int s = 0; s < 2; ++s) out[s] = best_of(s, position, nullptr, nullptr);
  }

  SideCosts scan_all(std::vector<Cost>& by_column, BestSplit& best) override {
    sums_ = all_;
    size_sums_ = size_all_;
    for (int g = 0; g < features_; ++g) std::fill_n(&place_[block(g, 0) * 64], rows_.n, 0);
    return best_of(0, 1, &by_column, &best);
  }

 private:
  static constexpr int kMost = 256;

  // The gains by answer of some rows of a block.
  void sum(int block, Word members, Cost* out) {
    Cost by_label[kMost];
    std::fill_n(by_label, facts_.problem.classes, Cost{0});
    for (; members != 0; members &= members - 1) {
      const std::size_t here =
          static_cast<std::size_t>(block) * 64 + static_cast<std::size_t>(first(members));
      by_label[labels_[here]] += weights_[here];
    }
    to_gains(facts_, by_label, out);
  }

  std::size_t cells(int each) const {
    return static_cast<std::size_t>(features_) * static_cast<std::size_t>(blocks_) *
           static_cast<std::size_t>(each);
  }
  std::size_t block(int g, int b) const { return static_cast<std::size_t>(g * blocks_ + b); }
  std::size_t gains_at(int g, int b) const {
    return block(g, b) * static_cast<std::size_t>(answers());
  }
  int answers() const { return answers_; }
  Word valid(int b) const { return low_bits(std::min(64, rows_.n - 64 * b)); }

  Cost size_of(int g, int b, Word members) const {
    if (!facts_.sized) return std::popcount(members);
    Cost sum = 0;
    for (; members != 0; members &= members - 1)
      sum += facts_.problem.sizes[row_of(rows_.column(g)[64 * b + first(members)])];
    return sum;
  }
  Cost more(int s, std::size_t i) const { return s == 0 ? sums_[i] : all_[i] - sums_[i]; }
  Cost more_size(int s, std::size_t i) const {
    return s == 0 ? size_sums_[i] : size_all_[i] - size_sums_[i];
  }

  SideCosts best_of(int s, int position, std::vector<Cost>* by_column, BestSplit* at) {
    const Cost penalty = facts_.problem.penalty;
    std::fill_n(total_, kMost, Cost{0});
    size_total_ = 0;
    for (int b = 0; b < blocks_; ++b) {
      for (int a = 0; a < answers(); ++a)
        total_[a] += more(s, gains_at(0, b) + static_cast<std::size_t>(a));
      if (limited_) size_total_ += more_size(s, block(0, b));
    }
    const Cost leaf = *std::max_element(total_, total_ + answers());
    // A split has to gain more than a leaf and its penalty.
    const Cost least = leaf + penalty;
    best_[0] = best_[1] = least;
    at_ = at;
    here_ = {};
    for (int g = 0; g < features_; ++g) {
      if (by_column != nullptr) best_[0] = best_[1] = least;
      reach_[static_cast<std::size_t>(g)] = sweep(g, s);
      if (by_column != nullptr) {
        if (reach_[static_cast<std::size_t>(g)] > lowest()) look_closer(g, s, position);
        (*by_column)[static_cast<std::size_t>(g)] = lowest();
        keep_best(g);
      }
    }
    if (by_column != nullptr) std::copy_n(kept_, 2, best_);
    for (int g = 0; by_column == nullptr && g < features_; ++g)
      if (reach_[static_cast<std::size_t>(g)] > lowest()) look_closer(g, s, position);
    SideCosts out;
    Cost rows = influence_of(s, position);
    out.leaf = rows - leaf;
    for (int v = 0; v < 2; ++v)
      out.split[v] = best_[v] > least ? rows - best_[v] + penalty : out.leaf;
    return out;
  }

  // While columns are ranked each starts afresh: remember the best of them.
  void keep_best(int g) {
    if (g == 0 || best_[limited_ ? 1 : 0] > kept_[limited_ ? 1 : 0]) {
      if (at_ != nullptr && here_.column == g) *at_ = here_;
    }
    for (int v = 0; v < 2; ++v) kept_[v] = g == 0 ? best_[v] : std::max(kept_[v], best_[v]);
  }

  // The most that the rows of a side can cost: gains are counted from there.
  Cost influence_of(int s, int position) const {
    if (facts_.gains.empty()) {
      Cost sum = 0;
      for (int a = 0; a < answers(); ++a) sum += total_[a];
      return sum;
    }
    Cost sum = 0;
    for (int i = 0; i < rows_.n; ++i)
      if ((place_[static_cast<std::size_t>(i)] < static_cast<std::int32_t>(position)) == (s == 0))
        sum += facts_.influence[row_of(rows_.column(0)[i])];
    return sum;
  }

  Cost lowest() const { return limited_ ? best_[1] : best_[0]; }

  // Splits between blocks; gives the most that one within a block could gain.
  Cost sweep(int g, int s) {
    std::fill_n(left_, answers(), Cost{0});
    std::copy_n(total_, answers(), right_);
    Cost size = 0;
    Cost reach = 0;
    for (int b = 0; b < blocks_; ++b) {
      const std::size_t start = gains_at(g, b);
      for (int a = 0; a < answers(); ++a) left_[a] += more(s, start + static_cast<std::size_t>(a));
      reach = std::max(reach, within());
      for (int a = 0; a < answers(); ++a) right_[a] = total_[a] - left_[a];
      if (limited_) size += more_size(s, block(g, b));
      if (ends_[block(g, b)] >> 63 != 0) offer(g, 64 * b + 64, size);
    }
    return reach;
  }

  void offer(int g, int position, Cost size) {
    const Cost gain =
        *std::max_element(left_, left_ + answers()) + *std::max_element(right_, right_ + answers());
    if (gain <= lowest()) return;
    best_[0] = std::max(best_[0], gain);
    const Cost needed = facts_.problem.least;
    if (limited_ && (size < needed || size_total_ - size < needed)) return;
    best_[1] = gain;
    here_ = {g, position};
    if (!limited_) best_[1] = best_[0];
  }

  // The most of left[a] + right[b], a != b.
  Cost within() const {
    if (answers() == 2) return std::max(left_[0] + right_[1], left_[1] + right_[0]);
    Cost first_most = right_[0], second = std::numeric_limits<Cost>::min() / 4, most = second;
    int which = 0;
    for (int b = 1; b < answers(); ++b) {
      if (right_[b] > first_most) {
        second = first_most;
        first_most = right_[b];
        which = b;
      } else {
        second = std::max(second, right_[b]);
      }
    }
    for (int a = 0; a < answers(); ++a)
      most = std::max(most, left_[a] + (a == which ? second : first_most));
    return most;
  }

  void look_closer(int g, int s, int position) {
    std::fill_n(left_, answers(), Cost{0});
    std::copy_n(total_, answers(), right_);
    Cost size = 0;
    for (int b = 0; b < blocks_; ++b) {
      const std::size_t start = gains_at(g, b);
      for (int a = 0; a < answers(); ++a) left_[a] += more(s, start + static_cast<std::size_t>(a));
      if (within() > lowest() && ends_[block(g, b)] != 0) look(g, b, s, position, size);
      for (int a = 0; a < answers(); ++a) right_[a] = total_[a] - left_[a];
      if (limited_) size += more_size(s, block(g, b));
    }
  }

  // Row by row through a block; right_ has what is right of its start.
  void look(int g, int b, int s, int position, Cost size) {
    Cost after_block[kMost];
    std::copy_n(left_, answers(), after_block);
    for (int a = 0; a < answers(); ++a) left_[a] = total_[a] - right_[a];
    const std::uint32_t* order = rows_.column(g) + 64 * b;
    const std::int32_t* place = &place_[block(g, b) * 64];
    const int n = std::min(64, rows_.n - 64 * b);
    for (int i = 0; i < n; ++i) {
      const std::uint32_t r = row_of(order[i]);
      if ((place[i] < static_cast<std::int32_t>(position)) == (s == 0)) {
        move(r);
        size += facts_.problem.sizes[r];
      }
      if (ends_[block(g, b)] >> i & 1) offer(g, 64 * b + i + 1, size);
    }
    std::copy_n(after_block, answers(), left_);
  }

  void move(std::uint32_t r) {
    const Cost weight = facts_.problem.weights[r];
    const int label = facts_.problem.labels[r];
    if (facts_.gains.empty()) {
      left_[label] += weight;
      right_[label] -= weight;
      return;
    }
    for (int a = 0; a < answers(); ++a) {
      const Cost gain = static_cast<Cost>(
          weight * facts_.gains[static_cast<std::size_t>(label * facts_.problem.answers + a)]);
      left_[a] += gain;
      right_[a] -= gain;
    }
  }

  const Facts& facts_;
  const Rows& rows_;
  int features_, answers_, blocks_;
  bool limited_;
  std::vector<Cost> weights_;         // by column and place there
  std::vector<std::int32_t> labels_;  // likewise
  std::vector<std::int32_t> place_;   // by column and place there: the place in the first column
  std::vector<Word> ends_;            // by column and block: where it can be split
  std::vector<Cost> all_, sums_;
  std::vector<Cost> size_all_, size_sums_;
  std::vector<std::int32_t> where_;
  std::vector<Cost> reach_;
  Cost total_[kMost], left_[kMost], right_[kMost];
  Cost best_[2] = {0, 0}, kept_[2] = {0, 0};
  Cost size_total_ = 0;
  BestSplit here_;
  BestSplit* at_ = nullptr;
};

}  // namespace exactree::EXACTREE_ISA::proving

// The optimum of a set of rows: branch and bound over first splits and their sides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "search/driver/control.hpp"
#include "search/sparse/pair_counts.hpp"
#include "search/sparse/row_set_table.hpp"
#include "search/sparse/sparse_node.hpp"

namespace exactree::EXACTREE_ISA {

// From so many columns on they are compared with each other early.
inline constexpr std::size_t kMany = 100;

template <class Count>
class SparseSolver {
 public:
  using Node = SparseNode<Count>;

  SparseSolver(const WeightedRows& rows, Cost penalty, Switches switches, std::int64_t table_bytes,
               Control& control)
      : rows_(rows),
        penalty_(penalty),
        switches_(switches),
        control_(control),
        builder_(rows, switches),
        pairs_(rows, penalty, switches.on(Pruning::kSecondSplit)),
        table_(rows.words, table_bytes, control) {}

  // The optimum if it is at most `cap`, else a bound above it (or any bound, once stopped); and a
  // tree's cost in any case. The node of this level is built, its key too.
  Bounds solve(int level, Cost cap) {
    Node& node = at(level);
    ++counters.nodes;
    control_.count_nodes(1);
    const Cost leaf = cost(node.errors);
    // A tree that is not a leaf costs a price at least.
    if (leaf <= penalty_ || node.columns == 0) return {leaf, leaf};
    if (std::min(cap, leaf - 1) < penalty_) return {penalty_, leaf};
    Open open{level, std::min(cap, leaf - 1), leaf, {0, leaf}};
    if (!count_pairs(node)) return {penalty_, leaf};
    bound_splits(node, open);
    sort(node, open);
    branch(node, open);
    open.found.low = std::min(open.rest, open.found.high);
    return open.found;
  }

  // The first column whose split costs no more than `value`, which is the optimum; its sides are
  // solved then. -1: stopped.
  int first_attaining(int level, Cost value) {
    Node& node = at(level);
    Open open{level, value, kInfinite, {0, kInfinite}, true};
    if (!count_pairs(node)) return -1;
    bound_splits(node, open);
    for (int j = 0; j < node.columns; ++j) {
      solve_sides(node, open, j);
      if (high(node, j) <= value) return j;
      if (control_.stopped()) return -1;
    }
    return -1;
  }

  Node& at(int level) {
    while (static_cast<int>(levels_.size()) <= level) levels_.push_back(std::make_unique<Level>());
    return levels_[static_cast<std::size_t>(level)]->node;
  }
  void make_root(std::int64_t too_small) { builder_.make_root(at(0), too_small, counters); }
  void make_child(int level, int j, int s, std::int64_t too_small) {
    Node& child = at(level + 1);
    builder_.make_child(at(level), j, s, child, too_small, counters);
  }
  bool count_pairs(Node& node) {
    return pairs_.single_splits(node, [this](std::int64_t effort) { return tick(effort); });
  }
  // What leaves and single splits make of the sides of all columns.
  //
  // A side is a leaf, or has one split, or costs two prices at least, and at least what the cells
  // of its first split cost besides the price of that.
  //
  // With two splits: its tree for the whole node errs on at most all of the other side besides, and
  // no tree of two splits errs less there than `two`.
  void first_bounds(Node& node) {
    const std::int64_t two = two_splits(node);
    for (int s = 0; s < 2; ++s) {
      node.side[s].resize(static_cast<std::size_t>(node.columns));
      for (int j = 0; j < node.columns; ++j) {
        const Cost one = penalty_ + cost(node.one[s][static_cast<std::size_t>(j)]);
        const Cost high = std::min(cost(node.side_errors(j, s)), one);
        const Cost with_two =
            2 * penalty_ + cost(std::max<std::int64_t>(0, two - node.side_size(j, 1 - s)));
        const Cost more = std::max(
            {2 * penalty_, penalty_ + cells(node, j, s), std::min(with_two, 3 * penalty_)});
        side(node, j, s) = {std::min(high, more), high};
      }
    }
  }
  // The fewest errors of a tree of at most two splits; 0 if that is of no interest.
  std::int64_t two_splits(const Node& node) const {
    if (!switches_.on(Pruning::kSecondSplit)) return 0;
    std::int64_t least = node.errors;
    for (int j = 0; j < node.columns; ++j)
      for (int s = 0; s < 2; ++s)
        least = std::min(least, std::int64_t{node.one[s][static_cast<std::size_t>(j)]} +
                                    node.side_errors(j, 1 - s));
    return least;
  }
  // What the two cells of the first split of a side cost at least. Each was counted with its
  // errors, if these cost less than a price, else with a price: the sum tells what the cheapest two
  // are.
  Cost cells(const Node& node, int j, int s) const {
    const Count sum = node.cells[s][static_cast<std::size_t>(j)];
    if (sum == static_cast<Count>(~Count{0})) return kInfinite / 2;
    const Cost price = (penalty_ + rows_.unit - 1) / rows_.unit;  // in errors, rounded up
    if (sum >= 2 * price) return 2 * penalty_;
    return sum < price ? cost(sum) : penalty_ + cost(sum - price);
  }
  Bounds& side(Node& node, int j, int s) { return node.side[s][static_cast<std::size_t>(j)]; }
  Cost low(Node& node, int j) { return penalty_ + side(node, j, 0).low + side(node, j, 1).low; }
  Cost high(Node& node, int j) { return penalty_ + side(node, j, 0).high + side(node, j, 1).high; }
  Cost cost(std::int64_t errors) const { return errors * rows_.unit; }
  // Solves one side of a split so far that a bound above `cap` or the optimum is known.
  void raise_side(Node& node, int level, int j, int s, Cost cap) {
    make_child(level, j, s, too_small());
    const Bounds found = solve(level + 1, cap);
    Bounds& known = side(node, j, s);
    known.tighten(found);
    const Node& child = at(level + 1);
    if (switches_.on(Pruning::kArchive)) table_.add(child.key.data(), child.hash, known);
  }
  const Bounds* look_up(const Node& node) const { return table_.find(node.key.data(), node.hash); }
  void record(const Node& node, const Bounds& known) {
    table_.add(node.key.data(), node.hash, known);
  }
  std::int64_t too_small() const {
    return switches_.on(Pruning::kSmallSide) ? penalty_ / rows_.unit : 0;
  }
  Cost penalty() const { return penalty_; }
  const WeightedRows& rows() const { return rows_; }
  Control& control() { return control_; }
  // While this is set, nothing stops: what was found is written down.
  bool finishing = false;

  Counters counters;

 private:
  struct Level {
    Node node;
    std::vector<int> order;  // columns still open
    std::vector<Word> keys;  // of their sides
    std::vector<std::uint64_t> hashes;
  };
  struct Open {
    int level;
    Cost cap;   // what costs more is of no interest
    Cost rest;  // no split that was put aside costs less, nor the leaf
    Bounds found;
    bool keep_cap = false;  // splits that are no better than what was found are of interest, too
  };

  bool tick(std::int64_t effort) {
    effort_ += effort;
    if (finishing || effort_ < 20000) return finishing || !control_.stopped();
    effort_ = 0;
    control_.poll();
    return !control_.stopped();
  }
  std::vector<int>& order(int level) { return levels_[static_cast<std::size_t>(level)]->order; }

  void improve(Node& node, Open& open, int j) {
    if (high(node, j) >= open.found.high) return;
    open.found.high = high(node, j);
    open.found.split = node.id[static_cast<std::size_t>(j)];
    if (!open.keep_cap) open.cap = std::min(open.cap, open.found.high - 1);
  }
  bool settled(Node& node, const Open& open, int j) {
    return low(node, j) > open.cap || (side(node, j, 0).exact() && side(node, j, 1).exact());
  }
  // Keeps the columns that may still lead to something; the others count with their bounds.
  void keep_open(Node& node, Open& open) {
    std::vector<int>& list = order(open.level);
    const auto put_aside = [&](int j) {
      const bool done = settled(node, open, j);
      if (done) open.rest = std::min(open.rest, low(node, j));
      return done;
    };
    list.erase(std::remove_if(list.begin(), list.end(), put_aside), list.end());
  }

  // All that is known of the columns without solving a side.
  void bound_splits(Node& node, Open& open) {
    candidates(node, open);
    look_up(node, open);
    if (switches_.on(Pruning::kTwoSplits)) try_two_splits(node, open);
    if (open.cap >= 4 * penalty_) compare_all(node, open);
  }
  void candidates(Node& node, Open& open) {
    first_bounds(node);
    if (open.level > 0) inherit(node, at(open.level - 1));
    std::vector<int>& list = order(open.level);
    list.clear();
    for (int j = 0; j < node.columns; ++j) {
      improve(node, open, j);
      if (low(node, j) > open.cap && within_two_prices(node, j) <= open.cap)
        counters.count(Pruning::kSecondSplit);
      if (open.keep_cap || !saves_too_little(node, j)) list.push_back(j);
    }
    keep_open(node, open);
  }

  // What a split costs at least by prices alone.
  Cost within_two_prices(Node& node, int j) {
    return penalty_ + std::min(side(node, j, 0).high, 2 * penalty_) +
           std::min(side(node, j, 1).high, 2 * penalty_);
  }
  // A side that costs at least its weight less a price: the tree of the other side for both costs
  // no more than the split.
  bool saves_too_little(Node& node, int j) {
    if (!switches_.on(Pruning::kSmallSide)) return false;
    for (int s = 0; s < 2; ++s)
      if (cost(node.side_size(j, s)) - side(node, j, s).low <= penalty_) {
        counters.count(Pruning::kSmallSide);
        return true;
      }
    return false;
  }

  // A side is a part of the same side in the node that this one was made from: see carry_over().
  void inherit(Node& node, Node& parent) {
    if (!switches_.on(Pruning::kSibling)) return;
    for (int j = 0, p = 0; j < node.columns; ++j) {
      while (parent.id[static_cast<std::size_t>(p)] != node.id[static_cast<std::size_t>(j)]) ++p;
      const bool turned =
          node.flipped[static_cast<std::size_t>(j)] != parent.flipped[static_cast<std::size_t>(p)];
      for (int s = 0; s < 2; ++s) {
        const int t = turned ? 1 - s : s;
        const std::int64_t lost = parent.side_size(p, t) - node.side_size(j, s);
        raise(node, j, s, side(parent, p, t).low - cost(lost));
      }
    }
  }

  // What is known of the sides of all columns, before any is solved.
  void look_up(Node& node, Open& open) {
    if (!switches_.on(Pruning::kArchive)) return;
    Level& level = *levels_[static_cast<std::size_t>(open.level)];
    const auto words = static_cast<std::size_t>(rows_.words);
    level.keys.resize(level.order.size() * 2 * words);
    level.hashes.resize(level.order.size() * 2);
    for (std::size_t k = 0; k < level.hashes.size(); ++k) {
      builder_.child_key(node, level.order[k / 2], static_cast<int>(k % 2), &level.keys[k * words]);
      level.hashes[k] = hash_words(&level.keys[k * words], rows_.words);
      table_.prefetch(level.hashes[k]);
    }
    for (const std::uint64_t hash : level.hashes) table_.prefetch_key(hash);
    for (std::size_t k = 0; k < level.hashes.size(); ++k) {
      const Bounds* known = table_.find(&level.keys[k * words], level.hashes[k]);
      if (known == nullptr) continue;
      counters.count(Pruning::kArchive);
      side(node, level.order[k / 2], static_cast<int>(k % 2)).tighten(*known);
    }
    for (const int j : level.order) improve(node, open, j);
    keep_open(node, open);
  }

  // Two splits: a side that is neither a leaf nor has one split costs what the best two splits
  // make of it, or three prices at least. The best two splits are found without building the side.
  //
  // Among many columns most are much like others, neighbouring thresholds above all. Then what was
  // found for one is carried over to the others first, and they are taken far apart.
  void try_two_splits(Node& node, Open& open) {
    const std::vector<int>& list = order(open.level);
    const bool many = switches_.on(Pruning::kSibling) && list.size() > kMany;
    const std::size_t step = many ? far_apart(list.size()) : 1;
    for (std::size_t k = 0, place = 0; k < list.size(); ++k, place = (place + step) % list.size()) {
      const int j = list[place];
      if (low(node, j) > open.cap || !try_two_splits(node, open, j)) continue;
      improve(node, open, j);
      if (!many) continue;
      if (!tick(static_cast<std::int64_t>(list.size()) * node.words / 8)) break;
      for (const int g : list)
        if (g != j && low(node, g) <= open.cap) {
          carry_over(node, j, g);
          if (low(node, g) > open.cap) counters.count(Pruning::kSibling);
        }
    }
    keep_open(node, open);
  }
  // False: nothing was tried, since enough is known or the search was stopped.
  bool try_two_splits(Node& node, const Open& open, int j) {
    bool tried = false;
    const int smaller = 2 * std::int64_t{node.side_size(j, 1)} <= node.weight ? 1 : 0;
    for (const int s : {smaller, 1 - smaller}) {
      Bounds& known = side(node, j, s);
      if (known.exact() || known.low >= 3 * penalty_ || low(node, j) > open.cap) continue;
      if (!tick(std::int64_t{node.chunks} * node.padded / 8)) return tried;
      // Errors from `limit` on are no better than what is known, or three prices.
      const Cost room = std::min(known.high, 3 * penalty_) - 2 * penalty_;
      const int limit = static_cast<int>((room + rows_.unit - 1) / rows_.unit);
      const bool majority = switches_.on(Pruning::kMajority);
      const int errors = pairs_.two_splits(node, j, s, limit, too_small(), majority, counters);
      if (errors < limit) known.tighten({0, 2 * penalty_ + cost(errors)});
      known.low = std::max(known.low, std::min(known.high, 3 * penalty_));
      if (low(node, j) > open.cap) counters.count(Pruning::kTwoSplits);
      remember_side(node, j, s);
      tried = true;
    }
    return tried;
  }
  // A step that meets every place of a list once, about 0.38 of its length.
  static std::size_t far_apart(std::size_t length) {
    auto step = static_cast<std::size_t>(0.381966 * static_cast<double>(length));
    while (std::gcd(step, length) != 1) ++step;
    return step;
  }
  void remember_side(const Node& node, int j, int s) {
    if (!switches_.on(Pruning::kArchive) || !table_.has_much_room()) return;
    key_.resize(static_cast<std::size_t>(rows_.words));
    builder_.child_key(node, j, s, key_.data());
    table_.add(key_.data(), hash_words(key_.data(), rows_.words),
               node.side[s][static_cast<std::size_t>(j)]);
  }

  void sort(Node& node, const Open& open) {
    std::vector<int>& list = order(open.level);
    std::sort(list.begin(), list.end(), [&](int a, int b) {
      const Cost x = high(node, a), y = high(node, b);
      if (x != y) return x < y;
      const Cost v = low(node, a), w = low(node, b);
      return v != w ? v < w : a < b;
    });
  }

  // Alike: if a set loses rows, its optimum falls by at most what these weigh (its tree, on the
  // larger set, errs on them at most in addition). So a bound of a side of f, less what of it is
  // not in a side of g, is a bound of that side of g.
  void carry_over(Node& node, int f, int g) {
    const std::int64_t both = builder_.common_weight(node, f, g);
    const std::int64_t in_f = node.size[static_cast<std::size_t>(f)];
    const std::int64_t in_g = node.size[static_cast<std::size_t>(g)];
    const std::int64_t neither = node.weight - in_f - in_g + both;
    const Cost f1 = side(node, f, 1).low, f0 = side(node, f, 0).low;
    raise(node, g, 1, std::max(f1 - cost(in_f - both), f0 - cost(neither)));
    raise(node, g, 0, std::max(f1 - cost(both), f0 - cost(in_g - both)));
  }
  void raise(Node& node, int j, int s, Cost bound) {
    Bounds& known = side(node, j, s);
    known.low = std::max(known.low, std::min(bound, known.high));
  }
  void compare_all(Node& node, Open& open) {
    if (!switches_.on(Pruning::kSibling)) return;
    for (const int g : order(open.level)) {
      if (!tick(std::int64_t{node.words} * node.columns / 8)) break;
      const Cost least = std::min(side(node, g, 0).low, side(node, g, 1).low);
      for (int f = 0; f < node.columns; ++f)
        if (f != g && std::max(side(node, f, 0).low, side(node, f, 1).low) > least)
          carry_over(node, f, g);
      if (settled(node, open, g)) counters.count(Pruning::kSibling);
    }
    keep_open(node, open);
  }

  void branch(Node& node, Open& open) {
    const std::vector<int>& list = order(open.level);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const int j = list[k];
      if (!control_.stopped() || finishing) solve_sides(node, open, j);
      open.rest = std::min(open.rest, low(node, j));
      improve(node, open, j);
      if (low(node, j) <= open.cap || !switches_.on(Pruning::kSibling)) continue;
      for (std::size_t later = k + 1; later < list.size(); ++later) {
        const int g = list[later];
        if (low(node, g) > open.cap) continue;
        carry_over(node, j, g);
        if (low(node, g) > open.cap) counters.count(Pruning::kSibling);
      }
    }
  }

  // Raises the bounds of the two sides, about a price at a time, until the split is too expensive
  // or solved. The side that has taken fewer nodes so far comes next: often one is enough.
  void solve_sides(Node& node, const Open& open, int j) {
    std::int64_t effort[2] = {0, 0};
    for (int round = 0; !settled(node, open, j); ++round) {
      const int s = next_side(node, j, effort);
      const Bounds &known = side(node, j, s), &other = side(node, j, 1 - s);
      Cost cap = open.cap - penalty_ - other.low;
      if (!other.exact()) cap = std::min(cap, known.low + penalty_ * (1 + round / 2));
      // Bounds of small sets come in prices: a whole one costs no more.
      if (cap < 4 * penalty_) cap = (cap / penalty_ + 1) * penalty_ - 1;
      const std::int64_t before = counters.nodes;
      raise_side(node, open.level, j, s, cap);
      effort[s] += counters.nodes - before;
      if (control_.stopped() && !finishing) return;
    }
  }
  int next_side(Node& node, int j, const std::int64_t effort[2]) {
    if (side(node, j, 0).exact()) return 1;
    if (side(node, j, 1).exact()) return 0;
    if (effort[0] != effort[1]) return effort[1] < effort[0] ? 1 : 0;
    return 2 * std::int64_t{node.size[static_cast<std::size_t>(j)]} <= node.weight ? 1 : 0;
  }

  const WeightedRows& rows_;
  Cost penalty_;
  Switches switches_;
  Control& control_;
  NodeBuilder<Count> builder_;
  PairCounts<Count> pairs_;
  RowSetTable table_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Word> key_;
  std::int64_t effort_ = 0;
};

}  // namespace exactree::EXACTREE_ISA

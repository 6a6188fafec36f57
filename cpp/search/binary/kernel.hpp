// Trees of up to three levels over binary columns, compiled per instruction set.
//
// One level: a pass over the columns. Two levels: the pair counts of the node (pairs.hpp).
// Three levels: for every first column the pair counts of its smaller side are counted, those of
// the larger side are what is left of the node's. Which first columns can be skipped is told by
// bounds that go from one to the other (siblings.hpp).
//
// With a limit on the rows of a leaf, `lower` speaks of the problem without it, as in chain.hpp:
// the search runs without the limit first, and what its bounds leave open is then solved with it.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "search/binary/node_pairs.hpp"
#include "search/binary/siblings.hpp"

namespace exactree::EXACTREE_ISA {

template <class V>
class BinaryKernel {
  using Errors = NodePairs::Errors;

 public:
  BinaryKernel(PackedNode& node, NodePairs& pairs, ShallowQuery<V>& query, Workspace& work,
               BinaryScratch& scratch)
      : node_(node),
        query_(query),
        work_(work),
        scratch_(scratch),
        counts_(pairs),
        siblings_(std::get<Siblings<V>>(scratch.siblings)),
        unit_(node.largest()),
        price_(node.price()),
        penalty_(node.table().penalty),
        least_side_(node.table().least_side),
        columns_(static_cast<int>(node.distinct().size())),
        budgets_(V::budgets_of(query.budget.splits)),
        side_budgets_(V::budgets_of(query.budget.child().splits)) {}

  [[gnu::noinline]] bool run() {
    V best = query_.upper;
    lower_to(best, query_.cap);
    if (query_.budget.depth == 1)
      one_level(best);
    else if (query_.budget.depth == 2)
      two_levels(best);
    else
      three_levels(best);
    return !stopped_;
  }

 private:
  // Pairs that know nothing of a limit are taken only where none binds: see node_pairs.hpp.
  bool limited() const { return least_side_.binds(); }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int rows() const { return node_.rows(); }
  bool allowed(int i) const { return least_side_.allows(node_.size(i), rows() - node_.size(i)); }

  V side_value(Cost leaf, Cost one) const {
    return value_of<V>(Errors{leaf, one, one, one}, side_budgets_, price_, penalty_);
  }
  V split(const V& in, const V& out) const { return join(in, out, penalty_, budgets_); }

  // A tree with this first column, whose sides cost so much: out of reach, or better.
  bool take(int i, const V& in, const V& out, V& best) {
    const V cost = split(in, out);
    if (!any_below(cost, best)) return false;
    lower_to(best, cost);
    lower_to(query_.upper, cost);
    const bool flipped = node_.flipped(i);  // the inner side is the left one
    query_.feature = node_.distinct()[at(i)];
    query_.side[0] = flipped ? in : out;
    query_.side[1] = flipped ? out : in;
    return true;
  }
  void close(const V& seen, const V& best) {
    V lower = seen;
    lower_to(lower, best);
    raise_to(query_.lower, lower);
  }
  void score(int i, Cost cost) {
    if (query_.glance != nullptr) query_.glance->score[at(i)] = cost;
  }

  void one_level(V best) {
    V seen = V::constant(kInfinite, budgets_), free_best = best;
    for (int i = 0; i < columns_; ++i) {
      Cost leaf[2];
      counts_.leaves(i, leaf);
      const V in = side_value(leaf[0], leaf[0]), out = side_value(leaf[1], leaf[1]);
      lower_to(seen, split(in, out));
      score(i, split(in, out).most());
      if (allowed(i) && take(i, in, out, best) && query_.first) return;
    }
    close(seen, free_best);
  }

  // The sides of column i with no split and with at most one, for deeper searches.
  void tell(int i, const Cost leaf[2], const Cost single[2]) {
    if (query_.glance == nullptr) return;
    const int left = node_.flipped(i) ? 0 : 1;  // which of ours is the left side
    for (int s = 0; s < 2; ++s) {
      query_.glance->leaf[s][at(i)] = leaf[s == 0 ? left : 1 - left];
      query_.glance->single[s][at(i)] = single[s == 0 ? left : 1 - left];
    }
  }

  void two_levels(V best) {
    counts_.count_node(work_);
    if (tick()) return;
    const V free_best = best;
    const LimitedSplits* limits = limited() ? &counts_.node_limited(least_side_) : nullptr;
    V seen = V::constant(kInfinite, budgets_);
    for (int i = 0; i < columns_; ++i) {
      Cost leaf[2], single[2];
      counts_.leaves(i, leaf);
      counts_.singles(i, single);
      tell(i, leaf, single);
      V in = side_value(leaf[0], single[0]), out = side_value(leaf[1], single[1]);
      const V cost = split(in, out);
      lower_to(seen, cost);
      score(i, cost.most());
      if (!allowed(i)) continue;
      if (limits != nullptr) {
        in = side_value(leaf[0], limits->in(i));
        out = side_value(leaf[1], limits->out(i));
      }
      if (take(i, in, out, best) && query_.first) return;
    }
    close(seen, free_best);
  }

  void three_levels(V best) {
    counts_.count_node(work_);
    start_bounds(best);
    if (few_splits_left(best)) {
      close(best, best);
      EXACTREE_CLAIM(
          claims::bounds(Pruning::kUsefulSplits, node_, query_.budget, query_.lower, query_.upper));
      return;
    }
    order_columns();
    if (query_.glance != nullptr) query_.glance->order = scratch_.order;
    if (!(limited() && query_.first)) without_limit(best);
    if (limited()) with_limit(best);
  }

  // The optimum of two levels, and what it and the second splits say about the sides.
  void start_bounds(V& best) {
    const Errors two = counts_.fewest();
    const V value = value_of<V>(two, budgets_, price_, penalty_);
    if (!limited() && !query_.first) {
      lower_to(query_.upper, value);
      lower_to(best, value);
    }
    siblings_.start(columns_, [&](int k) { return node_.size(k); }, rows(), unit_, side_budgets_);
    if (work_.switches.on(Pruning::kSibling))
      siblings_.learn_all(value_of<V>(two, side_budgets_, price_, penalty_));
    scratch_.errors.resize(at(columns_));
    for (int i = 0; i < columns_; ++i) {
      Cost leaf[2], single[2];
      counts_.leaves(i, leaf);
      counts_.singles(i, single);
      scratch_.errors[at(i)] = single[0] + single[1];
      tell(i, leaf, single);
      if (!work_.switches.on(Pruning::kSecondSplit)) continue;
      for (int s = 0; s < 2; ++s)
        if (raise_to(siblings_.lower(i, s),
                     at_least<V>(leaf[s], single[s], side_budgets_, price_, penalty_)))
          work_.counters.count(Pruning::kSecondSplit);
      EXACTREE_CLAIM(claim_sides(Pruning::kSecondSplit, i));
    }
  }

  // Useful splits. A tree of k splits costs at least k penalties. If only up to two splits can cost
  // less than the best, two levels are enough, and those are solved.
  bool few_splits_left(const V& best) {
    if (penalty_ == 0 || limited() || query_.first || !std::is_same_v<V, One> ||
        !work_.switches.on(Pruning::kUsefulSplits) || (best.most() - 1) / penalty_ > 2)
      return false;
    work_.counters.count(Pruning::kUsefulSplits);
    return true;
  }

  void order_columns() {
    auto& order = scratch_.order;
    order.resize(at(columns_));
    for (int i = 0; i < columns_; ++i) order[at(i)] = i;
    if (query_.first) return;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return scratch_.errors[at(a)] < scratch_.errors[at(b)]; });
  }

  void without_limit(V& best) {
    V seen = V::constant(kInfinite, budgets_), mine = best;
    const V start = query_.lower;
    for (int k = 0; k < columns_; ++k) {
      if (!query_.first && !any_below(start, mine)) break;
      const int i = scratch_.order[at(k)];
      if (k + 1 < columns_)
        for (int s = 0; s < 2; ++s)
          scratch_.cache.expect(literal_key(scratch_.order[at(k + 1)], s));
      V& in = siblings_.lower(i, 0);
      V& out = siblings_.lower(i, 1);
      V cost = split(in, out);
      EXACTREE_CLAIM(claim_sides(Pruning::kSibling, i));
      if (!any_below(cost, mine)) {
        work_.counters.count(Pruning::kSibling);
      } else {
        const bool solved = solve_sides(i, mine, in, out);
        if (stopped_) return;
        cost = split(in, out);
        learn(i, in, out);
        if (solved && !limited()) {
          if (take(i, in, out, best) && query_.first) return;
          mine = best;
        } else if (solved) {
          lower_to(mine, cost);
        }
      }
      lower_to(seen, cost);
      score(i, cost.most());
    }
    close(seen, mine);
  }
  void learn(int i, const V& in, const V& out) {
    if (!work_.switches.on(Pruning::kSibling)) return;
    scratch_.overlaps.resize(at(columns_));
    counts_.overlaps(i, scratch_.overlaps.data());
    siblings_.learn(i, in, out, scratch_.overlaps.data());
  }
  // Raises the bounds of both sides of a column until they are exact (true), or until the column
  // is out of the question. The larger side first: it costs more.
  bool solve_sides(int i, const V& best, V& in, V& out) {
    bool known[2] = {by_leaf(i, 0, in), by_leaf(i, 1, out)};
    std::uint64_t key[2];
    for (int s = 0; s < 2; ++s) {
      key[s] = literal_key(i, s);
      V& value = s == 0 ? in : out;
      if (!known[s] && find_cached(key[s], i, s, value)) known[s] = true;
    }
    EXACTREE_CLAIM(claim_sides(Pruning::kPairCache, i));
    if (known[0] && known[1]) return true;
    if (!any_below(split(in, out), best)) return false;
    if (tick()) return false;
    ++work_.counters.evaluations;
    counts_.count_side(i);
    return solve_counted(best, in, out, known, key);
  }

  // A side whose leaf has no error, or costs no more than a split, is best left a leaf.
  bool by_leaf(int i, int s, V& value) const {
    Cost leaf[2];
    counts_.leaves(i, leaf);
    if (leaf[s] > 0 && price_ * leaf[s] > penalty_) return false;
    value = V::constant(price_ * leaf[s], side_budgets_);
    return true;
  }
  std::uint64_t literal_key(int i, int s) const {
    if (!counts_.cached() || !work_.switches.on(Pruning::kPairCache) ||
        rows() > PairCache::kMostRows)
      return 0;
    LiteralPath path = node_.path();
    path.add(node_.distinct()[at(i)], (s == 0) != node_.flipped(i));
    return path.key();
  }
  bool find_cached(std::uint64_t key, int i, int s, V& value) {
    PairCache::Errors errors;
    if (!scratch_.cache.find(key, errors, work_.control)) return false;
    work_.counters.count(Pruning::kPairCache);
    Cost leaf[2];
    counts_.leaves(i, leaf);
    value = value_of<V>(Errors{leaf[s], errors[0], errors[1], errors[2]}, side_budgets_, price_,
                        penalty_);
    return true;
  }

  bool solve_counted(const V& best, V& in, V& out, const bool known[2],
                     const std::uint64_t key[2]) {
    if (!known[1]) {
      keep(key[1], counts_.outer(), out);
      if (!known[0] && !any_below(split(in, out), best)) {
        work_.counters.count(Pruning::kSideKnown);
        return false;
      }
    }
    if (!known[0]) keep(key[0], counts_.inner(), in);
    return true;
  }
  void keep(std::uint64_t key, const Errors& e, V& value) {
    value = value_of<V>(e, side_budgets_, price_, penalty_);
    if (!counts_.cached()) return;
    scratch_.cache.put(key,
                       {static_cast<int>(e[1]), static_cast<int>(e[2]), static_cast<int>(e[3])},
                       work_.control);
  }
  // With the limit on rows: every first column that the bounds leave open, solved exactly.
  void with_limit(V& best) {
    for (const int i : scratch_.order) {
      if (!allowed(i)) continue;
      if (!any_below(split(siblings_.lower(i, 0), siblings_.lower(i, 1)), best)) continue;
      if (tick()) return;
      counts_.count_side_limited(i);
      const V out =
          value_of<V>(counts_.outer_limited(least_side_), side_budgets_, price_, penalty_);
      const V in = value_of<V>(counts_.inner_limited(least_side_), side_budgets_, price_, penalty_);
      if (take(i, in, out, best) && query_.first) return;
    }
  }

  // Looks at the clock now and then; true if the search is to stop.
  bool tick() {
    if (work_.tick(1 + static_cast<std::int64_t>(counts_.table_size()) * node_.rows() / (1 << 18)))
      stopped_ = true;
    return stopped_;
  }

#ifdef EXACTREE_AUDIT
  void claim_sides(Pruning why, int i) {
    const int left = node_.flipped(i) ? 0 : 1;  // which of ours is the left side
    claims::side_bounds(why, node_, query_.budget, node_.distinct()[at(i)], node_.left_rows(i),
                        siblings_.lower(i, left), siblings_.lower(i, 1 - left));
  }
#endif

  PackedNode& node_;
  ShallowQuery<V>& query_;
  Workspace& work_;
  BinaryScratch& scratch_;
  NodePairs& counts_;
  Siblings<V>& siblings_;
  const Cost unit_, price_, penalty_;  // a row, an error, a split
  const LeastSide least_side_;
  const int columns_, budgets_, side_budgets_;
  bool stopped_ = false;
};

template <class V>
bool solve_shallow(PackedNode& node, ShallowQuery<V>& query, Workspace& work) {
  node.prepare();
  if (!work.scratch) work.scratch = std::make_unique<BinaryScratch>();
  if (query.glance != nullptr) {
    query.glance->score.assign(node.distinct().size(), kInfinite);
    for (auto* sides : {query.glance->leaf, query.glance->single})
      for (int s = 0; s < 2; ++s) sides[s].assign(node.distinct().size(), 0);
  }
  if (node.distinct().empty()) {  // no split: the leaf is all there is
    V best = query.upper;
    lower_to(best, query.cap);
    raise_to(query.lower, best);
    return true;
  }
  auto& scratch = static_cast<BinaryScratch&>(*work.scratch);
  return with_pairs(node, scratch, [&](NodePairs& pairs) {
    return BinaryKernel<V>(node, pairs, query, work, scratch).run();
  });
}

inline bool PackedNode::shallow(ShallowQuery<One>& query, Workspace& work) {
  return solve_shallow(*this, query, work);
}
inline bool PackedNode::shallow(ShallowQuery<Curve<8>>& query, Workspace& work) {
  return solve_shallow(*this, query, work);
}

}  // namespace exactree::EXACTREE_ISA

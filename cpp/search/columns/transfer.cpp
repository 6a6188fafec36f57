// What neighbouring subproblems know of a chain's thresholds, taken over at its start.
//
// Transfer. Let A be the rows of a relative, and B ours, both split at the same value. Their left
// sides differ by the rows of A - B and of B - A that go left. With the intersection C of the left
// sides, e(L_B) >= e(C) >= e(L_A) - I(L_A - L_B) by Subset and Similarity, and
// e(L_B) <= e(C) + I(L_B - L_A) <= e(L_A) + I(L_B - L_A) likewise; the right sides alike. (Upper
// bounds use Subset, so they are taken over only where it holds.) A row goes to one side only: what
// the two sides lose together is the influence of A - B, not twice that. The floors of second
// columns are optima of the same kind, over trees with one split in a given column.
//
// A relative may have been solved with fewer levels than we are, or with more. Fewer levels cost
// more, so it counts only if it has as many as we have, its upper bounds only if it has no more.
#include "search/columns/chain.hpp"

namespace exactree {

// One relative's list for a column, from the lowest threshold to the highest. Those of which
// nothing is known from below are passed over: upper bounds alone prune nothing.
template <class V>
class Walk {
 public:
  Walk() = default;
  Walk(const Relative<V>& relative, int feature, int depth)
      : who_(&relative), feature_(static_cast<std::size_t>(feature)) {
    const Solution<V>& solution = *relative.solution;
    if (solution.lists.empty() || solution.depth < depth) return;
    const auto& list = solution.lists[feature_];
    at_ = list.data();
    end_ = at_ + list.size();
    same_depth_ = solution.depth == depth;
    find_useful();
  }

  bool done() const { return at_ == end_; }
  const Threshold<V>& entry() const { return *at_; }
  int rank() const { return at_->rank; }
  bool same_depth() const { return same_depth_; }
  // What the bounds of a side lose: the influence of the rows that it has and ours has not, and of
  // those that ours has and it has not.
  Cost extra(int side) const { return who_->larger ? apart_[side] : 0; }
  Cost missing(int side) const { return who_->larger ? 0 : apart_[side]; }
  const std::uint16_t* floors() const {
    return at_->floors < 0 ? nullptr
                           : &who_->solution->floors[static_cast<std::size_t>(at_->floors)];
  }
  void step() {
    ++at_;
    find_useful();
  }

 private:
  void find_useful() {
    for (; at_ != end_; ++at_) {
      tell_apart();
      if (bounds(0) || bounds(1)) return;
    }
  }
  bool bounds(int side) const {
    return any_below(V::constant(extra(side), at_->lo[side].budgets()), at_->lo[side]);
  }
  // What the rows of the difference on either side of the threshold can cost.
  void tell_apart() {
    if (who_->difference == nullptr) {
      apart_[0] = apart_[1] = who_->between;
      return;
    }
    const auto& ranks = who_->difference->ranks[feature_];
    const auto& costs = who_->difference->costs[feature_];
    while (passed_ < ranks.size() && ranks[passed_] < at_->rank) ++passed_;
    apart_[0] = costs[passed_];
    apart_[1] = costs.back() - costs[passed_];
  }

  const Relative<V>* who_ = nullptr;
  const Threshold<V>* at_ = nullptr;
  const Threshold<V>* end_ = nullptr;
  std::size_t feature_ = 0, passed_ = 0;
  bool same_depth_ = false;
  Cost apart_[2] = {0, 0};
};

template <class V>
void Chain<V>::take_relatives(const Relatives<V>& relatives, bool with_floors) {
  const int count = relatives.count;
  const Node& node = *context_.node;
  const int f = context_.feature;
  Walk<V> walks[kMostRelatives];
  for (int i = 0; i < count; ++i) walks[i] = Walk<V>(relatives.list[i], f, context_.budget.depth);
  int last = kFirst, position = 0;
  for (;;) {
    Walk<V>* first = nullptr;
    for (int i = 0; i < count; ++i)
      if (!walks[i].done() && (first == nullptr || walks[i].rank() < first->rank()))
        first = &walks[i];
    if (first == nullptr) break;
    position = node.position_of(f, first->rank(), position);
    if (position > 0 && position < node.rows()) {
      if (entry(last).position != position) last = link(last, position, first->rank());
      take(*first, with_floors, entry(last));
    }
    first->step();
  }
  bool changed = false;
  for (int i = kFirst; entry(i).next >= 0; i = entry(i).next)
    spread(entry(i), entry(entry(i).next), changed);
  for (int i = kLast; entry(i).prev >= 0; i = entry(i).prev)
    spread(entry(i), entry(entry(i).prev), changed);
}

template <class V>
void Chain<V>::take(const Walk<V>& theirs, bool with_floors, Entry& ours) {
  for (int s = 0; s < 2; ++s) {
    raise_to(ours.lo[s], theirs.entry().lo[s], -theirs.extra(s));
    if (context_.subset_holds && theirs.same_depth())
      lower_to(ours.hi[s], theirs.entry().hi[s], theirs.missing(s));
  }
  const std::uint16_t* from = theirs.floors();
  if (!with_floors || from == nullptr) return;
  const int stride = floor_stride(context_.node->features());
  if (ours.floors < 0) {
    ours.floors = static_cast<int>(floors_.size());
    floors_.resize(floors_.size() + static_cast<std::size_t>(2 * stride), 0);
  }
  std::uint16_t* to = &floors_[static_cast<std::size_t>(ours.floors)];
  for (int s = 0; s < 2; ++s, from += stride, to += stride)
    raise_floors(to, from, context_.node->units(theirs.extra(s)), stride);
}

#define EXACTREE_TRANSFER_FOR(V) template void Chain<V>::take_relatives(const Relatives<V>&, bool);
EXACTREE_TRANSFER_FOR(One)
EXACTREE_TRANSFER_FOR(Curve<8>)
EXACTREE_TRANSFER_FOR(Curve<32>)

}  // namespace exactree

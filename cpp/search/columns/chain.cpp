#include "search/columns/chain.hpp"

#include <algorithm>
#include <limits>

#include "search/audit/claims.hpp"

namespace exactree {

namespace {

// What it takes to look at two groups of rows (Between), in rows that are scanned.
constexpr std::int64_t kPerScan = 64;

}  // namespace

template <class V>
void Chain<V>::start(const ChainContext& context, const Relatives<V>& relatives, bool with_floors,
                     Counters& counters) {
  context_ = context;
  entries_.clear();
  floors_.clear();
  between_.clear();
  runs_.clear();
  next_run_ = 0;
  targets_.clear();
  round_ = 0;
  const int rows = context.node->rows();
  first_allowed_ = context.node->first_allowed(context.feature);
  last_allowed_ = context.node->last_allowed(context.feature);
  const V zero = value(0), leaf = value(context.node->leaf());
  const V none[2] = {zero, zero}, all_right[2] = {zero, leaf}, all_left[2] = {leaf, zero};
  append(0, -1, none, all_right);
  append(rows, std::numeric_limits<int>::max(), none, all_left);
  entry(kFirst).closed = entry(kLast).closed = true;
  entry(kFirst).next = kLast;
  entry(kFirst).prev = -1;
  entry(kLast).prev = kFirst;
  entry(kLast).next = -1;
  if (relatives.count > 0) {
    take_relatives(relatives, with_floors);
    EXACTREE_CLAIM(claims::transferred(*this, context_, floors_));
    counters.count(Pruning::kTransfer);
  }
  runs_.emplace_back(kFirst, kLast);
}

template <class V>
void Chain<V>::append(int position, int rank, const V lo[2], const V hi[2]) {
  Entry e;
  e.position = position;
  e.rank = rank;
  for (int s = 0; s < 2; ++s) e.lo[s] = lo[s], e.hi[s] = hi[s];
  entries_.push_back(e);
}

// What one threshold says of another: with p <= q and I the influence of the rows between,
//   e(L(p)) <= e(L(q)) <= e(L(p)) + I and e(R(q)) <= e(R(p)) <= e(R(q)) + I.
template <class V>
void Chain<V>::spread(const Entry& from, Entry& to, bool& changed) const {
  const bool right = from.position < to.position;
  const Cost i =
      right ? influence(from.position, to.position) : influence(to.position, from.position);
  const int grows = right ? 0 : 1, shrinks = 1 - grows;
  changed |= raise_to(to.lo[grows], from.lo[grows]);
  changed |= raise_to(to.lo[shrinks], from.lo[shrinks], -i);
  changed |= lower_to(to.hi[grows], from.hi[grows], i);
  if (context_.subset_holds) changed |= lower_to(to.hi[shrinks], from.hi[shrinks]);
}

// The positions from entry i to before the next that could still cost less than `best`.
//
// Sub-interval. For a <= p < b: T(p) >= join(e(L(a)), e(R(b))), by Subset on either side.
// Neighbour. T(p) >= T(a) - I(a..p) for p >= a: the left side has only grown (Subset) and the right
// one has lost rows of that influence (Similarity); likewise from b; and from both ends,
// T(p) >= join(e(L(b)), e(R(a))) - I(a..b), since each side is the smaller of its pair, and what
// the two lack makes up the rows between a and b.
// Between. Squared errors, and sides of one split. The left side at p has the rows of L(a) and
// those from a to p. A tree of both costs at least what it costs on each, and on the latter at
// least what they cost in two groups of whatever kind; likewise the right side. So for a <= p < b,
// T(p) >= join(e(L(a)), e(R(b))) + between(a, b): the least of that over all p.
template <class V>
bool Chain<V>::gap(int i, const V& best, Gap& out, Counters& counters, bool to_pick) const {
  const Entry& a = entry(i);
  const Entry& b = entry(a.next);
  const V ends = join(a.lo[0], b.lo[1], context_.penalty, context_.budgets);
  if (context_.switches.on(Pruning::kSubInterval) && !any_below(ends, best)) {
    EXACTREE_CLAIM(
        claims::no_better(Pruning::kSubInterval, context_, best, a.position, b.position - 1));
    counters.count(Pruning::kSubInterval);
    return false;
  }
  const Node& node = *context_.node;
  int first = a.position, last = b.position - 1;
  if (context_.switches.on(Pruning::kNeighbour)) {
    V with_rows = ends;
    if (raise_to(with_rows, ends, between(i)) && !any_below(with_rows, best)) {
      EXACTREE_CLAIM(
          claims::no_better(Pruning::kNeighbour, context_, best, a.position, b.position - 1));
      counters.count(Pruning::kNeighbour);
      return false;
    }
    const V across = join(b.lo[0], a.lo[1], context_.penalty, context_.budgets);
    const V at_a = cost_below(a), at_b = cost_below(b);
    Cost over = kInfinite, over_a = kInfinite, over_b = kInfinite;
    for (int k = 0; k < best.budgets(); ++k) {
      over = std::min(over, across[k] - best[k]);
      over_a = std::min(over_a, at_a[k] - best[k]);
      over_b = std::min(over_b, at_b[k] - best[k]);
    }
    first = node.reach(context_.feature, a.position, over_a + 1);
    last = std::min(last, node.reach_back(context_.feature, b.position, over_b + 1));
    if (first > last || over >= influence(a.position, b.position)) {
      EXACTREE_CLAIM(
          claims::no_better(Pruning::kNeighbour, context_, best, a.position, b.position - 1));
      counters.count(Pruning::kNeighbour);
      return false;
    }
    EXACTREE_CLAIM(
        claims::no_better(Pruning::kNeighbour, context_, best, a.position, first - 1),
        claims::no_better(Pruning::kNeighbour, context_, best, last + 1, b.position - 1));
  }
  if ((a.closed || (to_pick && a.under_way)) && first == a.position) ++first;
  first = std::max(first, first_allowed_);
  last = std::min(last, last_allowed_);
  if (first > last) return false;
  out = {i, node.next(context_.feature, first), 0};
  if (out.first > last) return false;
  out.last = node.prev(context_.feature, last);
  return out.first <= out.last;
}

template <class V>
Cost Chain<V>::between(int i) const {
  const int first = entry(i).position, last = entry(entry(i).next).position;
  const Node& node = *context_.node;
  if (context_.budget.depth != 2 || !node.unbounded()) return 0;
  // It takes the square of the rows, and saves scans of all columns.
  const std::int64_t rows = last - first, scans = std::int64_t{node.features()} * node.rows();
  if (rows * rows * kPerScan > scans && !context_.switches.everywhere()) return 0;
  between_.resize(entries_.size(), {-1, 0});
  auto& [to, cost] = between_[static_cast<std::size_t>(i)];
  if (to != last) to = last, cost = node.between(context_.feature, first, last);
  return cost;
}

// The gap nearest to the middle of all that is open in a run, and the range of that.
template <class V>
bool Chain<V>::choose(int begin, int end, const V& best, Gap& chosen, Open& open,
                      Counters& counters) const {
  Gap low, high, other;
  int i = begin;
  while (i != end && !gap(i, best, low, counters, true)) i = entry(i).next;
  if (i == end) return false;
  high = low;
  for (i = entry(end).prev; i != low.entry; i = entry(i).prev)
    if (gap(i, best, other, counters, true)) {
      high = other;
      break;
    }
  open = {low.entry, entry(high.entry).next, low.first, high.last};
  const int middle = (low.first + high.last) / 2;
  chosen = low;
  if (low.entry == high.entry || low.last >= middle) return true;
  chosen = high;
  if (high.first <= middle) return true;
  i = low.entry;
  while (entry(entry(i).next).position <= middle) i = entry(i).next;
  // Walk to both sides of the middle until something open is met.
  for (int right = i; right != high.entry; right = entry(right).next)
    if (gap(right, best, other, counters, true)) {
      chosen = other;
      break;
    }
  if (chosen.first <= middle) return true;
  for (int left = i; left != low.entry; left = entry(left).prev)
    if (left != i && gap(left, best, other, counters, true)) {
      low = other;
      break;
    }
  if (chosen.first - middle > middle - low.last) chosen = low;
  return true;
}

template <class V>
bool Chain<V>::pick(const V& best, Task<V>& task, Counters& counters) {
  for (; next_run_ < runs_.size(); ++next_run_) {
    const auto [begin, end] = runs_[next_run_];
    Gap at;
    Open open;
    if (!choose(begin, end, best, at, open, counters)) continue;
    ++next_run_;
    task = task_in(at, open);
    return true;
  }
  return false;
}

// The threshold nearest to the middle of what is open.
template <class V>
Task<V> Chain<V>::task_in(const Gap& at, const Open& open) {
  const int f = context_.feature, middle = (open.first + open.last) / 2;
  int p = middle <= at.first ? at.first : at.last;
  if (middle > at.first && middle < at.last) p = std::min(at.last, context_.node->next(f, middle));
  // What is not open stays so: bounds only rise, and the best only falls.
  Task<V> task = {open.begin, open.end, at.entry, p, 0};
  task.slack = std::max(influence(open.first, p), influence(p, open.last));
  if (entry(at.entry).position != p) task.entry = insert(at.entry, p, context_.node->rank_at(f, p));
  return task;
}

template <class V>
Task<V> Chain<V>::task_at(int position) {
  int at = kFirst;
  while (entry(entry(at).next).position <= position) at = entry(at).next;
  if (entry(at).position != position)
    at = insert(at, position, context_.node->rank_at(context_.feature, position));
  return {kFirst, kLast, at, position, 0};
}

template <class V>
Task<V> Chain<V>::task_in_turn(int position) {
  Task<V> task = task_at(position);
  task.run_begin = task.run_end = task.entry;  // what was left of its run waits elsewhere
  for (std::size_t i = next_run_; i < runs_.size(); ++i) {
    const auto [begin, end] = runs_[i];
    if (entry(begin).position > position || entry(end).position <= position) continue;
    task.run_begin = begin;
    task.run_end = end;
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return task;
}

// A new entry, of which nothing is known yet.
template <class V>
int Chain<V>::link(int after, int position, int rank) {
  const int before = entry(after).next;
  const V lo[2] = {value(0), value(0)}, hi[2] = {value(kInfinite), value(kInfinite)};
  append(position, rank, lo, hi);
  const int me = static_cast<int>(entries_.size()) - 1;
  entry(me).prev = after;
  entry(me).next = before;
  entry(after).next = me;
  entry(before).prev = me;
  return me;
}

template <class V>
int Chain<V>::insert(int after, int position, int rank) {
  const int me = link(after, position, rank);
  bool changed = false;
  spread(entry(after), entry(me), changed);
  spread(entry(entry(me).next), entry(me), changed);
  if (context_.switches.on(Pruning::kNeighbour)) {  // Between, of one side
    raise_to(entry(me).lo[0], entry(after).lo[0], between(after));
    raise_to(entry(me).lo[1], entry(entry(me).next).lo[1], between(me));
  }
  EXACTREE_CLAIM(
      claims::sides(Pruning::kSideKnown, context_, position, entry(me).lo, entry(me).hi));
  return me;
}

template <class V>
void Chain<V>::commit(const Task<V>& task) {
  entry(task.entry).closed = true;
  entry(task.entry).under_way = false;
  entry(task.entry).round = round_;
  learn(task.entry);
  runs_.emplace_back(task.entry, task.run_end);
  if (task.run_begin != task.entry) runs_.emplace_back(task.run_begin, task.entry);
}

template <class V>
void Chain<V>::learn(int from) {
  for (int step = 0; step < 2; ++step) {
    const auto beyond = [&](int i) { return step == 0 ? entry(i).next : entry(i).prev; };
    for (int i = beyond(from); i >= 0; i = beyond(i)) {
      bool changed = false;
      spread(entry(from), entry(i), changed);
      if (!changed) break;
      EXACTREE_CLAIM(claims::sides(Pruning::kSideKnown, context_, entry(i).position, entry(i).lo,
                                   entry(i).hi));
    }
  }
}

template <class V>
std::uint16_t* Chain<V>::floors(int i) {
  const int stride = floor_stride(context_.node->features());
  if (entry(i).floors < 0) {
    entry(i).floors = static_cast<int>(floors_.size());
    floors_.resize(floors_.size() + static_cast<std::size_t>(2 * stride), 0);
  }
  std::uint16_t* ours = &floors_[static_cast<std::size_t>(entry(i).floors)];
  raise_by_neighbours(i, ours);
  return ours;
}

// Subset and Similarity hold for the floors as well: the side that shrinks towards us loses the
// influence of what lies between, the other loses nothing. So does Between, of which nothing but
// the split of a side decides: the side that grows gains what the rows between cost in two groups,
// which is at least the least over all positions that part them, and at least the sum of that over
// the gaps on the way.
template <class V>
void Chain<V>::raise_by_neighbours(int i, std::uint16_t* ours) const {
  const int stride = floor_stride(context_.node->features());
  const bool gains = context_.switches.on(Pruning::kNeighbour);
  for (int step = 0; step < 2; ++step) {
    const auto beyond = [&](int at) { return step == 0 ? entry(at).next : entry(at).prev; };
    const auto gap_to = [&](int at) { return step == 0 ? entry(at).prev : at; };
    int from = beyond(i);
    Cost more = 0;
    for (int tries = 0; from >= 0; ++tries, from = beyond(from)) {
      if (gains) more += between(gap_to(from));
      if (entry(from).floors >= 0 || from <= kLast || tries == 3) break;
    }
    if (from < 0 || entry(from).floors < 0) continue;
    const std::uint16_t* theirs = &floors_[static_cast<std::size_t>(entry(from).floors)];
    const int a = std::min(entry(i).position, entry(from).position);
    const int b = std::max(entry(i).position, entry(from).position);
    const Cost less = context_.node->units(influence(a, b));
    // Seen from the next entry our left side has shrunk, seen from the previous the right one.
    const int shrunk = step == 0 ? 0 : stride, grown = stride - shrunk;
    raise_floors(ours + shrunk, theirs + shrunk, less, stride);
    raise_floors_more(ours + grown, theirs + grown, context_.node->whole_units(more), stride);
  }
}

template <class V>
void Chain<V>::keep_floors(int i, const std::vector<std::uint16_t>& found) {
  if (entry(i).floors < 0) {
    entry(i).floors = static_cast<int>(floors_.size());
    floors_.resize(floors_.size() + found.size(), 0);
  }
  std::uint16_t* ours = &floors_[static_cast<std::size_t>(entry(i).floors)];
  for (std::size_t g = 0; g < found.size(); ++g) ours[g] = std::max(ours[g], found[g]);
}

template <class V>
void Chain<V>::relatives(int i, int side,
                         const std::vector<std::shared_ptr<const Solution<V>>>& kids,
                         Relatives<V>& out) const {
  for (int step = 0; step < 2; ++step) {
    for (int at = step == 0 ? entry(i).prev : entry(i).next; at >= 0;
         at = step == 0 ? entry(at).prev : entry(at).next) {
      const int kid = entry(at).kid[side];
      if (kid < 0) continue;
      const int a = std::min(entry(i).position, entry(at).position);
      const int b = std::max(entry(i).position, entry(at).position);
      const Cost between = influence(a, b);
      const bool larger = (step == 1) == (side == 0);  // the other has rows that we have not
      out.add({kids[static_cast<std::size_t>(kid)], between, larger, a, b});
      break;
    }
  }
}

// What is open only shrinks, so a side that is not next to it now never will be.
template <class V>
void Chain<V>::list_sides(const V& best,
                          const std::vector<std::shared_ptr<const Solution<V>>>& kids,
                          std::vector<bool>& listed, std::vector<SolvedSide<V>>& out) const {
  Counters unused;
  Gap any;
  listed.resize(kids.size(), false);
  for (int side = 0; side < 2; ++side) {
    int before = -1;    // the latest entry that has such a side
    bool open = false;  // whether something is open since
    const auto list = [&](int i) {
      const int kid = i < 0 ? -1 : entry(i).kid[side];
      if (kid < 0 || listed[static_cast<std::size_t>(kid)]) return;
      listed[static_cast<std::size_t>(kid)] = true;
      out.push_back({context_.feature, entry(i).rank, side, kids[static_cast<std::size_t>(kid)]});
    };
    for (int i = kFirst; i >= 0; i = entry(i).next) {
      if (entry(i).kid[side] >= 0) {
        if (open) list(i);
        before = i;
        open = false;
      }
      if (open || entry(i).next < 0 || !gap(i, best, any, unused)) continue;
      open = true;
      list(before);
    }
  }
}

template <class V>
V Chain<V>::solved_bound(const Entry& e) const {
  V bound = join(e.hi[0], e.hi[1], context_.penalty, context_.budgets);
  if (e.round > 0) lower_to(bound, targets_[static_cast<std::size_t>(e.round - 1)]);
  raise_to(bound, cost_below(e));
  return bound;
}

template <class V>
void Chain<V>::open_below(Entry& e, const V& target) {
  if (!e.closed) return;
  const V found = join(e.hi[0], e.hi[1], context_.penalty, context_.budgets);
  const V proved = solved_bound(e);
  for (int k = 0; k < target.budgets(); ++k)
    if (proved[k] < std::min(target[k], found[k])) e.closed = false;
}

template <class V>
void Chain<V>::begin_round(const V& target) {
  for (int i = entry(kFirst).next; i != kLast; i = entry(i).next) open_below(entry(i), target);
  targets_.push_back(target);
  round_ = static_cast<std::int16_t>(targets_.size());
  reopen(context_.node->rows());
}

template <class V>
void Chain<V>::reconsider(int i, const V& target) {
  V least = join(entry(i).hi[0], entry(i).hi[1], context_.penalty, context_.budgets);
  lower_to(least, target);
  if (any_below(cost_below(entry(i)), least)) entry(i).closed = false;
}

// Others solved for few different targets: those of rounds, and the best costs of their time. A
// list that is full has room for the rounds to come; then what the bounds say has to do.
template <class V>
void Chain<V>::solved_for(int i, const V& solved, const V& target) {
  constexpr std::size_t kMostTargets = 30000;
  const auto same = [&](const V& t) { return !any_below(t, solved) && !any_below(solved, t); };
  const auto at = std::find_if(targets_.begin(), targets_.end(), same);
  const auto index = static_cast<std::size_t>(at - targets_.begin());
  if (at == targets_.end()) {
    if (targets_.size() >= kMostTargets) {
      entry(i).closed = false;
      return;
    }
    targets_.push_back(solved);
  }
  entry(i).round = static_cast<std::int16_t>(index + 1);
  open_below(entry(i), target);
}

template <class V>
void Chain<V>::reopen(int before) {
  last_allowed_ = std::min(context_.node->last_allowed(context_.feature), before - 1);
  runs_.assign(1, {kFirst, kLast});
  next_run_ = 0;
}

template <class V>
void Chain<V>::doubt(int k, Cost value) {
  for (int i = entry(kFirst).next; i != kLast; i = entry(i).next) {
    Entry& e = entry(i);
    const bool known = join(e.hi[0], e.hi[1], context_.penalty, context_.budgets)[k] <= value &&
                       shares_known(e, k, value);
    if (cost_below(e)[k] <= value && !known) e.closed = false;
  }
}

// Solving it for `value` + 1 with budget k settles them all: if sides with i and j splits, i + j <
// k, cost at most that together, so do i splits beside k - 1 - i >= j, and j beside k - 1 - j. So
// each of the two costs less than its cap in a pair that has all splits, and is solved.
template <class V>
bool Chain<V>::shares_known(const Entry& e, int k, Cost value) const {
  for (int used = 0; used < k && context_.budgets > 1; ++used)
    for (int i = 0; i <= used; ++i)
      if (e.lo[0][i] + e.lo[1][used - i] + context_.penalty <= value &&
          e.hi[0][i] + e.hi[1][used - i] + context_.penalty > value)
        return false;
  return true;
}

template <class V>
int Chain<V>::first_at_most(int k, Cost value) const {
  for (int i = entry(kFirst).next; i != kLast; i = entry(i).next) {
    const Entry& e = entry(i);
    if (e.closed && join(e.hi[0], e.hi[1], context_.penalty, context_.budgets)[k] <= value)
      return i;
  }
  return -1;
}

template <class V>
V Chain<V>::bound_between(const Entry& a, const Entry& b) const {
  V bound = join(a.lo[0], b.lo[1], context_.penalty, context_.budgets);
  raise_to(bound, join(b.lo[0], a.lo[1], context_.penalty, context_.budgets),
           -influence(a.position, b.position));
  return bound;
}

template <class V>
V Chain<V>::open_bound() const {
  V bound = V::constant(kInfinite, context_.budgets);
  const V everything = bound;
  Counters unused;
  Gap any;
  for (int i = kFirst; entry(i).next >= 0; i = entry(i).next) {
    if (gap(i, everything, any, unused))
      lower_to(bound, bound_between(entry(i), entry(entry(i).next)));
    if (i != kFirst && entry(i).closed) lower_to(bound, solved_bound(entry(i)));
  }
  return bound;
}

// Values between two entries are counted by their ranks, of which a node may lack some.
template <class V>
std::int64_t Chain<V>::open_thresholds(const V& best) const {
  std::int64_t open = 0;
  for (int i = kFirst; entry(i).next >= 0; i = entry(i).next) {
    const Entry& a = entry(i);
    const Entry& b = entry(a.next);
    if (i != kFirst && any_below(a.closed ? solved_bound(a) : cost_below(a), best)) ++open;
    if (!any_below(bound_between(a, b), best)) continue;
    const Node& node = *context_.node;
    open +=
        node.rank_at(context_.feature, b.position - 1) - node.rank_at(context_.feature, a.position);
  }
  return open;
}

template <class V>
V Chain<V>::excluded_bound() const {
  V bound = V::constant(kInfinite, context_.budgets);
  for (int i = kFirst; entry(i).next >= 0; i = entry(i).next) {
    const Entry& a = entry(i);
    const Entry& b = entry(a.next);
    if (a.position < first_allowed_ || b.position - 1 > last_allowed_)
      lower_to(bound, bound_between(a, b));
  }
  return bound;
}

// Leaves out thresholds that add nothing to their neighbours: the interval between these is pruned
// without them, or they have the same bounds.
template <class V>
void Chain<V>::store(const V& best, bool whole, Solution<V>& solution) {
  auto& list = solution.lists[static_cast<std::size_t>(context_.feature)];
  std::vector<Entry>& kept = kept_;
  kept.clear();
  for (int i = entry(kFirst).next; i != kLast; i = entry(i).next) {
    const Entry& e = entry(i);
    if (!whole && kept.size() >= 2) {
      const Entry& a = kept[kept.size() - 2];
      if (!any_below(join(a.lo[0], e.lo[1], context_.penalty, context_.budgets), best))
        kept.pop_back();
    }
    kept.push_back(e);
  }
  const int both = 2 * floor_stride(context_.node->features());
  for (Entry& e : kept) {
    if (e.floors < 0) continue;
    const auto from = floors_.begin() + e.floors;
    e.floors = static_cast<int>(solution.floors.size());
    solution.floors.insert(solution.floors.end(), from, from + both);
  }
  list.assign(kept.begin(), kept.end());
}

template class Chain<One>;
template class Chain<Curve<8>>;
template class Chain<Curve<32>>;

}  // namespace exactree

// Splits with a leaf on one side.
#include <algorithm>

#include "search/audit/split_claims.hpp"
#include "search/sparse/split_search.hpp"

namespace exactree {

namespace {

// A rest settles leaves that cost less than its own by what it costs too much, and hardly any that
// cost more. So the next one of a run is this part of it from the end.
constexpr int kShare = 10;

}  // namespace

void SplitSearch::carve(Frame& frame, int f) {
  work_.spend(1 + frame.node.rows() / 4096);
  for (int s = 0; s < 2; ++s)
    if (!frame.settled[0][static_cast<std::size_t>(2 * f + s)])
      for (int label = by_label_ ? 0 : -1; label < (by_label_ ? 2 : 0); ++label) {
        if (control_.stopped()) return;
        if (is_barred(frame.trees.bar, f, s, label))
          work_.counters.count(Pruning::kQuadrant);
        else
          carve(frame, f, s, label);
      }
}

// Takes off what is known to be too expensive at both ends of a run. From right to left the leaves
// cost less and the rests more, from left to right it is the other way round, and the rest loses
// at most the influence of the rows it loses (Subset, Similarity). False: nothing is left.
bool SplitSearch::trim(const Frame& frame, int f, const std::vector<Carving>& list, Run& run) {
  const Cost limit = frame.best.low - penalty_;
  const auto at = [&](int i) { return list[static_cast<std::size_t>(i)]; };
  if (work_.switches.on(Pruning::kSubInterval))
    while (run.last >= run.first && at(run.last).leaf + run.right_value >= limit) {
      work_.counters.count(Pruning::kSubInterval);
      --run.last;
    }
  if (run.left >= 0 && work_.switches.on(Pruning::kNeighbour))
    while (run.last >= run.first) {
      const Cost lost = between(frame, f, at(run.left).position, at(run.first).position);
      if (at(run.first).leaf + run.left_value - lost < limit) break;
      work_.counters.count(Pruning::kNeighbour);
      ++run.first;
    }
  return run.first <= run.last;
}

Trees SplitSearch::rest_of(const Frame& frame, int f, int s, int label) const {
  Trees trees = with_one_less(frame.trees);
  if (label >= 0) trees.bar = bar_of(f, s, label);
  return trees;
}

// Leaves whose rests hold smaller sets of rows of which enough is known (face_table.hpp). Looks up
// what is known of them.
bool SplitSearch::find_steps(const Frame& frame, int f, int s, const Trees& rest) {
  Level& here = level(frame.depth);
  here.steps.clear();
  if (!work_.switches.on(Pruning::kArchiveLike) || useful(rest.splits, frame.best.low) < 2)
    return false;
  asked_ = here.faces;
  const Face widest = Faces::of_side(frame.node, f, s == 0 ? 0 : frame.node.rows(), 1 - s);
  asked_.set(widest);
  if (asked_.kept()) face_table_.find(asked_, rest, widest.place, here.steps);
  return !here.steps.empty();
}

// Takes off the leaves that are too expensive with what is known of their rests. True: all are.
bool SplitSearch::rule_out(Frame& frame, int f, int s, [[maybe_unused]] const Trees& rest,
                           std::vector<Carving>& list) {
  const std::vector<FaceTable::Step>& steps = level(frame.depth).steps;
  const Cost limit = frame.best.low - penalty_;
  const auto is_dear = [&](const Carving& at) {
    const std::int32_t bound = Faces::of_side(frame.node, f, at.position, 1 - s).bound;
    const auto after =
        std::partition_point(steps.begin(), steps.end(),
                             [&](const FaceTable::Step& step) { return step.bound >= bound; });
    if (after == steps.begin() || at.leaf + (after - 1)->low < limit) return false;
    EXACTREE_CLAIM(claims::trees(child(frame.node, frame.depth, f, at.position, 1 - s), rest,
                                 (after - 1)->low, kInfinite));
    work_.counters.count(Pruning::kArchiveLike);
    return true;
  };
  list.erase(std::remove_if(list.begin(), list.end(), is_dear), list.end());
  return list.empty();
}

// The largest leaf first: often it settles all, and then the others need not be listed.
void SplitSearch::carve(Frame& frame, int f, int s, int label) {
  const bool all = !work_.switches.on(Pruning::kCarving);
  // Support: without the leaf, the rest has to keep to this bar. It does if the leaf has its label.
  const int bar = frame.trees.bar;
  const bool supported = bar == 0 || (bar - 1) % 2 == label;
  Carver::Terms terms{frame.best.low - penalty_, label, supported ? support() : -1, all,
                      all ? ~0u : 1u};
  std::vector<Carving>& list = level(frame.depth).carvings[s];
  carver_.read(frame.node, f);
  const auto count = [&](const Carver::Excluded& excluded) {
    work_.counters.pruned[static_cast<std::size_t>(Pruning::kCarving)] += excluded.by_others;
    work_.counters.pruned[static_cast<std::size_t>(Pruning::kSmallSide)] += excluded.by_support;
  };
  const Trees rest = rest_of(frame, f, s, label);
  const bool known = find_steps(frame, f, s, rest);
  if (known) terms.most = ~0u;
  count(carver_.list(frame.node, f, s, terms, list));
  if (list.empty() || (known && rule_out(frame, f, s, rest, list))) return;
  const Carving least = list.front();
  const bool whole = all || known;
  const Carving last = whole ? list.back() : carver_.last(frame.node, f, s, label, terms.limit);
  Run run{0, -1, -1, 0, 0, {}, no_floors(frame)};
  // Solved beyond what it needs itself, so that the smaller leaves before it are settled, too.
  run.right_value = carve_at(frame, f, s, label, last, terms.limit - least.leaf, run.right_floors);
  if (control_.stopped()) return;
  const bool skip = work_.switches.on(Pruning::kSubInterval);
  terms.limit = frame.best.low - penalty_ - (skip ? run.right_value : 0);
  if (least.leaf >= terms.limit || least.position == last.position) {
    if (least.position != last.position) work_.counters.count(Pruning::kSubInterval);
    return;
  }
  if (!whole && skip && rest.splits == 1 && run.right_floors.empty() && carver_.is_quick())
    return carve_down(frame, f, s, label, least, run.right_value);
  if (!whole) {
    terms.most = ~0u;
    carver_.read(frame.node, f);
    count(carver_.list(frame.node, f, s, terms, list));
  }
  while (!list.empty() &&
         (s == 0 ? list.back().position >= last.position : list.back().position <= last.position))
    list.pop_back();
  run.last = static_cast<int>(list.size()) - 1;
  carve(frame, f, s, label, std::move(run));
}

// The same without a list, which takes longer than scans of few rows: always the largest leaf that
// is not settled by the rest of the one before. Each is smaller than the last: either its rest
// settles it, or the tree that is found does.
void SplitSearch::carve_down(Frame& frame, int f, int s, int label, Carving least, Cost rest) {
  Floors floors;
  for (Carving at{-1, 0}; at.position != least.position && !control_.stopped();) {
    const Cost limit = frame.best.low - penalty_;
    if (least.leaf + rest >= limit) return;
    work_.counters.count(Pruning::kSubInterval);
    at = carver_.last(frame.node, f, s, label, limit - rest);
    rest = carve_at(frame, f, s, label, at, limit - least.leaf, floors);
  }
}

void SplitSearch::carve(Frame& frame, int f, int s, int label, Run whole) {
  const std::vector<Carving>& list = level(frame.depth).carvings[s];
  const auto at = [&](int i) { return list[static_cast<std::size_t>(i)]; };
  std::vector<Run> runs;
  runs.push_back(std::move(whole));
  while (!runs.empty()) {
    Run run = std::move(runs.back());
    runs.pop_back();
    if (!trim(frame, f, list, run)) continue;
    const int i = run.last - (run.last - run.first) / kShare;
    Floors floors = no_floors(frame);
    if (!run.right_floors.empty()) take_floors(run.right_floors, 0, floors);
    if (!run.left_floors.empty())
      take_floors(run.left_floors, between(frame, f, at(run.left).position, at(i).position),
                  floors);
    const Cost cap = frame.best.low - penalty_ - at(run.first).leaf;
    const Cost value = carve_at(frame, f, s, label, at(i), cap, floors);
    if (control_.stopped()) return;
    runs.push_back({i + 1, run.last, i, value, run.right_value, floors, run.right_floors});
    runs.push_back({run.first, i - 1, run.left, run.left_value, value, std::move(run.left_floors),
                    std::move(floors)});
  }
}

// What the rest beside a leaf costs at least: all of it, if that is less than `cap`.
Cost SplitSearch::carve_at(Frame& frame, int f, int s, int label, Carving at, Cost cap,
                           Floors& floors) {
  Trees trees[2];
  trees[1 - s] = rest_of(frame, f, s, label);
  const bool aims = work_.switches.on(Pruning::kSideCap);
  const Wanted wanted(cap, aims ? frame.best.low - penalty_ - at.leaf : cap);
  const Outcome rest = solve_side(frame, f, at.position, 1 - s, trees[1 - s],
                                  last_beside(frame, f, s), wanted, floors);
  if (rest.low < std::min(cap, rest.high)) work_.counters.count(Pruning::kSideCap);
  if (!control_.stopped() && rest.low == rest.high) {
    Cost cost[2] = {rest.high, rest.high};
    cost[s] = at.leaf;
    improve(frame, f, at.position, trees, cost);
  }
  return rest.low;
}

}  // namespace exactree

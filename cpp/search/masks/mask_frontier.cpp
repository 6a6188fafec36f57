#include "search/masks/mask_frontier.hpp"

#include <algorithm>
#include <utility>

#include "search/audit/claims.hpp"
#include "search/driver/extract.hpp"
#include "search/driver/search.hpp"
#include "search/masks/plan.hpp"

namespace exactree {

template <class V>
bool MaskFrontier<V>::open(PlanFacts* kept) {
  Worker<V>& worker = top_.worker;
  const bool known = kept != nullptr && kept->known;  // its trees are all there is to it
  if (!root().tree().start(worker.work())) return false;
  if (root().tree().empty()) return true;
  if (!known) {
    const Solution<V> one = solve_single();
    if (!worker.control().stopped()) take_single(one);
  }
  if (worker.control().stopped()) return false;
  if (top_.incumbents.size() > 1) top_.incumbents.settle(1);
  if (top_.budget.depth < 2) return true;
  if (!known && top_.request.switches.on(Pruning::kIncumbent) &&
      top_.request.upper_bound == kInfinite)
    plan();
  if (kept != nullptr) kept->known = kept->known || !worker.control().stopped();
  list_branches(MaskTree::kRoot, {});
  first_splits_.resize(top_.incumbents.size());
  if (!worker.control().stopped()) return true;
  branches_.clear();  // some may be missing
  return false;
}

// The best single split, in rounds too.
template <class V>
Solution<V> MaskFrontier<V>::solve_single() {
  const Budget single = Budget::of(1, 1);
  const int n = V::budgets_of(single.splits);
  const V leaf = V::constant(std::min(root().leaf(), top_.request.upper_bound), n);
  const V known = V::constant(top_.request.lower_bound, n);
  V bound = known;
  if (n > 1) bound.set(0, root().leaf());
  Solution<V> one;
  one.upper = leaf;
  for (int round = 0; any_below(bound, leaf); ++round) {
    const V below = target(leaf, bound, round);
    top_.worker.solve(single, root(), below, known, leaf, {}, one);
    if (top_.worker.control().stopped() || any_below(one.upper, leaf)) break;
    raise_to(bound, below);
    if (top_.budget.depth > 1) continue;
    top_.incumbents.raise_bound(bound);
    top_.incumbents.report();
  }
  return one;
}

template <class V>
void MaskFrontier<V>::take_single(const Solution<V>& one) {
  Incumbents<V>& incumbents = top_.incumbents;
  Extractor<V> extractor(top_.worker);
  for (std::size_t k = 0; k < incumbents.size(); ++k) {
    const Cost cost = one.upper[static_cast<int>(k)];
    if (!incumbents[k].wanted || cost >= incumbents[k].value) continue;
    Tree tree;
    extractor.extract(root(), Budget::of(1, 1), std::min(incumbents.splits_of(k), 1), cost, tree);
    if (top_.worker.control().stopped()) return;
    incumbents.take_tree(k, cost, std::move(tree));
    top_.worker.work().counters.count(Pruning::kIncumbent);
  }
  incumbents.report();
}

// Complete trees of two levels and more, as deep as both budgets allow.
template <class V>
void MaskFrontier<V>::plan() {
  Incumbents<V>& incumbents = top_.incumbents;
  for (int depth = 2; depth <= std::min(top_.budget.depth, kPlannedLevels); ++depth) {
    if ((1 << depth) - 1 > top_.budget.splits) break;
    MaskPlanner planner(root(), depth, top_.data.penalty, top_.data.least_side, top_.worker.work());
    const MaskPlan plan = planner.run();
    for (std::size_t k = 0; k < incumbents.size(); ++k) {
      if (incumbents.splits_of(k) < plan.splits || !incumbents.improves(k, plan.cost)) continue;
      EXACTREE_CLAIM(claims::tree("incumbent", root(), plan.tree, plan.cost));
      incumbents.take_tree(k, plan.cost, plan.tree);
      top_.worker.work().counters.count(Pruning::kIncumbent);
    }
    incumbents.report();
  }
}

template <class V>
void MaskFrontier<V>::list_branches(int branch, std::vector<bool> path) {
  const std::size_t levels = top_.request.remote ? kRemoteLevels : kBranchLevels;
  const int child = path.size() == levels ? MaskTree::Branch::kTwig
                                          : root().tree().open(branch, top_.worker.work());
  if (child == MaskTree::Branch::kClosed) return;
  if (child == MaskTree::Branch::kTwig) {
    branches_.push_back(
        {branch, std::move(path), V::constant(top_.request.lower_bound, budgets())});
    return;
  }
  path.push_back(false);
  list_branches(child, path);
  path.back() = true;
  list_branches(child + 1, std::move(path));
}

// The next branch in turn that is open and that nobody is at.
template <class V>
Asked MaskFrontier<V>::ask(Worker<V>&, Piece& piece) {
  auto& mine = static_cast<MaskPiece<V>&>(piece);
  bool busy = false;
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    const std::size_t o = next_;
    next_ = (next_ + 1) % branches_.size();
    RootBranch& at = branches_[o];
    const V goal = top_.incumbents.goal(static_cast<int>(o));
    if (!any_below(at.bound, goal)) continue;
    busy = busy || at.busy;
    if (at.busy) continue;
    mine.place = static_cast<int>(o);
    mine.search =
        std::make_unique<MaskSearch<V>>(root(), top_.budget, target(goal, at.bound, at.rounds));
    mine.search->in_order = true;
    at.busy = true;
    ++at.rounds;
    return Asked::kPiece;
  }
  return busy ? Asked::kBusy : Asked::kNone;
}

template <class V>
void MaskFrontier<V>::answer(Worker<V>& worker, Node& root, Piece& piece) {
  auto& mine = static_cast<MaskPiece<V>&>(piece);
  mine.search->node = static_cast<MaskNode*>(&root);
  const V none = V::constant(0, V::budgets_of(top_.budget.child().splits));
  const V lo[2] = {none, none};
  MaskSource<V>::of(worker).search_branch(
      *mine.search, branches_[static_cast<std::size_t>(mine.place)].branch, lo);
}

template <class V>
void MaskFrontier<V>::tell(Worker<V>&, Piece& piece, bool complete) {
  auto& mine = static_cast<MaskPiece<V>&>(piece);
  RootBranch& at = branches_[static_cast<std::size_t>(mine.place)];
  at.busy = false;
  if (!complete) return;
  const MaskSearch<V>& search = *mine.search;
  raise_to(at.bound, search.best);
  Incumbents<V>& incumbents = top_.incumbents;
  const V goal = incumbents.goal(mine.place);
  for (std::size_t k = 0; k < incumbents.size(); ++k) {
    const MaskSplit<V>& split = search.found[k];
    if (split.id < 0) continue;
    if (!incumbents.take_value(k, search.best[static_cast<int>(k)], mine.place, goal)) continue;
    first_splits_[k] = split;
    if (incumbents.lacks_tree(k)) incumbents.write_later(k, MaskSource<V>::split_of(split));
  }
}

template <class V>
V MaskFrontier<V>::bound() const {
  if (branches_.empty()) return V::constant(top_.request.lower_bound, budgets());
  V bound = V::constant(kInfinite, budgets());
  for (const RootBranch& at : branches_) lower_to(bound, at.bound);
  return bound;
}

template <class V>
std::int64_t MaskFrontier<V>::open_pieces() const {
  std::int64_t open = 0;
  for (std::size_t place = 0; place < branches_.size(); ++place)
    open += any_below(branches_[place].bound, top_.incumbents.goal(static_cast<int>(place)));
  return open;
}

// What to find something below in the next round, where nothing is below `bound` and only what is
// below `goal` is of interest.
template <class V>
V MaskFrontier<V>::target(const V& goal, const V& bound, int round) const {
  V v = goal;
  // The last steps are taken at once. They are longer for deep trees, where rounds help each other
  // less: solved sides are single splits at depth two, which are cheap to find again.
  const Cost last = top_.budget.depth <= 2 ? 4 : 2;
  for (int k = 0; k < goal.budgets(); ++k) {
    const Cost gap = goal[k] - bound[k];
    if (gap <= 0)
      v.set(k, -kInfinite);
    else if (gap > goal[k] / last + 1)
      v.set(k, goal[k] - (round == 0 ? gap - (gap + 2) / 3 : gap / 2));
  }
  return v;
}

template class MaskFrontier<One>;
template class MaskFrontier<Curve<8>>;
template class MaskFrontier<Curve<32>>;

}  // namespace exactree

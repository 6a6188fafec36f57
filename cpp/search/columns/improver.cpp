#include "search/columns/improver.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "search/audit/claims.hpp"

namespace exactree {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Trees that are less deep are not worth it.
constexpr int kLeastDepth = 4;
// One part of so many of the work is done here.
constexpr std::int64_t kShareOfWork = 32;
// A limit of so many seconds is none.
constexpr double kForever = 1e100;
// A start or a graft that costs more than what is there by more than one part in so many is given
// up.
constexpr Cost kHopeful = 6, kWidely = 3;

// Whether something is below a split, by their paths.
bool begins_with(const std::vector<bool>& path, const std::vector<bool>& first) {
  return path.size() >= first.size() && std::equal(first.begin(), first.end(), path.begin());
}

}  // namespace

template <class V>
bool Improver<V>::helps(Budget budget, Switches switches) {
  if (V::kSizes || !switches.on(Pruning::kIncumbent)) return false;
  return budget.depth >= (switches.everywhere() ? 2 : kLeastDepth);
}

template <class V>
Improver<V>::Improver(Worker<V>& worker, Node& root, Budget budget, std::vector<Promising> roots,
                      int levels, bool alone)
    : worker_(worker),
      root_(root),
      budget_(budget),
      roots_(std::move(roots)),
      levels_(levels),
      alone_(alone),
      planner_(worker),
      extractor_(worker),
      rewriter_(worker),
      moving_(worker.data(), worker.work()),
      first_(worker.work().effort) {}

// Two fewer than there are, if that is less.
template <class V>
int Improver<V>::end_levels() const {
  return std::clamp(budget_.depth - 2, 1, levels_);
}

// A step is expected to take as long as the last one did. Four levels are often proved before any
// would pay; of more, and where time is limited, a better tree is worth as much as the first was.
template <class V>
bool Improver<V>::has_turn() const {
  const bool open = std::any_of(ends_.begin(), ends_.end(), [](const End& e) { return e.open; });
  if (!open && next_move_ >= uppers_.size() && uppers_left_ == 0 && next_root_ >= roots_.size())
    return false;
  if (alone_ || worker_.work().switches.everywhere()) return true;
  const std::int64_t others = worker_.work().effort - spent_;
  const bool limited = worker_.control().time_limit < kForever;
  const std::int64_t ahead = limited || budget_.depth > kLeastDepth ? first_ : 0;
  return spent_ + last_ <= ahead + others / kShareOfWork;
}

// A cost that is lower than that of its tree is one whose tree is not known here.
template <class V>
void Improver<V>::follow(const Incumbent& best) {
  if (best.cost > best.value || best.cost >= best_cost_) return;
  best_ = tree_ = best.tree;
  best_cost_ = cost_ = best.cost;
  list_parts();
  note_best();
}

// Alone there are no starts: the first split is one of those that are replaced.
template <class V>
void Improver<V>::note_best() {
  widely_ = false;
  grafts_.clear();
  next_graft_ = 0;
  uppers_left_ = uppers_.empty() || alone_ ? uppers_.size() : uppers_.size() - 1;
}

template <class V>
void Improver<V>::list_parts() {
  ends_.clear();
  uppers_.clear();
  next_move_ = 0;
  Path path;
  list_parts(0, budget_.depth, path);
}

template <class V>
void Improver<V>::list_parts(int here, int levels, Path& path) {
  if (levels <= end_levels() || tree_[at(here)].feature < 0) {
    ends_.push_back({path, true});
    return;
  }
  uppers_.push_back(path);
  for (const bool right : {false, true}) {
    path.push_back(right);
    list_parts(right ? tree_[at(here)].right : tree_[at(here)].left, levels - 1, path);
    path.pop_back();
  }
}

template <class V>
bool Improver<V>::step(Cost below) {
  const std::int64_t before = worker_.work().effort;
  take_step();
  last_ = worker_.work().effort - before;
  spent_ += last_;
  if (worker_.control().stopped() || cost_ >= std::min(best_cost_, below)) return false;
  best_ = tree_;
  best_cost_ = cost_;
  note_best();
  worker_.work().counters.count(Pruning::kIncumbent);
  EXACTREE_CLAIM(claims::tree("incumbent", root_, best_, best_cost_));
  return true;
}

template <class V>
void Improver<V>::take_step() {
  const auto open =
      std::find_if(ends_.begin(), ends_.end(), [](const End& end) { return end.open; });
  if (open != ends_.end())
    solve(*open);
  else if (next_move_ < uppers_.size() && moving_.possible())
    move(uppers_[next_move_++]);
  else if (uppers_left_ > 0)
    graft();
  else if (next_root_ < roots_.size())
    start(roots_[next_root_++]);
  else
    next_move_ = uppers_.size();
}

// Where a path of the tree under way leads: its rows, what is left of the budget, its place.
template <class V>
Node& Improver<V>::walk(const Path& path, Budget& budget, int& here) {
  Node* node = &root_;
  budget = budget_;
  here = 0;
  for (const bool right : path) {
    const TreeNode& split = tree_[at(here)];
    node = &rewriter_.side(*node, budget, split, right);
    budget = budget.child();
    here = right ? split.right : split.left;
  }
  return *node;
}

template <class V>
void Improver<V>::solve(End& end) {
  end.open = false;
  Budget budget;
  int here = 0;
  Node& node = walk(end.path, budget, here);
  budget = Budget::of(std::min(budget.depth, end_levels()), budget.splits);
  Tree part;
  const Cost before = rewriter_.rewrite(node, budget, here, tree_, part);
  if (before == 0 || budget.depth == 0) return;
  const auto solution = std::make_shared<Solution<V>>();
  const int n = worker_.budgets(budget);
  const V leaf = V::constant(node.leaf(), n);
  worker_.solve(budget, node, V::constant(before, n), V::constant(0, n), leaf, {}, *solution);
  if (worker_.control().stopped() || solution->upper.most() >= before) return;
  Relatives<V> known;
  known.add({solution});
  part.clear();
  extractor_.extract(node, budget, budget.splits, solution->upper.most(), part, known);
  if (worker_.control().stopped()) return;
  splice(here, part);
  Tree tidy;
  cost_ = rewriter_.rewrite(root_, budget_, 0, tree_, tidy);
  next_move_ = 0;
}

// The exact cost decides. A tree that lost a split on its way is listed anew.
template <class V>
void Improver<V>::move(const Path& path) {
  Tree moved = tree_, tidy;
  if (!moving_.move(moved, path)) return;
  const Cost cost = rewriter_.rewrite(root_, budget_, 0, moved, tidy);
  if (worker_.control().stopped() || cost >= cost_) return;
  const bool same = tidy.size() == tree_.size();
  tree_ = std::move(tidy);
  cost_ = cost;
  if (!same) return list_parts();
  for (End& end : ends_) end.open = end.open || begins_with(end.path, path);
  next_move_ = 0;
}

// The splits of the best tree are taken in turn, the last one first: they are listed from the root
// on.
template <class V>
void Improver<V>::graft() {
  tree_ = best_;
  cost_ = best_cost_;
  list_parts();
  for (End& end : ends_) end.open = false;
  next_move_ = uppers_.size();
  const std::size_t count = alone_ || uppers_.empty() ? uppers_.size() : uppers_.size() - 1;
  if (count == 0) {
    uppers_left_ = 0;
    return;
  }
  const Path path = uppers_[uppers_.size() - 1 - next_upper_ % count];
  Budget budget;
  int here = 0;
  Node& node = walk(path, budget, here);
  if (grafts_.empty()) grafts_ = planner_.first_splits(node, budget, widely_);
  if (worker_.control().stopped()) return;
  if (next_graft_ < grafts_.size()) return graft(path, node, budget, here, grafts_[next_graft_++]);
  grafts_.clear();
  next_graft_ = 0;
  ++next_upper_;
  --uppers_left_;
  if (uppers_left_ > 0 || widely_ || !alone_) return;
  widely_ = true;
  uppers_left_ = count;
}

template <class V>
void Improver<V>::graft(const Path& path, Node& node, Budget budget, int here,
                        const Promising& split) {
  const TreeNode& now = tree_[at(here)];
  if (split.feature == now.feature && split.position == node.position_of(now.feature, now.high, 0))
    return;
  Tree part;
  const Cost before = rewriter_.rewrite(node, budget, here, tree_, part);
  if (before == 0) {
    next_graft_ = grafts_.size();
    return;
  }
  const Cost most = before + before / (widely_ ? kWidely : kHopeful);
  const V cap = V::constant(most + 1, worker_.budgets(budget));
  const auto plan = planner_.plan_below(node, budget, split, Effort::kManyRoots, cap);
  if (worker_.control().stopped() || plan->value.most() > most) return;
  part.clear();
  planner_.draw(node, *plan, budget.splits, part);
  if (worker_.control().stopped()) return;
  splice(here, part);
  Tree tidy;
  cost_ = rewriter_.rewrite(root_, budget_, 0, tree_, tidy);
  tree_ = std::move(tidy);
  list_parts();
  for (End& end : ends_) end.open = begins_with(end.path, path);
}

template <class V>
void Improver<V>::start(const Promising& root) {
  const V cap = V::constant(kInfinite, worker_.budgets(budget_));
  const auto plan = planner_.plan_below(root_, budget_, root, Effort::kManyRoots, cap);
  const Cost cost = plan->value.most();
  if (worker_.control().stopped() || cost - best_cost_ > best_cost_ / kHopeful) return;
  Tree tree;
  planner_.draw(root_, *plan, budget_.splits, tree);
  if (worker_.control().stopped()) return;
  tree_ = std::move(tree);
  cost_ = cost;
  list_parts();
}

// Puts another part where one starts; trees are in preorder.
template <class V>
void Improver<V>::splice(int here, const Tree& part) {
  Tree tree;
  const auto copy = [&](const auto& self, const Tree& from, int i) -> int {
    if (&from == &tree_ && i == here) return self(self, part, 0);
    const int me = static_cast<int>(tree.size());
    tree.push_back(from[at(i)]);
    if (from[at(i)].feature < 0) return me;
    const int left = self(self, from, from[at(i)].left);
    const int right = self(self, from, from[at(i)].right);
    tree[at(me)].left = left;
    tree[at(me)].right = right;
    return me;
  };
  copy(copy, tree_, 0);
  tree_ = std::move(tree);
}

template class Improver<One>;
template class Improver<Curve<8>>;
template class Improver<Curve<32>>;

}  // namespace exactree

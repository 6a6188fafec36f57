#include "search/masks/mask_source.hpp"

#include <algorithm>

#include "search/audit/mask_claims.hpp"
#include "search/masks/mask_frontier.hpp"

namespace exactree {

namespace {

Cost* costs(One& v) {
  return &v.cost;
}
template <int C>
Cost* costs(Curve<C>& v) {
  return v.cost;
}

// How many sets an archive keeps, and how many are tried for another one: a single split is found
// in less time than it takes to try many.
constexpr std::size_t kArchived = 1 << 16, kTries = 1 << 14, kTriesForOneSplit = 128;

}  // namespace

template <class V>
MaskView& MaskSource<V>::view(Budget budget) {
  const auto depth = static_cast<std::size_t>(budget.depth);
  if (views_.size() <= depth) views_.resize(depth + 1);
  if (!views_[depth]) views_[depth] = std::make_unique<MaskView>();
  return *views_[depth];
}

template <class V>
MaskArchive* MaskSource<V>::archive_of(Budget budget, int words) {
  if (!work().switches.on(Pruning::kArchiveLike)) return nullptr;
  for (auto& [known, archive] : archives_)
    if (known.depth == budget.depth && known.splits == budget.splits) return archive.get();
  archives_.emplace_back(
      budget, std::make_unique<MaskArchive>(words, budgets(budget), kArchived,
                                            budget.depth <= 1 ? kTriesForOneSplit : kTries));
  return archives_.back().second.get();
}

template <class V>
void MaskSource<V>::solve(Budget budget, Node& node, V best, const Relatives<V>&,
                          Solution<V>& out) {
  if (worker_.settle_small(budget, node, best, out)) return;
  MaskSearch<V> search(static_cast<MaskNode&>(node), budget, best);
  search_all(search);
  if (worker_.control().stopped()) return;
  for (int k = 0; k < search.best.budgets(); ++k)
    if (search.found[static_cast<std::size_t>(k)].id >= 0) out.upper.set(k, search.best[k]);
  raise_to(out.lower, search.best);
}

template <class V>
void MaskSource<V>::search_all(MaskSearch<V>& search) {
  const V none = V::constant(0, budgets(search.budget.child()));
  const V lo[2] = {none, none};
  if (!search.node->tree().empty()) search_branch(search, MaskTree::kRoot, lo);
}

template <class V>
void MaskSource<V>::search_branch(MaskSearch<V>& search, int branch, const V lo[2]) {
  if (search.done() || work().tick(1)) return;
  MaskView& seen = view(search.budget);
  search.node->look(branch, seen);
  if (!seen.splits) return;
  V own[2] = {lo[0], lo[1]};
  if (known_too_costly(search, seen, own)) return;
  MaskTree& tree = search.node->tree();
  if (seen.decided) {
    try_mask(search, {branch, MaskPlace::kAny}, seen, own);
    return;
  }
  if (branch_too_costly(search, seen, own) || worker_.control().stopped()) return;
  const int child = tree.open(branch, work());
  if (child == MaskTree::Branch::kClosed) return;
  if (child == MaskTree::Branch::kTwig)
    search_twig(search, branch, own);
  else
    search_children(search, child, own);
}

template <class V>
void MaskSource<V>::search_twig(MaskSearch<V>& search, int branch, const V lo[2]) {
  MaskTree& tree = search.node->tree();
  const std::uint32_t size = tree.twig_size(branch);
  MaskView& seen = view(search.budget);
  for (std::uint32_t m = 0; m < size && !search.done(); ++m) {
    seen.mask.resize(static_cast<std::size_t>(tree.words()));
    search.node->look_at(tree.twig_mask(branch, m, seen.mask.data()), seen);
    V own[2] = {lo[0], lo[1]};
    if (!seen.splits || known_too_costly(search, seen, own)) continue;
    try_mask(search, {branch, m}, seen, own);
    if (worker_.control().stopped()) return;
  }
}

// The more promising child first: an early find prunes more.
template <class V>
void MaskSource<V>::search_children(MaskSearch<V>& search, int child, const V lo[2]) {
  int first = 0;
  if (!search.in_order) {
    Cost score[2] = {0, 0};
    MaskView& seen = view(search.budget);
    for (int c = 0; c < 2; ++c) {
      search.node->look(child + c, seen);
      if (!seen.splits) continue;
      for (int s = 0; s < 2; ++s)
        score[c] += search.node->recent(seen.side[s].data(), seen.leaf[s], work());
    }
    first = score[1] < score[0] ? 1 : 0;
  }
  search_branch(search, child + first, lo);
  if (!worker_.control().stopped()) search_branch(search, child + 1 - first, lo);
}

// Whether the sides cost too much by what is known of them, or of sets like them.
template <class V>
bool MaskSource<V>::known_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]) {
  const Budget below = search.budget.child();
  const int n = budgets(below);
  MaskArchive* archive = archive_of(below, search.node->tree().words());
  if (V::kSizes)
    for (int s = 0; s < 2; ++s) lo[s].set(0, view.leaf[s]);
  for (int s = 0; s < 2; ++s) {
    V goal = side_cap(search.best, lo[1 - s], penalty(), n);
    if (archive != nullptr && any_below(lo[s], goal)) {
      search.node->raise(*archive, view.side[s].data(), costs(lo[s]), costs(goal), work());
      EXACTREE_CLAIM(claims::rows_cost(Pruning::kArchiveLike, *search.node, view.side[s].data(),
                                       below, lo[s]));
    }
    if (any_below(lo[s], goal)) continue;
    EXACTREE_CLAIM(claims::no_better_mask(Pruning::kArchiveLike, *search.node, search.budget,
                                          search.best, view, false));
    return true;
  }
  return false;
}

// Solves one side below a cap. Raises lo[s] and returns the least cost known.
template <class V>
V MaskSource<V>::solve_side(MaskSearch<V>& search, const MaskView& view, int s, bool limited,
                            const V& cap, V lo[2], const V& hi) {
  const Budget below = search.budget.child();
  auto& side = static_cast<MaskNode&>(worker_.room(*search.node, search.budget.depth, s));
  side.take_rows(view.side[s].data(), limited);
  work().count_node();
  Solution<V> out;
  worker_.solve(below, side, cap, lo[s], hi, {}, out);
  if (worker_.control().stopped()) return hi;
  raise_to(lo[s], out.lower);
  if (!limited || worker_.subset_holds())
    if (MaskArchive* archive = archive_of(below, side.tree().words()))
      archive->put(side.row_set().data(), side.rows(), costs(lo[s]));
  return out.upper;
}

template <class V>
bool MaskSource<V>::branch_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]) {
  if (!work().switches.on(Pruning::kBranch)) return false;
  const int n = budgets(search.budget.child());
  V hi[2];
  for (int s = 0; s < 2; ++s) {
    const Cost one = search.node->recent(view.side[s].data(), view.leaf[s], work()) + penalty();
    hi[s] = V::depth_one(view.leaf[s], std::min(view.leaf[s], one), n);
  }
  const int larger = view.rows[0] >= view.rows[1] ? 0 : 1;
  for (const int s : {larger, 1 - larger}) {
    // Not worth the effort if some mask may well be better.
    if (any_below(join(hi[0], hi[1], penalty(), budgets(search.budget)), search.best)) return false;
    const V cap = side_cap(search.best, lo[1 - s], penalty(), n);
    lower_to(hi[s], solve_side(search, view, s, false, cap, lo, hi[s]));
    if (worker_.control().stopped()) return true;
    if (any_below(lo[s], cap)) continue;
    work().counters.count(Pruning::kBranch);
    EXACTREE_CLAIM(claims::no_better_mask(Pruning::kBranch, *search.node, search.budget,
                                          search.best, view, false));
    return true;
  }
  return false;
}

// Solves both sides of a mask as far as they matter.
template <class V>
void MaskSource<V>::try_mask(MaskSearch<V>& search, MaskPlace place, const MaskView& view,
                             V lo[2]) {
  ++work().counters.evaluations;
  const int n = budgets(search.budget.child());
  V hi[2];
  const int larger = view.rows[0] >= view.rows[1] ? 0 : 1;
  for (const int s : {larger, 1 - larger}) {
    V cap = V::constant(kInfinite, n);
    if (work().switches.on(Pruning::kSideCap)) {
      cap = side_cap(search.best, lo[1 - s], penalty(), n);
      if (!any_below(lo[s], cap)) {
        work().counters.count(Pruning::kSideCap);
        EXACTREE_CLAIM(claims::no_better_mask(Pruning::kSideCap, *search.node, search.budget,
                                              search.best, view, search.node->limited()));
        return;
      }
    }
    hi[s] = solve_side(search, view, s, search.node->limited(), cap, lo, V::constant(kInfinite, n));
    if (worker_.control().stopped()) return;
  }
  const V cost = join(hi[0], hi[1], penalty(), budgets(search.budget));
  EXACTREE_CLAIM(claims::mask_costs(*search.node, search.budget, view, cost));
  if (!any_below(cost, search.best)) return;
  const int id = static_cast<int>(search.node->tree().id(place));
  for (int k = 0; k < cost.budgets(); ++k) {
    if (cost[k] >= search.best[k]) continue;
    search.best.set(k, cost[k]);
    search.found[static_cast<std::size_t>(k)] = {id, {hi[0], hi[1]}};
  }
}

template <class V>
ChosenSplit<V> MaskSource<V>::first_split(Node& node, Budget budget, int splits, Cost value,
                                          const Relatives<V>&) {
  auto& mine = static_cast<MaskNode&>(node);
  ChosenSplit<V> chosen;
  if (budget.depth == 1) {
    const MaskPlace first = mine.first_mask(value - penalty(), work());
    if (first.found()) chosen.feature = static_cast<int>(mine.tree().id(first));
    chosen.position = MaskNode::kPosition;
  } else {
    const int n = budgets(budget), k = n == 1 ? 0 : splits;
    V below = V::constant(-kInfinite, n);
    below.set(k, value + 1);
    MaskSearch<V> search(mine, budget, below);
    search.in_order = search.first_only = true;
    search_all(search);
    const MaskSplit<V>& split = search.found[static_cast<std::size_t>(k)];
    if (split.id >= 0) chosen = this->share(split_of(split), budget, splits, value);
  }
  if (chosen.feature < 0 && !worker_.control().stopped()) no_tree();
  return chosen;
}

template <class V>
std::unique_ptr<Frontier<V>> MaskSource<V>::frontier(const Top<V>& top) {
  return std::make_unique<MaskFrontier<V>>(top);
}

template class MaskSource<One>;
template class MaskSource<Curve<8>>;
template class MaskSource<Curve<32>>;

}  // namespace exactree

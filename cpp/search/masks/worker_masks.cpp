// The recursion of Worker over side masks.
//
// Letters as in chain.hpp; for a branch of the tree of masks, P are the rows of the node that all
// its masks send left, Q those that all send right.
//
// Branch. Every mask of the branch has P within its left side and Q within its right side, so by
// Subset its sides cost at least e(P) and e(Q), and no mask of the branch is better than
// join(e(P), e(Q)). By Subset again, what holds for P and Q holds for those of every branch below,
// which only grow: the bounds are handed down.
//
// With a limit on rows (min_rows > 1) Subset holds for the problem without it, whose optimum is
// never above. Then P and Q, and all that goes to the archives, are of the problem without the
// limit, and only the sides of a single mask are solved with it.
#include <algorithm>

#include "search/audit/mask_claims.hpp"
#include "search/driver/worker.hpp"

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

int MaskNode::rank_at(int id, int p) const {
  const auto which = static_cast<std::uint32_t>(id);
  const MaskThreshold* at = tree_->threshold(which);
  if (at == nullptr) return 0;
  // The nearest ranks on both sides of the threshold among the rows of the node.
  int low = -1, high = -1;
  for (int i = 0; i < tree_->rows(); ++i) {
    if ((set_[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) == 0) continue;
    const int rank = tree_->rank(at->column, i);
    if (rank < at->rank)
      low = std::max(low, rank);
    else
      high = high < 0 ? rank : std::min(high, rank);
  }
  return p < kPosition ? low : high;
}

template <class V>
MaskView& Worker<V>::view(Budget budget) {
  const auto depth = static_cast<std::size_t>(budget.depth);
  if (views_.size() <= depth) views_.resize(depth + 1);
  if (!views_[depth]) views_[depth] = std::make_unique<MaskView>();
  return *views_[depth];
}

template <class V>
MaskArchive* Worker<V>::mask_archive(Budget budget, int words) {
  if (!work_.switches.on(Pruning::kArchiveLike)) return nullptr;
  for (auto& [known, archive] : mask_archives_)
    if (known.depth == budget.depth && known.splits == budget.splits) return archive.get();
  mask_archives_.emplace_back(
      budget, std::make_unique<MaskArchive>(words, budgets(budget), kArchived,
                                            budget.depth <= 1 ? kTriesForOneSplit : kTries));
  return mask_archives_.back().second.get();
}

template <class V>
void Worker<V>::solve_by_masks(Budget budget, MaskNode& node, const V& best, Solution<V>& out) {
  MaskSearch<V> search(node, budget, best);
  const V none = V::constant(0, budgets(budget.child()));
  const V lo[2] = {none, none};
  if (!node.tree().empty()) search_branch(search, MaskTree::kRoot, lo);
  if (control_.stopped()) return;
  for (int k = 0; k < search.best.budgets(); ++k)
    if (search.found[static_cast<std::size_t>(k)].id >= 0) out.upper.set(k, search.best[k]);
  raise_to(out.lower, search.best);
}

template <class V>
void Worker<V>::search_branch(MaskSearch<V>& search, int branch, const V lo[2]) {
  if (search.done() || work_.tick(1)) return;
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
  if (branch_too_costly(search, seen, own) || control_.stopped()) return;
  const int child = tree.open(branch, work_);
  if (child == MaskTree::Branch::kClosed) return;
  if (child == MaskTree::Branch::kTwig)
    search_twig(search, branch, own);
  else
    search_children(search, child, own);
}

template <class V>
void Worker<V>::search_twig(MaskSearch<V>& search, int branch, const V lo[2]) {
  MaskTree& tree = search.node->tree();
  const std::uint32_t size = tree.twig_size(branch);
  MaskView& seen = view(search.budget);
  for (std::uint32_t m = 0; m < size && !search.done(); ++m) {
    seen.mask.resize(static_cast<std::size_t>(tree.words()));
    search.node->look_at(tree.twig_mask(branch, m, seen.mask.data()), seen);
    V own[2] = {lo[0], lo[1]};
    if (!seen.splits || known_too_costly(search, seen, own)) continue;
    try_mask(search, {branch, m}, seen, own);
    if (control_.stopped()) return;
  }
}

// The more promising child first: an early find prunes more.
template <class V>
void Worker<V>::search_children(MaskSearch<V>& search, int child, const V lo[2]) {
  int first = 0;
  if (!search.in_order) {
    Cost score[2] = {0, 0};
    MaskView& seen = view(search.budget);
    for (int c = 0; c < 2; ++c) {
      search.node->look(child + c, seen);
      if (!seen.splits) continue;
      for (int s = 0; s < 2; ++s)
        score[c] += search.node->recent(seen.side[s].data(), seen.leaf[s], work_);
    }
    first = score[1] < score[0] ? 1 : 0;
  }
  search_branch(search, child + first, lo);
  if (!control_.stopped()) search_branch(search, child + 1 - first, lo);
}

// Whether the sides cost too much by what is known of them, or of sets like them.
template <class V>
bool Worker<V>::known_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]) {
  const Budget below = search.budget.child();
  const int n = budgets(below);
  MaskArchive* archive = mask_archive(below, search.node->tree().words());
  if (V::kSizes)
    for (int s = 0; s < 2; ++s) lo[s].set(0, view.leaf[s]);
  for (int s = 0; s < 2; ++s) {
    V goal = side_cap(search.best, lo[1 - s], data_.penalty, n);
    if (archive != nullptr && any_below(lo[s], goal)) {
      search.node->raise(*archive, view.side[s].data(), costs(lo[s]), costs(goal), work_);
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
V Worker<V>::solve_side(MaskSearch<V>& search, const MaskView& view, int s, bool limited,
                        const V& cap, V lo[2], const V& hi) {
  const Budget below = search.budget.child();
  const auto slot = static_cast<std::size_t>(2 * search.budget.depth + s);
  if (pool_.size() <= slot) pool_.resize(slot + 1);
  if (!pool_[slot]) pool_[slot] = search.node->make_empty();
  MaskNode& side = *pool_[slot]->masks();
  side.take_rows(view.side[s].data(), limited);
  ++work_.counters.nodes;
  Solution<V> out;
  solve(below, side, cap, lo[s], hi, nullptr, 0, out);
  if (control_.stopped()) return hi;
  raise_to(lo[s], out.lower);
  if (!limited || subset_holds())
    if (MaskArchive* archive = mask_archive(below, side.tree().words()))
      archive->put(side.row_set().data(), side.rows(), costs(lo[s]));
  return out.upper;
}

template <class V>
bool Worker<V>::branch_too_costly(MaskSearch<V>& search, const MaskView& view, V lo[2]) {
  if (!work_.switches.on(Pruning::kBranch)) return false;
  const int n = budgets(search.budget.child());
  V hi[2];
  for (int s = 0; s < 2; ++s) {
    const Cost one = search.node->recent(view.side[s].data(), view.leaf[s], work_) + data_.penalty;
    hi[s] = V::depth_one(view.leaf[s], std::min(view.leaf[s], one), n);
  }
  const int larger = view.rows[0] >= view.rows[1] ? 0 : 1;
  for (const int s : {larger, 1 - larger}) {
    // Not worth the effort if some mask may well be better.
    if (any_below(join(hi[0], hi[1], data_.penalty, budgets(search.budget)), search.best))
      return false;
    const V cap = side_cap(search.best, lo[1 - s], data_.penalty, n);
    lower_to(hi[s], solve_side(search, view, s, false, cap, lo, hi[s]));
    if (control_.stopped()) return true;
    if (any_below(lo[s], cap)) continue;
    work_.counters.count(Pruning::kBranch);
    EXACTREE_CLAIM(claims::no_better_mask(Pruning::kBranch, *search.node, search.budget,
                                          search.best, view, false));
    return true;
  }
  return false;
}

// Solves both sides of a mask as far as they matter.
template <class V>
void Worker<V>::try_mask(MaskSearch<V>& search, MaskPlace place, const MaskView& view, V lo[2]) {
  ++work_.counters.evaluations;
  const int n = budgets(search.budget.child());
  V hi[2];
  const int larger = view.rows[0] >= view.rows[1] ? 0 : 1;
  for (const int s : {larger, 1 - larger}) {
    V cap = V::constant(kInfinite, n);
    if (work_.switches.on(Pruning::kSideCap)) {
      cap = side_cap(search.best, lo[1 - s], data_.penalty, n);
      if (!any_below(lo[s], cap)) {
        work_.counters.count(Pruning::kSideCap);
        EXACTREE_CLAIM(claims::no_better_mask(Pruning::kSideCap, *search.node, search.budget,
                                              search.best, view, search.node->limited()));
        return;
      }
    }
    hi[s] = solve_side(search, view, s, search.node->limited(), cap, lo, V::constant(kInfinite, n));
    if (control_.stopped()) return;
  }
  const V cost = join(hi[0], hi[1], data_.penalty, budgets(search.budget));
  EXACTREE_CLAIM(claims::mask_costs(*search.node, search.budget, view, cost));
  if (!any_below(cost, search.best)) return;
  const int id = static_cast<int>(search.node->tree().id(place));
  for (int k = 0; k < cost.budgets(); ++k) {
    if (cost[k] >= search.best[k]) continue;
    search.best.set(k, cost[k]);
    search.found[static_cast<std::size_t>(k)] = {id, {hi[0], hi[1]}};
  }
}

#define EXACTREE_MASKS(V)                                                             \
  template void Worker<V>::solve_by_masks(Budget, MaskNode&, const V&, Solution<V>&); \
  template void Worker<V>::search_branch(MaskSearch<V>&, int, const V*);
EXACTREE_MASKS(One)
EXACTREE_MASKS(Curve<8>)
EXACTREE_MASKS(Curve<32>)
#undef EXACTREE_MASKS

}  // namespace exactree

// The audit of masks is itself tested: it accepts what is true and finds what is false.
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/audit/mask_claims.hpp"
#include "search/masks/mask_tree.hpp"

namespace exactree::tests {

#ifdef EXACTREE_AUDIT

namespace {

template <class Claim>
bool is_false(Claim claim) {
  try {
    claim();
  } catch (const std::logic_error&) {
    return true;
  }
  return false;
}

// Rows 0 1 2 3 of classes 0 1 0 1 on a line: one split costs 1, three cost nothing. The same as
// costs of every row and answer.
struct Line {
  std::vector<std::int32_t> ranks = {0, 1, 2, 3}, labels = {0, 1, 0, 1};
  std::vector<std::int64_t> costs = {0, 1, 1, 0, 0, 1, 1, 0};
  MaskTree masks{nullptr, 0, 4, ranks.data(), 1};
  Problem data;
  std::unique_ptr<Node> root;
  MaskView view;

  explicit Line(bool priced) {
    data.rows = 4;
    data.classes = 2;
    data.ranks = ranks.data();
    if (priced)
      data.row_costs = costs.data();
    else
      data.labels = labels.data();
    data.masks = &masks;
    Workspace work;
    root = kernels("auto").make_root(data, work);
    masks.start(work);
    node().look(MaskTree::kRoot, view);
  }
  MaskNode& node() { return static_cast<MaskNode&>(*root); }
};

void check_claims(bool priced) {
  Line line(priced);
  const Budget one = Budget::of(1, 1), two = Budget::of(2, 3);
  const auto pruned = [&](Budget budget, Cost best) {
    return is_false([&] {
      claims::no_better_mask(Pruning::kBranch, line.node(), budget, One{best}, line.view, false);
    });
  };
  check(!pruned(one, 1) && pruned(one, 2));
  check(!pruned(two, 0) && pruned(two, 1));
  const auto bounded = [&](Cost lower) {
    return is_false([&] {
      claims::rows_cost(Pruning::kArchiveLike, line.node(), line.node().row_set().data(), one,
                        One{lower});
    });
  };
  check(!bounded(1) && bounded(2));
  const auto solved = [&](Cost cap, Cost lower, Cost upper) {
    return is_false([&] { claims::solved(*line.root, one, One{cap}, One{lower}, One{upper}); });
  };
  check(!solved(2, 1, 1) && solved(2, 2, 2) && solved(2, 0, 0) && solved(2, 0, 2));
  const auto found = [&](Cost cost) {
    return is_false([&] { claims::best_mask(line.node(), true, 2, 0, {{0, 0}, false, cost}); });
  };
  check(!found(1) && found(0) && found(2));
  MaskView first;
  line.node().look_at(line.masks.given(0), first);
  check(is_false([&] { claims::mask_costs(line.node(), one, first, One{0}); }));
}

}  // namespace

void test_audit(Effort) {
  check_claims(false);
  check_claims(true);
}

#else

void test_audit(Effort) {}

#endif

}  // namespace exactree::tests

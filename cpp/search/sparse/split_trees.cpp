// Targets of a search by splits, and its trees.
#include <algorithm>

#include "search/columns/greedy_split.hpp"
#include "search/driver/posing.hpp"
#include "search/sparse/split_search.hpp"

namespace exactree {

namespace {

// Prices by which targets grow.
constexpr Cost kStep = 4;
// Without a limit of memory, what is known of sets of rows keeps to this.
constexpr std::int64_t kTableBytes = std::int64_t{1} << 29;

}  // namespace

void SplitSearch::write(Node& node, int depth, const Trees& trees, Cost value, const Outcome& known,
                        Tree& tree) {
  const auto here = tree.size();
  tree.emplace_back();
  tree[here].label = node.label();
  if (node.leaf() <= value) return;
  Outcome out = known;
  if (out.high > value) {
    out = {0, 0};
    if (useful(trees.splits, value + 1) > 1) out = look_up(node, trees);
    if (out.high > value) out = solve(node, depth, trees, value + 1, Asked::kAnew);
    if (out.high > value) throw Stopped{};
  }
  if (out.feature < 0) {
    Cost cost = 0;
    const SingleSplit split = best_split(node, data_, Criterion::kErrors, &cost, work_);
    out.feature = split.feature;
    out.position = split.position;
    out.cost[0] = out.cost[1] = kInfinite;
  }
  tree[here].feature = out.feature;
  tree[here].low = node.rank_at(out.feature, out.position - 1);
  tree[here].high = node.rank_at(out.feature, out.position);
  for (int s = 0; s < 2; ++s) {
    (s == 0 ? tree[here].left : tree[here].right) = static_cast<int>(tree.size());
    Node& side = child(node, depth, out.feature, out.position, s);
    write(side, depth + 1, out.trees[s], out.cost[s], {0, kInfinite}, tree);
  }
}

// Writes down a tree of all rows, even if the search was stopped: what is known of its sides tells
// how they start. If that was forgotten, the tree is lost.
void SplitSearch::take(Node& root, const Outcome& out, SearchAnswer& answer) {
  if (out.high >= answer.objective) return;
  Control* const control = work_.control;
  if (control_.stopped()) work_.control = nullptr;
  try {
    Tree tree;
    write(root, 0, trees_, out.high, out, tree);
    answer.objective = out.high;
    answer.tree = std::move(tree);
  } catch (const Stopped&) {
  }
  work_.control = control;
}

// Targets grow, so that a search that is stopped has a bound: by some prices, or by shares of what
// is known to be enough, fewer of them where nothing but the user will stop it.
Cost SplitSearch::next_target(Cost target, Cost bound, Cost upper) const {
  if (penalty_ > 0)
    return std::min(upper, std::max(target, bound) + (target + bound == 0 ? 2 : kStep) * penalty_);
  const bool limited = control_.time_limit < 1e9;
  if (bound == 0 && limited) return std::min<Cost>(upper, 1);
  if (bound < upper / 4) return upper / 4;
  return limited && bound < upper / 2 ? upper / 2 : upper;
}

void SplitSearch::run(Node& root, Cost lower, Cost upper, SearchProgress& progress,
                      SearchResult& result) {
  SearchAnswer answer;
  answer.objective = root.leaf();
  answer.tree.assign(1, {});
  answer.tree[0].label = root.label();
  upper = std::min(upper, root.leaf());
  Cost& bound = answer.lower_bound;
  bound = std::min(lower, upper);
  const auto show = [&] {
    progress.objective = answer.objective;
    progress.lower_bound = bound;
    result.history.emplace_back(control_.seconds(), answer.objective, bound);
  };
  show();
  try {
    for (Cost target = 0; bound < upper && !control_.stopped();) {
      target = next_target(target, bound, upper);
      const Outcome out = solve(root, 0, trees_, target, Asked::kAnew);
      if (control_.stopped()) break;
      bound = std::max(bound, out.low);
      upper = std::min(upper, out.high);
      take(root, out, answer);
      show();
    }
  } catch (const Stopped&) {
    // What was proved before still holds.
  }
  if (found_.high < upper) {
    take(root, found_, answer);
    show();
  }
  const bool found = bound >= upper && (upper == answer.objective || !control_.stopped());
  result.status = found ? Status::kOptimal : control_.status();
  result.counters = work_.counters;
  result.answers = {std::move(answer)};
}

SearchResult search_splits(const Problem& given, const SplitsRequest& request, Switches switches,
                           MakeRoot make_root, Control& control, SearchProgress& progress) {
  SearchResult result;
  // Columns of two values are columns like others here.
  Problem data = given;
  data.max_rank = std::max(data.max_rank, 2);
  const Posing posing(data, {});
  control.room = std::min(control.room, posing.room(control.memory_limit));
  const std::int64_t bytes = control.memory_limit > 0 ? control.memory_limit / 4 : kTableBytes;
  Trees trees{request.max_splits < 0 ? SplitSearch::kUnlimited : request.max_splits};
  if (request.levels > 0 && data.penalty == 0 && switches.on(Pruning::kLookAhead))
    trees.levels = std::min(request.levels + 1, trees.splits);
  SplitSearch search(data, trees, switches, control, bytes);
  try {
    search.run(*search.read(make_root), request.lower, request.upper, progress, result);
  } catch (const Stopped&) {
    result.status = control.status();
  }
  result.seconds = control.seconds();
  result.peak_bytes = control.peak_bytes();
  return result;
}

}  // namespace exactree

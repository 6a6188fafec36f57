// Compiled per instruction set: the search, target by target.
#include <utility>

#include "search/sparse/sparse.hpp"
#include "search/sparse/tree_writer.hpp"

namespace exactree::EXACTREE_ISA {

namespace {

// Targets grow by so many prices. Smaller steps repeat more, larger ones overshoot the optimum.
constexpr Cost kStep = 4;
// Without a limit of memory, what is known of row sets keeps to this.
constexpr std::int64_t kTableBytes = std::int64_t{1} << 30;

template <class Count>
class TargetSearch : public SparseSearch {
 public:
  TargetSearch(WeightedRows rows, Cost penalty, Switches switches)
      : rows_(std::move(rows)), penalty_(penalty), switches_(switches) {}

  void run(Control& control, SearchProgress& progress, SearchResult& result) override {
    const std::int64_t bytes = control.memory_limit > 0 ? control.memory_limit / 2 : kTableBytes;
    SparseSolver<Count> solver(rows_, penalty_, switches_, bytes, control);
    TreeWriter<Count> writer(solver);
    const auto report = [&] { show(control, progress, result); };
    solver.make_root(solver.too_small());
    first_tree(solver, writer);
    report();
    const Cost first = best_.cost;
    raise_targets(solver, writer, report);
    // The tree does not depend on the search: the first one if it is optimal, else that by rule.
    if (bound_ == value_ && value_ < first) write_by_rule(solver, writer);
    bound_ = std::min(bound_, best_.cost);
    report();
    result.status = bound_ < best_.cost ? control.status() : Status::kOptimal;
    result.counters = solver.counters;
    result.counters.pruned[static_cast<std::size_t>(Pruning::kConflict)] += rows_.cancelled;
    result.answers = {{best_.cost + rows_.offset, bound_ + rows_.offset, best_.tree}};
  }

 private:
  void first_tree(SparseSolver<Count>& solver, TreeWriter<Count>& writer) {
    SparseNode<Count>& root = solver.at(0);
    best_.cost = value_ = solver.cost(root.errors);
    best_.tree.assign(1, {});
    best_.tree[0].label = root.label;
    if (!switches_.on(Pruning::kIncumbent)) return;
    writer.plan_greedily(0);
    solver.counters.count(Pruning::kIncumbent);
    take_best_known(solver, writer);
  }
  void take_best_known(SparseSolver<Count>& solver, TreeWriter<Count>& writer) {
    solver.finishing = true;
    PricedTree known = writer.best_known(0);
    solver.finishing = false;
    if (known.cost < best_.cost) best_ = std::move(known);
    value_ = std::min(value_, best_.cost);
  }

  template <class Report>
  void raise_targets(SparseSolver<Count>& solver, TreeWriter<Count>& writer, const Report& report) {
    Cost target = 2 * penalty_;
    while (bound_ < value_ && !solver.control().stopped()) {
      const Bounds found = solver.solve(0, std::min(target, value_));
      bound_ = std::max(bound_, std::min(found.low, value_));
      if (found.high < value_) {
        value_ = found.high;
        solver.record(solver.at(0), found);
        if (bound_ < value_ || solver.control().stopped()) take_best_known(solver, writer);
      }
      report();
      target = std::max(target, bound_) + kStep * penalty_;
    }
  }
  void write_by_rule(SparseSolver<Count>& solver, TreeWriter<Count>& writer) {
    PricedTree found{value_, {}};
    solver.make_root(writer.lighter_than_a_price());
    if (writer.by_rule(0, value_, found.tree)) {
      best_ = std::move(found);
      return;
    }
    solver.make_root(solver.too_small());
    take_best_known(solver, writer);
  }

  void show(const Control& control, SearchProgress& progress, SearchResult& result) const {
    const Cost objective = best_.cost + rows_.offset, bound = bound_ + rows_.offset;
    progress.objective = objective;
    progress.lower_bound = bound;
    if (!result.history.empty()) {
      const auto& [seconds, before, below] = result.history.back();
      if (before == objective && below == bound) return;
    }
    result.history.emplace_back(control.seconds(), objective, bound);
  }

  WeightedRows rows_;
  Cost penalty_;
  Switches switches_;
  PricedTree best_;
  Cost value_ = kInfinite;  // a tree of this cost exists; the best one written down may cost more
  Cost bound_ = 0;
};

}  // namespace

std::unique_ptr<SparseSearch> make_sparse(const Problem& data, Switches switches) {
  WeightedRows rows(data, switches.on(Pruning::kConflict));
  if (!rows.fits()) return nullptr;
  if constexpr (!kSpare)
    if (rows.weight < (1 << 16))
      return std::make_unique<TargetSearch<std::uint16_t>>(std::move(rows), data.penalty, switches);
  return std::make_unique<TargetSearch<std::uint32_t>>(std::move(rows), data.penalty, switches);
}

}  // namespace exactree::EXACTREE_ISA

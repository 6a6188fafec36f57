#include "proof/searching.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "proof/stopped.hpp"
#include "search/columns/column_source.hpp"

namespace exactree::proof {

namespace {

class ColumnSearching final : public Searching {
 public:
  ColumnSearching(const Facts& facts, std::string_view isa, const std::function<bool()>& stop)
      : data_(problem_of(facts)), worker_(data_, control_, Switches{}, true) {
    control_.signal = [&stop](double) { return stop(); };
    control_.room = kInputs * data_.rows * data_.features + kRoom;
    guarded([&] {
      nodes_.push_back(kernels(isa).make_root(data_, worker_.work()));
      worker_.start(*nodes_.front());
    });
  }

  Cost list(int level, int depth, Cost need, std::vector<std::vector<Searched>>& out) override {
    Solution<One> found;
    guarded([&] {
      const Budget budget = Budget::of(depth, kManySplits);
      auto& source = ColumnSource<One>::of(worker_);
      source.keep_whole();
      worker_.solve(budget, *nodes_[static_cast<std::size_t>(level)], {need}, {0}, {kInfinite}, {},
                    found);
    });
    if (found.lists.empty() || found.depth != depth) throw Misled{};  // it speaks of other trees
    out.assign(found.lists.size(), {});
    for (std::size_t f = 0; f < out.size(); ++f)
      for (const auto& e : found.lists[f])
        out[f].push_back({e.position, {e.lo[0].cost, e.lo[1].cost}});
    return std::min(need, found.lower.cost);
  }

  void enter(int level, int column, int position, int side) override {
    const std::size_t at = static_cast<std::size_t>(level);
    if (nodes_.size() <= at + 1) nodes_.push_back(nodes_.front()->make_empty());
    guarded([&] {
      nodes_[at]->make_child(column, position, side == 0, *nodes_[at + 1], worker_.work());
    });
  }

 private:
  static constexpr std::int64_t kInputs = 56, kRoom = 64 << 20;
  static constexpr int kManySplits = 1 << 30;

  static Problem problem_of(const Facts& facts) {
    const ProofProblem& p = facts.problem;
    Problem out;
    out.rows = p.rows;
    out.features = p.features;
    out.classes = p.classes;
    out.ranks = p.ranks;
    out.labels = p.labels;
    out.weights = facts.unit ? nullptr : p.weights;
    out.unit = facts.unit ? p.weights[0] : 1;
    out.penalty = p.penalty;
    out.costs = p.costs;
    out.max_rank = 2;  // columns of two values are columns here
    for (std::int64_t i = 0; i < std::int64_t{p.rows} * p.features; ++i)
      out.max_rank = std::max(out.max_rank, p.ranks[i]);
    return out;
  }

  template <class Act>
  void guarded(Act act) {
    try {
      act();
    } catch (const exactree::Stopped&) {
      throw proof::Stopped{};
    }
    if (control_.stopped()) throw proof::Stopped{};
  }

  Problem data_;
  Control control_;
  Worker<One> worker_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace

std::unique_ptr<Searching> make_searching(const Facts& facts, std::string_view isa,
                                          const std::function<bool()>& stop) {
  const ProofProblem& p = facts.problem;
  if (facts.rigid || p.least > 1 || p.splits >= 0 || p.depth < 3 || p.penalty > 0 ||
      facts.all >= kInfinite / 8)
    return nullptr;
  return std::make_unique<ColumnSearching>(facts, isa, stop);
}

}  // namespace exactree::proof

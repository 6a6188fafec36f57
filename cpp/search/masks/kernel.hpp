// Nodes over side masks, compiled per instruction set.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "search/audit/mask_claims.hpp"
#include "search/bits.hpp"
#include "search/masks/answer_costs.hpp"
#include "search/masks/class_costs.hpp"
#include "search/masks/descent.hpp"
#include "search/masks/mask_node.hpp"

namespace exactree::EXACTREE_ISA {

// `Costs` says what leaves and rows cost: class_costs.hpp, answer_costs.hpp.
template <class Costs>
class MaskNodeOf final : public MaskNode {
 public:
  // What all nodes share.
  struct Shared {
    explicit Shared(const Problem& data) : costs(data) {
      if (data.counts != nullptr && data.least_side.binds())
        counts = std::make_unique<TableMeasure>(data.rows, data.counts);
    }
    Costs costs;
    std::unique_ptr<TableMeasure> counts;
#ifdef EXACTREE_AUDIT
    std::shared_ptr<Audit> audit;
#endif
  };

  MaskNodeOf(MaskTree& tree, std::shared_ptr<const Shared> shared, Cost unit, LeastSide least_side)
      : MaskNode(tree), shared_(std::move(shared)) {
    unit_ = unit;
    least_side_ = least_side;
  }

  static std::unique_ptr<Node> root(const Problem& data, Workspace&) {
    auto shared = std::make_shared<Shared>(data);
    const auto words = static_cast<std::size_t>(data.masks->words());
    std::vector<Word> all(words, 0);
    for (int i = 0; i < data.rows; ++i)
      all[static_cast<std::size_t>(i / 64)] |= Word{1} << (i % 64);
    EXACTREE_CLAIM(shared->audit = AuditedRows::root_of(data));
    auto node = std::make_unique<MaskNodeOf>(*data.masks, shared, data.unit, data.least_side);
    node->take_rows(all.data(), true);
    return node;
  }
  std::unique_ptr<Node> make_empty() const override {
    return std::make_unique<MaskNodeOf>(*tree_, shared_, unit_, least_side_);
  }

  void take_rows(const Word* rows, bool limited) override {
    const std::size_t n = words();
    set_.assign(rows, rows + n);
    limited_ = limited;
    costs().divide(rows, own_);
    leaf_ = leaf_of(rows, &label_);
    rows_ = 0;
    for (std::size_t w = 0; w < n; ++w) rows_ += count(rows[w]);
    EXACTREE_CLAIM(audited.set_packed(shared_->audit, rows), claims::built(*this));
  }
  void make_child(int id, int, bool left, Node& into, Workspace&) override {
    const Word* mask = tree_->given(static_cast<std::uint32_t>(id));
    std::vector<Word> rows(set_);
    for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= left ? mask[w] : ~mask[w];
    static_cast<MaskNodeOf&>(into).take_rows(rows.data(), limited_);
  }

  void look(int branch, MaskView& view) const override {
    look_at(tree_->all(branch), tree_->some(branch), view);
  }
  void look_at(const Word* mask, MaskView& view) const override { look_at(mask, mask, view); }

  void whole(SideQuery& query, bool limited, Workspace& work) override {
    ++work.counters.scans;
    const MaskChoice found = choose(query.best, query.low, limited, false, work);
    if (found.place.found()) query.best = found.cost;
  }
  MaskChoice single(Cost below, Workspace& work) override {
    return choose(below, 0, true, false, work);
  }
  MaskPlace first_mask(Cost cost, Workspace& work) override {
    return choose(cost + 1, 0, true, true, work).place;
  }
  void add_wish(int label, const Word* rows, int side, MaskWish& wish) const override {
    costs().add_wish(label, rows, side, wish);
  }
  MaskChoice prefer(const Word* sent, const MaskWish& wish, Workspace& work) override {
    const auto sets = costs().wished(set_.data(), wish, own_wish_);
    Cost both[2];
    sets.costs(sent, sent, both);
    const MaskLimit limit = limit_of(true);
    MaskDescent descent(*tree_, sets, limit, work);
    descent.best = both[0];
    descent.run();
    MaskChoice choice;
    choice.place = descent.place;
    if (!choice.place.found()) return choice;
    sets.costs(descent.mask(), descent.mask(), both);
    choice.swapped = both[1] < both[0];
    return choice;
  }

  Cost recent(const Word* rows, Cost leaf, Workspace& work) const override {
    if (!work.switches.on(Pruning::kRecent)) return leaf;
    const MaskScratch& scratch = MaskScratch::of(work);
    const std::size_t n = words();
    Cost best = costs().at_least(leaf);
    costs().divide(rows, part_);
    costs().with_sets(part_, [&](const auto& sets) {
      for (std::size_t i = 0; i < scratch.places.size(); ++i) {
        const Word* mask = &scratch.masks[i * n];
        best = std::min(best, sets.bound(mask, mask));
      }
    });
    return costs().cost(best);
  }

  bool raise(MaskArchive& archive, const Word* rows, Cost* lower, const Cost* goal,
             Workspace& work) const override {
    const int n = archive.budgets(), from = n > 1 ? 1 : 0;
    const auto reached = [&] {
      for (int k = from; k < n; ++k)
        if (lower[k] < goal[k]) return false;
      return true;
    };
    if (reached()) return true;
    int own = 0;
    for (std::size_t w = 0; w < words(); ++w) own += count(rows[w]);
    for (std::size_t i = 0; i < archive.tries(); ++i) {
      const std::size_t e = archive.candidate(i);
      // Costs fall with the number of splits, so the last bound is the easiest to raise.
      const Cost slack = archive.key(e) - lower[n - 1];
      if (slack <= 0 || costs().at_least_for(archive.rows(e) - own) >= slack) continue;
      const Cost outside = cost_outside(archive.set(e), rows, slack);
      if (outside >= slack) continue;
      for (int k = from; k < n; ++k) lower[k] = std::max(lower[k], archive.lower(e)[k] - outside);
      if (!reached()) continue;
      archive.helped(i, e);
      work.counters.count(Pruning::kArchiveLike);
      return true;
    }
    return false;
  }

  Cost leaf_of(const Word* rows, int* label) const override { return costs().leaf(rows, label); }
  int rows_of(const Word* rows) const override {
    int sum = 0;
    for (std::size_t w = 0; w < words(); ++w) sum += static_cast<int>(counted(w, rows[w]));
    return sum;
  }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>((set_.capacity() + own_.capacity()) * sizeof(Word));
  }

 private:
  const Costs& costs() const { return shared_->costs; }
  std::size_t words() const { return static_cast<std::size_t>(tree_->words()); }
  Cost counted(std::size_t w, Word v) const {
    return shared_->counts ? shared_->counts->sum(w, v) : count(v);
  }
  // What the rows of a set that are not among others cost; anything above `most` if that is more.
  Cost cost_outside(const Word* set, const Word* others, Cost most) const {
    Cost sum = 0;
    for (std::size_t w = 0; w < words(); ++w) {
      sum += costs().influence(w, set[w] & ~others[w]);
      if (costs().cost(sum) >= most) return most;
    }
    return costs().cost(sum);
  }
  MaskLimit limit_of(bool limited) const {
    MaskLimit limit;
    limit.counts = shared_->counts.get();
    limit.rows = set_.data();
    limit.words = words();
    limit.least = limited && limited_ && least_side_.binds() ? least_side_.least : 0;
    return limit;
  }

  void look_at(const Word* all, const Word* some, MaskView& view) const {
    const std::size_t n = words();
    for (auto& side : view.side) side.resize(n);
    Word open = 0;
    Cost left = 0, right = 0;  // rows that can be there at most
    for (std::size_t w = 0; w < n; ++w) {
      view.side[0][w] = set_[w] & all[w];
      view.side[1][w] = set_[w] & ~some[w];
      open |= set_[w] & some[w] & ~all[w];
      left += counted(w, set_[w] & some[w]);
      right += counted(w, set_[w] & ~all[w]);
    }
    const Cost least = limited_ ? least_side_.least : 1;
    view.splits = left >= least && right >= least;
    view.decided = open == 0;
    if (!view.splits) return;
    int label;
    for (int s = 0; s < 2; ++s) view.leaf[s] = leaf_of(view.side[s].data(), &label);
    for (int s = 0; s < 2; ++s) {
      view.rows[s] = 0;
      for (const Word v : view.side[s]) view.rows[s] += count(v);
    }
  }

  // The best single split, or the first in the order of the tree that will do.
  MaskChoice choose(Cost below, Cost low, bool limited, bool first, Workspace& work) {
    const MaskLimit limit = limit_of(limited);
    MaskChoice choice;
    costs().with_sets(own_, [&](const auto& sets) {
      MaskDescent descent(*tree_, sets, limit, work);
      descent.best = costs().at_least(below);
      descent.low = costs().at_most(low);
      if (first)
        descent.run_first();
      else
        descent.run();
      choice.place = descent.place;
      choice.cost = costs().cost(descent.best);
      EXACTREE_CLAIM(if (!first && !work.control->stopped())
                         claims::best_mask(*this, limited, below, low, choice));
    });
    return choice;
  }

  std::shared_ptr<const Shared> shared_;
  std::vector<Word> own_;              // the rows of this node as Costs divides them
  mutable std::vector<Word> part_;     // room for recent()
  typename Costs::WishRoom own_wish_;  // room for prefer()
};

}  // namespace exactree::EXACTREE_ISA

// Nodes over side masks, compiled per instruction set: the best single split by branch and bound
// over the tree of masks.
//
// Letters: S the rows of the node, P and O those that all and that some masks of a branch send
// left.
//
// Forced errors. Whatever mask of a branch is chosen, P and S goes left and S - O right. A split
// below the cost of a leaf gives its sides different classes, so for some classes c != d it costs
// at least what the rows of P that are not c and those outside O that are not d cost. The least of
// that over all c and d bounds every split of the branch.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "search/bits.hpp"
#include "search/mask_node.hpp"

namespace exactree::EXACTREE_ISA {

// Rows that all cost the same.
class UnitMeasure {
 public:
  explicit UnitMeasure(const Columns& data) : unit_(data.unit) {}
  EXACTREE_INLINE Cost sum(std::size_t, Word v) const { return count(v); }
  Cost cost(Cost sum) const { return sum * unit_; }
  Cost at_least_for(int rows) const { return rows * unit_; }
  // The least and the greatest sum with at least, or at most, this cost.
  Cost at_least(Cost c) const { return c <= 0 ? c : (c + unit_ - 1) / unit_; }
  Cost at_most(Cost c) const { return c < 0 ? -1 : c / unit_; }

 private:
  Cost unit_;
};

// Rows with costs of their own: sums for every byte of a set.
class TableMeasure {
 public:
  explicit TableMeasure(const Columns& data) : TableMeasure(data.rows, data.weights) {}
  template <class T>
  TableMeasure(int rows, const T* weights)
      : table_(static_cast<std::size_t>((rows + 63) / 64) * 8 * 256, 0) {
    for (std::size_t b = 0; b < table_.size() / 256; ++b)
      for (std::size_t v = 1; v < 256; ++v) {
        const std::size_t row = b * 8 + static_cast<std::size_t>(first(v));
        const Cost weight = row < static_cast<std::size_t>(rows) ? weights[row] : 0;
        table_[b * 256 + v] = table_[b * 256 + (v & (v - 1))] + weight;
      }
  }
  EXACTREE_INLINE Cost sum(std::size_t w, Word v) const {
    const Cost* table = &table_[w * 8 * 256];
    Cost total = 0;
    for (; v != 0; v >>= 8, table += 256) total += table[v & 255];
    return total;
  }
  Cost cost(Cost sum) const { return sum; }
  Cost at_least_for(int) const { return 0; }  // rows may cost anything
  Cost at_least(Cost c) const { return c; }
  Cost at_most(Cost c) const { return c; }

 private:
  std::vector<Cost> table_;
};

// The masks that were best for other rows lately.
struct MaskScratch : KernelScratch {
  static constexpr std::size_t kMost = 256;
  std::vector<Word> masks;
  std::vector<int> ids;
  std::size_t next = 0;

  void add(const Word* mask, int id, std::size_t words) {
    if (ids.size() < kMost) {
      masks.insert(masks.end(), mask, mask + words);
      ids.push_back(id);
      return;
    }
    std::copy_n(mask, words, &masks[next * words]);
    ids[next] = id;
    next = (next + 1) % kMost;
  }
  static MaskScratch& of(Workspace& work) {
    if (!work.scratch) work.scratch = std::make_unique<MaskScratch>();
    return static_cast<MaskScratch&>(*work.scratch);
  }
};

// Two sets of rows to be parted: what a branch sends to the wrong side at least, either way round.
template <class Measure>
struct TwoSets {
  const Measure& measure;
  std::size_t words;
  const Word *one, *two;
  Cost sums[2] = {0, 0};

  TwoSets(const Measure& m, std::size_t n, const Word* a, const Word* b)
      : measure(m), words(n), one(a), two(b) {
    for (std::size_t w = 0; w < words; ++w) {
      sums[0] += measure.sum(w, one[w]);
      sums[1] += measure.sum(w, two[w]);
    }
  }
  // With `one` on the left, and with it on the right.
  EXACTREE_INLINE void costs(const Word* all, const Word* some, Cost out[2]) const {
    Cost straight = sums[0], swapped = sums[1];
    for (std::size_t w = 0; w < words; ++w) {
      straight += measure.sum(w, all[w] & two[w]) - measure.sum(w, some[w] & one[w]);
      swapped += measure.sum(w, all[w] & one[w]) - measure.sum(w, some[w] & two[w]);
    }
    out[0] = straight;
    out[1] = swapped;
  }
  EXACTREE_INLINE Cost bound(const Word* all, const Word* some) const {
    Cost out[2];
    costs(all, some, out);
    return std::min(out[0], out[1]);
  }
};

// The rows of any number of classes.
template <class Measure>
struct ManySets {
  const Measure& measure;
  std::size_t words;
  const std::vector<Word>& of_class;  // class after class

  Cost bound(const Word* all, const Word* some) const {
    Cost total = 0;
    Cost top[2][2] = {{0, 0}, {0, 0}};  // per side: the heaviest class and the next
    std::size_t which[2] = {0, 0};
    const std::size_t classes = of_class.size() / words;
    for (std::size_t c = 0; c < classes; ++c) {
      const Word* rows = &of_class[c * words];
      Cost sum[2] = {0, 0};
      for (std::size_t w = 0; w < words; ++w) {
        sum[0] += measure.sum(w, rows[w] & all[w]);
        sum[1] += measure.sum(w, rows[w] & ~some[w]);
      }
      for (int s = 0; s < 2; ++s) {
        total += sum[s];
        if (c == 0 || sum[s] > top[s][0])
          top[s][1] = c == 0 ? 0 : top[s][0], top[s][0] = sum[s], which[s] = c;
        else
          top[s][1] = std::max(top[s][1], sum[s]);
      }
    }
    if (which[0] != which[1]) return total - top[0][0] - top[1][0];
    return total - std::max(top[0][0] + top[1][1], top[0][1] + top[1][0]);
  }
};

// Which splits of a node are allowed.
struct MaskLimit {
  const TableMeasure* counts = nullptr;
  const Word* rows = nullptr;
  std::size_t words = 0;
  Cost least = 0;  // rows on either side; 0: any split will do

  Cost count_of(std::size_t w, Word v) const {
    return counts != nullptr ? counts->sum(w, v) : count(v);
  }
  // Whether `all` leaves enough rows for the right, and `some` for the left.
  bool allows(const Word* all, const Word* some) const {
    if (least == 0) return true;
    Cost left = 0, right = 0;
    for (std::size_t w = 0; w < words; ++w) {
      left += count_of(w, rows[w] & some[w]);
      right += count_of(w, rows[w] & ~all[w]);
    }
    return left >= least && right >= least;
  }
  bool decided(const Word* all, const Word* some) const {
    for (std::size_t w = 0; w < words; ++w)
      if ((rows[w] & some[w] & ~all[w]) != 0) return false;
    return true;
  }
};

// Branch and bound for the cheapest mask.
template <class Sets>
class MaskDescent {
 public:
  MaskDescent(MaskTree& tree, const Sets& sets, const MaskLimit& limit, Workspace& work)
      : tree_(tree), sets_(sets), limit_(limit), work_(work) {
    forced_ = work.switches.on(Pruning::kForced);
  }

  Cost best = 0;  // in: only what is below is of interest
  Cost low = 0;   // stop when it is reached
  int id = -1;    // of the mask that is best; -1: none is below
  const Word* mask = nullptr;

  // Starts with the masks that were best lately, then looks at all.
  void run() {
    if (best <= low || tree_.empty()) return;
    MaskScratch& recent = MaskScratch::of(work_);
    if (work_.switches.on(Pruning::kRecent)) try_recent(recent);
    if (best > low && bound(MaskTree::kRoot) < best) go(MaskTree::kRoot);
    if (id >= 0 && mask != nullptr) recent.add(mask, id, sets_.words);
  }
  // The first in the order of the tree that costs less than `best`.
  void run_first() {
    if (tree_.empty()) return;
    first_ = true;
    if (bound(MaskTree::kRoot) < best) go(MaskTree::kRoot);
  }

 private:
  void try_recent(const MaskScratch& recent) {
    for (std::size_t i = 0; i < recent.ids.size() && best > low; ++i) {
      const Word* words = &recent.masks[i * sets_.words];
      const Cost cost = sets_.bound(words, words);
      if (cost >= best || !limit_.allows(words, words)) continue;
      best = cost;
      id = recent.ids[i];
    }
    if (id >= 0) work_.counters.count(Pruning::kRecent);
  }
  Cost bound(int i) const {
    return forced_ ? sets_.bound(tree_.all(i), tree_.some(i)) : std::numeric_limits<Cost>::min();
  }
  bool done() const { return stopped_ || (first_ ? id >= 0 : best <= low); }

  void consider(const Word* words, std::uint32_t which) {
    const Cost cost = sets_.bound(words, words);
    if (cost >= best || !limit_.allows(words, words)) return;
    best = cost;
    id = static_cast<int>(which);
    mask = words;
  }
  void go(int i) {
    if (++steps_ % 16 == 0 && work_.tick(1)) {
      stopped_ = true;
      return;
    }
    if (limit_.least > 0) {
      if (!limit_.allows(tree_.all(i), tree_.some(i))) return;
      if (limit_.decided(tree_.all(i), tree_.some(i))) {
        consider(tree_.given(tree_.branch(i).first), tree_.branch(i).first);
        return;
      }
    }
    const int child = tree_.open(i, work_);
    if (child == MaskTree::Branch::kClosed) {
      stopped_ = true;
      return;
    }
    if (child == MaskTree::Branch::kTwig) {
      const auto& twig = tree_.branch(i);
      for (std::uint32_t m = twig.begin; m < twig.end && !done(); ++m)
        consider(tree_.mask(m), tree_.id(m));
      return;
    }
    const Cost bounds[2] = {bound(child), bound(child + 1)};
    // The smaller bound first, unless the order matters.
    const int which = !first_ && bounds[1] < bounds[0] ? 1 : 0;
    for (const int c : {which, 1 - which}) {
      if (bounds[c] < best) {
        if (!done()) go(child + c);
      } else {
        work_.counters.count(Pruning::kForced);
      }
    }
  }

  MaskTree& tree_;
  const Sets& sets_;
  const MaskLimit& limit_;
  Workspace& work_;
  bool forced_ = true, first_ = false, stopped_ = false;
  unsigned steps_ = 0;
};

template <class Measure>
class MaskNodeOf final : public MaskNode {
 public:
  // What all nodes share.
  struct Shared {
    explicit Shared(const Columns& data) : measure(data) {
      if (data.counts != nullptr && data.min_rows > 1)
        counts = std::make_unique<TableMeasure>(data.rows, data.counts);
    }
    Measure measure;
    std::unique_ptr<TableMeasure> counts;
    std::vector<Word> of_class;  // class after class: its rows
    int classes = 0;
  };

  MaskNodeOf(MaskTree& tree, std::shared_ptr<const Shared> shared, Cost unit, int min_rows)
      : MaskNode(tree), shared_(std::move(shared)) {
    unit_ = unit;
    min_rows_ = min_rows;
  }

  static std::unique_ptr<Node> root(const Columns& data) {
    auto shared = std::make_shared<Shared>(data);
    const auto words = static_cast<std::size_t>(data.masks->words());
    shared->classes = std::max(data.classes, 1);
    shared->of_class.assign(words * static_cast<std::size_t>(shared->classes), 0);
    std::vector<Word> all(words, 0);
    for (int i = 0; i < data.rows; ++i) {
      const auto w = static_cast<std::size_t>(i / 64);
      const Word bit = Word{1} << (i % 64);
      all[w] |= bit;
      shared->of_class[static_cast<std::size_t>(data.labels[i]) * words + w] |= bit;
    }
    auto node = std::make_unique<MaskNodeOf>(*data.masks, shared, data.unit, data.min_rows);
    node->take_rows(all.data(), true);
    return node;
  }
  std::unique_ptr<Node> make_empty() const override {
    return std::make_unique<MaskNodeOf>(*tree_, shared_, unit_, min_rows_);
  }

  void take_rows(const Word* rows, bool limited) override {
    const std::size_t n = words();
    set_.assign(rows, rows + n);
    limited_ = limited;
    own_.resize(shared_->of_class.size());
    for (std::size_t c = 0; c < own_.size() / n; ++c)
      for (std::size_t w = 0; w < n; ++w) own_[c * n + w] = shared_->of_class[c * n + w] & rows[w];
    leaf_ = leaf_of(rows, &label_);
    rows_ = 0;
    for (std::size_t w = 0; w < n; ++w) rows_ += count(rows[w]);
  }
  void make_child(int id, int, bool left, Node& into, const Workspace&) override {
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
    if (found.id >= 0) query.best = found.cost;
  }
  MaskChoice single(Cost below, Workspace& work) override {
    return choose(below, 0, true, false, work);
  }
  int first_mask(Cost cost, Workspace& work) override {
    return choose(cost + 1, 0, true, true, work).id;
  }
  const Word* rows_of_class(int label) const override {
    return &shared_->of_class[static_cast<std::size_t>(label) * words()];
  }

  MaskChoice prefer(const Word* left, const Word* right, Cost below, Workspace& work) override {
    const TwoSets<Measure> sets(measure(), words(), left, right);
    const MaskLimit limit = limit_of(true);
    MaskDescent<TwoSets<Measure>> descent(*tree_, sets, limit, work);
    descent.best = measure().at_least(below);
    descent.run();
    MaskChoice choice;
    choice.id = descent.id;
    if (choice.id < 0) return choice;
    const Word* mask = tree_->given(static_cast<std::uint32_t>(choice.id));
    Cost both[2];
    sets.costs(mask, mask, both);
    choice.swapped = both[1] < both[0];
    choice.cost = measure().cost(descent.best);
    return choice;
  }

  Cost recent(const Word* rows, Cost leaf, Workspace& work) const override {
    if (!work.switches.on(Pruning::kRecent)) return leaf;
    const MaskScratch& scratch = MaskScratch::of(work);
    const std::size_t n = words();
    part_.resize(own_.size());
    for (std::size_t c = 0; c < own_.size() / n; ++c)
      for (std::size_t w = 0; w < n; ++w) part_[c * n + w] = shared_->of_class[c * n + w] & rows[w];
    Cost best = measure().at_least(leaf);
    const auto try_all = [&](const auto& sets) {
      for (std::size_t i = 0; i < scratch.ids.size(); ++i) {
        const Word* mask = &scratch.masks[i * n];
        best = std::min(best, sets.bound(mask, mask));
      }
    };
    if (shared_->classes == 2)
      try_all(TwoSets<Measure>(measure(), n, part_.data(), &part_[n]));
    else
      try_all(ManySets<Measure>{measure(), n, part_});
    return measure().cost(best);
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
      // Costs fall with the number of splits, so the last is what is easiest to improve.
      const Cost slack = archive.key(e) - lower[n - 1];
      if (slack <= 0 || measure().at_least_for(archive.rows(e) - own) >= slack) continue;
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

  Cost cost_of(const Word* rows) const override {
    Cost sum = 0;
    for (std::size_t w = 0; w < words(); ++w) sum += measure().sum(w, rows[w]);
    return measure().cost(sum);
  }
  Cost leaf_of(const Word* rows, int* label) const override {
    const std::size_t n = words();
    Cost total = 0, top = -1;
    for (std::size_t c = 0; c < shared_->of_class.size() / n; ++c) {
      Cost sum = 0;
      for (std::size_t w = 0; w < n; ++w)
        sum += measure().sum(w, shared_->of_class[c * n + w] & rows[w]);
      total += sum;
      if (sum > top) top = sum, *label = static_cast<int>(c);
    }
    return measure().cost(total - top);
  }
  int rows_of(const Word* rows) const override {
    int sum = 0;
    for (std::size_t w = 0; w < words(); ++w) sum += static_cast<int>(counted(w, rows[w]));
    return sum;
  }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>((set_.capacity() + own_.capacity()) * sizeof(Word));
  }

 private:
  const Measure& measure() const { return shared_->measure; }
  std::size_t words() const { return static_cast<std::size_t>(tree_->words()); }
  Cost counted(std::size_t w, Word v) const {
    return shared_->counts ? shared_->counts->sum(w, v) : count(v);
  }
  // What the rows of a set that are not among others cost; anything above `most` if that is more.
  Cost cost_outside(const Word* set, const Word* others, Cost most) const {
    Cost sum = 0;
    for (std::size_t w = 0; w < words(); ++w) {
      sum += measure().sum(w, set[w] & ~others[w]);
      if (measure().cost(sum) >= most) return most;
    }
    return measure().cost(sum);
  }
  MaskLimit limit_of(bool limited) const {
    MaskLimit limit;
    limit.counts = shared_->counts.get();
    limit.rows = set_.data();
    limit.words = words();
    limit.least = limited && limited_ && min_rows_ > 1 ? min_rows_ : 0;
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
    const Cost least = limited_ ? min_rows_ : 1;
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
    const auto descend = [&](const auto& sets) {
      MaskDescent descent(*tree_, sets, limit, work);
      descent.best = measure().at_least(below);
      descent.low = measure().at_most(low);
      if (first)
        descent.run_first();
      else
        descent.run();
      MaskChoice choice;
      choice.id = descent.id;
      choice.cost = measure().cost(descent.best);
      return choice;
    };
    if (shared_->classes == 1) return {};
    if (shared_->classes == 2)
      return descend(TwoSets<Measure>(measure(), words(), own_.data(), &own_[words()]));
    return descend(ManySets<Measure>{measure(), words(), own_});
  }

  std::shared_ptr<const Shared> shared_;
  std::vector<Word> own_;           // class after class: the rows of this node
  mutable std::vector<Word> part_;  // room for recent()
};

}  // namespace exactree::EXACTREE_ISA

// The best single split by branch and bound over the tree of masks, compiled per instruction set.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "search/bits.hpp"
#include "search/mask_measure.hpp"
#include "search/mask_tree.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

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

}  // namespace exactree::EXACTREE_ISA

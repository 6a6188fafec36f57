// The best single split by branch and bound over the tree of masks, compiled per instruction set.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "search/bits.hpp"
#include "search/masks/mask_tree.hpp"
#include "search/masks/measure.hpp"
#include "search/node.hpp"

namespace exactree::EXACTREE_ISA {

// The masks that were best for other rows lately.
struct MaskScratch : KernelScratch {
  static constexpr std::size_t kMost = 256;
  std::vector<Word> masks;
  std::vector<MaskPlace> places;
  std::size_t next = 0;

  void add(const Word* mask, MaskPlace place, std::size_t words) {
    if (places.size() < kMost) {
      masks.insert(masks.end(), mask, mask + words);
      places.push_back(place);
      return;
    }
    std::copy_n(mask, words, &masks[next * words]);
    places[next] = place;
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
      : tree_(tree), sets_(sets), limit_(limit), work_(work), room_(sets.words) {
    forced_ = work.switches.on(Pruning::kForced);
  }

  Cost best = 0;    // in: only what is below is of interest
  Cost low = 0;     // stop when it is reached
  MaskPlace place;  // of the mask that is best; not found: none is below
  const Word* mask() const { return mask_.data(); }

  // Starts with the masks that were best lately, then looks at all.
  void run() {
    if (best <= low || tree_.empty()) return;
    MaskScratch& recent = MaskScratch::of(work_);
    if (work_.switches.on(Pruning::kRecent)) try_recent(recent);
    if (best > low && bound(MaskTree::kRoot) < best) go(MaskTree::kRoot);
    if (walked_) recent.add(mask(), place, sets_.words);
  }
  // The first in the order of the tree that costs less than `best`.
  void run_first() {
    if (tree_.empty()) return;
    first_ = true;
    if (bound(MaskTree::kRoot) < best) go(MaskTree::kRoot);
  }

 private:
  void try_recent(const MaskScratch& recent) {
    for (std::size_t i = 0; i < recent.places.size() && best > low; ++i) {
      const Word* words = &recent.masks[i * sets_.words];
      const Cost cost = sets_.bound(words, words);
      if (cost >= best || !limit_.allows(words, words)) continue;
      take(words, recent.places[i], cost);
    }
    if (place.found()) work_.counters.count(Pruning::kRecent);
  }
  Cost bound(int i) const {
    return forced_ ? sets_.bound(tree_.all(i), tree_.some(i)) : std::numeric_limits<Cost>::min();
  }
  bool done() const { return stopped_ || (first_ ? place.found() : best <= low); }

  void consider(const Word* words, MaskPlace where) {
    const Cost cost = sets_.bound(words, words);
    if (cost >= best || !limit_.allows(words, words)) return;
    take(words, where, cost);
    walked_ = true;
  }
  void take(const Word* words, MaskPlace where, Cost cost) {
    best = cost;
    place = where;
    mask_.assign(words, words + sets_.words);
  }
  // All masks of a branch part the rows alike.
  void consider_first(int i) {
    const MaskPlace first = tree_.first_of(i, work_);
    stopped_ = !first.found();
    if (stopped_) return;
    consider(first.which == MaskPlace::kAny ? tree_.given(tree_.id(first))
                                            : tree_.twig_mask(first.branch, first.which, &room_[0]),
             first);
  }
  void go(int i) {
    if (++steps_ % 16 == 0 && work_.tick(1)) {
      stopped_ = true;
      return;
    }
    if (limit_.least > 0) {
      if (!limit_.allows(tree_.all(i), tree_.some(i))) return;
      if (limit_.decided(tree_.all(i), tree_.some(i))) {
        consider_first(i);
        return;
      }
    }
    const int child = tree_.open(i, work_);
    if (child == MaskTree::Branch::kClosed) {
      stopped_ = true;
      return;
    }
    if (child == MaskTree::Branch::kTwig) {
      const std::uint32_t size = tree_.twig_size(i);
      for (std::uint32_t m = 0; m < size && !done(); ++m)
        consider(tree_.twig_mask(i, m, room_.data()), {i, m});
      return;
    }
    tree_.expect(child);
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
  bool forced_ = true, first_ = false, stopped_ = false, walked_ = false;
  unsigned steps_ = 0;
  std::vector<Word> room_, mask_;  // for a mask, and the best one
};

}  // namespace exactree::EXACTREE_ISA

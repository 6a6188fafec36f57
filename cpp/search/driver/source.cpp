#include "search/driver/source.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/binary/binary_source.hpp"
#include "search/columns/column_source.hpp"
#include "search/driver/worker.hpp"
#include "search/masks/mask_source.hpp"

namespace exactree {

template <class V>
ChosenSplit<V> Source<V>::share(const SolvedSplit<V>& split, Budget budget, int splits,
                                Cost value) const {
  const int most = budget.child().splits;
  const V* hi = split.hi;
  ChosenSplit<V> chosen;
  chosen.feature = split.feature;
  chosen.position = split.position;
  std::copy_n(split.sides, 2, chosen.sides);
  for (int s = 0; s < 2; ++s) chosen.splits[s] = most, chosen.cost[s] = hi[s].most();
  if (worker_.budgets(budget) == 1) return chosen;
  for (int used = 0; used < splits; ++used)
    for (int i = 0; i <= used; ++i) {
      if (hi[0][i] + hi[1][used - i] + worker_.data().penalty > value) continue;
      for (int s = 0; s < 2; ++s) {
        const int mine = s == 0 ? i : used - i;
        chosen.splits[s] = std::min(mine, most);
        chosen.cost[s] = hi[s][mine];
      }
      return chosen;
    }
  return chosen;
}

void no_tree() {
  throw std::logic_error("exactree: no tree of the proved cost was found; please report this");
}

template <class V>
std::unique_ptr<Source<V>> make_source(Worker<V>& worker, const Node& root) {
  switch (root.kind()) {
    case SplitKind::kBinary:
      return std::make_unique<BinarySource<V>>(worker);
    case SplitKind::kMasks:
      return std::make_unique<MaskSource<V>>(worker);
    default:
      return std::make_unique<ColumnSource<V>>(worker);
  }
}

#define EXACTREE_SOURCE(V)  \
  template class Source<V>; \
  template std::unique_ptr<Source<V>> make_source(Worker<V>&, const Node&);
EXACTREE_SOURCE(One)
EXACTREE_SOURCE(Curve<8>)
EXACTREE_SOURCE(Curve<32>)
#undef EXACTREE_SOURCE

}  // namespace exactree

// Branches of the tree of masks as questions for workers elsewhere, and their answers.
#include <algorithm>
#include <stdexcept>

#include "search/driver/search.hpp"
#include "search/masks/mask_frontier.hpp"

namespace exactree {

// The masks that were found; those of cells by their rows, since they have no id elsewhere.
template <class V>
void reply_of(const MaskSearch<V>& search, const MaskTree& tree, Reply& reply) {
  reply.best = costs_of(search.best);
  for (std::size_t k = 0; k < search.found.size(); ++k) {
    const MaskSplit<V>& split = search.found[k];
    if (split.id < 0) continue;
    FoundMask found{static_cast<int>(k), split.id, 0, {}, {}};
    if (static_cast<std::size_t>(split.id) >= tree.size()) {
      const auto id = static_cast<std::uint32_t>(split.id);
      const std::uint64_t* left = tree.given(id);
      found.source = tree.source(id);
      found.left.assign(left, left + tree.words());
    }
    for (int s = 0; s < 2; ++s) found.side[s] = costs_of(split.side[s]);
    reply.masks.push_back(std::move(found));
  }
}

template <class V>
void MaskFrontier<V>::describe(const Piece& piece, Question& question) const {
  const auto& mine = static_cast<const MaskPiece<V>&>(piece);
  question.branch = branches_[static_cast<std::size_t>(mine.place)].path;
  question.target = costs_of(mine.search->best);
}

// A mask has its id in every process if it is listed; that of a cell gets one here.
template <class V>
void MaskFrontier<V>::accept(Piece& piece, const Reply& reply) {
  if (!reply.complete) return;
  MaskSearch<V>& search = *static_cast<MaskPiece<V>&>(piece).search;
  MaskTree& tree = root().tree();
  search.best = value_of<V>(reply.best, budgets());
  const int n = V::budgets_of(top_.budget.child().splits);
  for (const FoundMask& found : reply.masks) {
    if (found.budget < 0 || found.budget >= static_cast<int>(search.found.size()))
      throw std::invalid_argument("a claim speaks of a budget that there is not");
    MaskSplit<V>& split = search.found[static_cast<std::size_t>(found.budget)];
    split.id = found.id;
    if (!found.left.empty()) {
      if (found.left.size() != static_cast<std::size_t>(tree.words()))
        throw std::invalid_argument("a claim has a mask of another length");
      split.id = static_cast<int>(tree.adopt(found.source, found.left.data()));
    } else if (found.id < 0 || static_cast<std::size_t>(found.id) >= tree.size()) {
      throw std::invalid_argument("a claim speaks of a mask that there is not");
    }
    for (int s = 0; s < 2; ++s) split.side[s] = value_of<V>(found.side[s], n);
  }
}

template <class V>
void MaskFrontier<V>::reply(const Piece& piece, Reply& reply) const {
  const MaskSearch<V>& search = *static_cast<const MaskPiece<V>&>(piece).search;
  reply.masks.clear();
  if (reply.complete) reply_of(search, root().tree(), reply);
}

template <class V>
bool MaskFrontier<V>::restore(const Question& question, const Reply& reply) {
  const auto at = std::find_if(branches_.begin(), branches_.end(), [&](const RootBranch& branch) {
    return branch.path == question.branch;
  });
  if (at == branches_.end()) return false;
  MaskPiece<V> piece;
  piece.place = static_cast<int>(at - branches_.begin());
  piece.search =
      std::make_unique<MaskSearch<V>>(root(), top_.budget, value_of<V>(question.target, budgets()));
  ++at->rounds;
  accept(piece, reply);
  tell(top_.worker, piece, reply.complete);
  return true;
}

#define EXACTREE_REMOTE(V)                                                \
  template void reply_of(const MaskSearch<V>&, const MaskTree&, Reply&);  \
  template void MaskFrontier<V>::describe(const Piece&, Question&) const; \
  template void MaskFrontier<V>::accept(Piece&, const Reply&);            \
  template void MaskFrontier<V>::reply(const Piece&, Reply&) const;       \
  template bool MaskFrontier<V>::restore(const Question&, const Reply&);
EXACTREE_REMOTE(One)
EXACTREE_REMOTE(Curve<8>)
EXACTREE_REMOTE(Curve<32>)
#undef EXACTREE_REMOTE

}  // namespace exactree

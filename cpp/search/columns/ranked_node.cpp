// Compiled per instruction set.
#include "search/columns/ranked_node.hpp"

#include <algorithm>

#include "search/columns/column_group.hpp"
#include "search/columns/cover_finder.hpp"

namespace exactree::EXACTREE_ISA {

void RankedNode::list_between(int f, int a, int b, Difference& out) {
  out.ranks.resize(static_cast<std::size_t>(features_));
  out.costs.resize(static_cast<std::size_t>(features_));
  for (int g = 0; g < leaders(); ++g) {
    auto& rank = out.ranks[static_cast<std::size_t>(g)];
    auto& cost = out.costs[static_cast<std::size_t>(g)];
    rank.clear();
    cost.assign(1, 0);
    const Parting from = ranks_->parting(g, f, a, 0), to = ranks_->parting(g, f, b, 1);
    for (int w = 0; w < words_; ++w)
      for (Word v = to.left(w) & ~from.left(w); v != 0; v &= v - 1) {
        const int i = w * 64 + exactree::EXACTREE_ISA::first(v);
        rank.push_back(ranks_->rank_at(g, i));
        cost.push_back(cost.back() + influence(g, i, i + 1));
      }
    if (const int h = follower(g); h >= 0) {
      // All rows cost the same: the costs of some of them do not depend on which.
      const auto at = static_cast<std::size_t>(h);
      const auto missing = std::upper_bound(rank.begin(), rank.end(), 0);
      out.costs[at] = cost;
      out.ranks[at].clear();
      for (auto r = missing; r != rank.end(); ++r) out.ranks[at].push_back(*r - 1);
      out.ranks[at].resize(rank.size(), ranks_->tools()->twins.top[at]);
    }
  }
}

bool RankedNode::find_covers(int errors, Covers& covers) {
  if (class_mask(0, 1) == nullptr) return false;
  CoverFinder(*this, *ranks_, covers).find(errors);
  return true;
}

void RankedNode::take_size() {
  rows_ = ranks_->rows();
  words_ = ranks_->words();
  ends_.resize(index(features_, words_));
}

void RankedNode::mark_ends(Workspace& work) {
  for (int f = 0; f < features_; ++f) {
    work.spend_on(rows_ / 4);
    Word* e = &ends_[index(f, words_)];
    ranks_->write_ends(f, e);
    // The padding differs from every rank, so the last row ends a group; nothing after it does.
    e[words_ - 1] &= ranks_->last_word();
  }
  missing_.assign(static_cast<std::size_t>(groups_of(leaders()) * kGroup), 0);
  for (int g = 0; g < leaders(); ++g) missing_[static_cast<std::size_t>(g)] = ranks_->missing(g);
}

void RankedNode::set_root_counts(const int* counts, int f) {
  if (counts_.empty()) return;
  int* sum = &counts_[index(f, rows_ + 1)];
  sum[0] = 0;
  for (int i = 0; i < rows_; ++i) sum[i + 1] = sum[i] + counts[ranks_->row_order(f)[i]];
}

void RankedNode::set_child_counts(const RankedNode& parent, int f) {
  if (counts_.empty()) return;
  int* sum = &counts_[index(f, rows_ + 1)];
  const Word* keep = ranks_->kept(f);
  sum[0] = 0;
  int i = 0;
  for (int w = 0; w < parent.words_; ++w)
    for (Word v = keep[w]; v != 0; v &= v - 1, ++i)
      sum[i + 1] = sum[i] + parent.count_at(f, w * 64 + exactree::EXACTREE_ISA::first(v));
}

std::int64_t RankedNode::bytes_of_ranks() const {
  const std::size_t sums = ends_.capacity() * sizeof(Word) + prefix_.capacity() * sizeof(Cost) +
                           counts_.capacity() * sizeof(int);
  return static_cast<std::int64_t>(sums) + ranks_->bytes();
}

}  // namespace exactree::EXACTREE_ISA

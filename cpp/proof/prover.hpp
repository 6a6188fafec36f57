// The second pass over a solved problem: shows that no tree costs less than a target, and writes
// down where it looked. `prove` covers the thresholds of every column of a node: it bounds the two
// sides of one in the middle of what is open, sees how far that reaches, and goes on with the rest.
// `tighten` then goes through what was kept from the top, with lower needs.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proof/scanner.hpp"
#include "proof/searching.hpp"
#include "proof/stopped.hpp"
#include "proof/trim.hpp"

namespace exactree::proof {

template <int Size>
class Prover {
 public:
  using B = Bound<Size>;
  using C = Claim<Size>;
  using Stop = typename Chain<Size>::Stop;

  // `search`: null, or whom to ask for bounds.
  Prover(const Facts& facts, MakeScanner make_scanner, Searching* search,
         const std::function<bool()>& stop)
      : facts_(facts), make_scanner_(make_scanner), search_(search), stop_(stop) {
    variants_ = facts.problem.least > 1 ? 2 : 1;
  }

  // A claim that e(rows, depth, k) is at least min(cap, e) for every k.
  std::unique_ptr<C> prove(const Rows& rows, int depth, int splits, const B& cap, int level = 0) {
    if (++claims_ % 64 == 0 && stop_()) throw Stopped{};
    if (claims_ * facts_.problem.features > kMostColumns)
      throw std::length_error(
          "the proof is too long to be written: certify a problem with a smaller max_depth");
    auto claim = std::make_unique<C>();
    claim->n = rows.n;
    claim->depth = useful_depth(rows, depth, splits);
    claim->splits = splits;
    const int budgets = budgets_of(depth, splits);
    if (claim->depth <= 1) {
      SideCosts all{rows.leaf, {rows.leaf, rows.leaf}};
      if (claim->depth == 1) {
        std::vector<Cost> by_column(features());
        BestSplit best;
        all = make_scanner_(facts_, rows)->scan_all(by_column, best);
        ++scans_;
      }
      claim->bound = bound_of(all, budgets);
      return claim;
    }
    const int inner = budgets_of(claim->depth, splits);
    B best = folded(cap, budgets, inner);
    if (search_ == nullptr || claim->depth == 2)
      cover(rows, *claim, best);
    else
      cover_searched(rows, *claim, best, level);
    claim->bound = padded(best, inner, budgets);
    return claim;
  }

  // Keep of a claim what shows `need`.
  void tighten(const Rows& rows, C& claim, const B& need, int budgets) {
    if (claim.depth <= 1) return;
    const int inner = budgets_of(claim.depth, claim.splits);
    const Shape shape{variants_, inner};
    const int below = budgets_of(sides_of(claim).depth, sides_of(claim).splits);
    const B wanted = folded(need, budgets, inner);
    for (int f = 0; f < static_cast<int>(features()); ++f) {
      auto& entries = claim.columns[static_cast<std::size_t>(f)];
      if (entries.empty()) continue;
      const Chain<Size> chain(facts_, rows, f, shape, sides_of(claim), wanted);
      Trimmer<Size>(chain, rows.n, {variants_, below}, wanted)
          .trim(entries, claim.depth == 2 ? Sides::kNeeded : Sides::kLowered);
      for (auto& entry : entries)
        for (int s = 0; s < 2; ++s)
          if (entry.kid[s])
            tighten(side_of(facts_, rows, f, entry.position, s), *entry.kid[s], entry.bound[s],
                    below);
    }
  }

  std::int64_t claims() const { return claims_; }
  std::int64_t scans() const { return scans_; }
  int variants() const { return variants_; }

 private:
  static constexpr std::int64_t kMostColumns = std::int64_t{1} << 24;  // of all claims: gigabytes

  std::size_t features() const { return static_cast<std::size_t>(facts_.problem.features); }
  Cost penalty() const { return facts_.problem.penalty; }
  static SideBudget sides_of(const C& claim) {
    return {claim.depth - 1, claim.splits < 0 ? -1 : claim.splits - 1};
  }

  // Few: less depth is enough where a leaf is cheap.
  int useful_depth(const Rows& rows, int depth, int splits) const {
    int found = std::min(depth, rows.n - 1);
    if (splits >= 0) found = std::min(found, splits);
    if (facts_.rigid) return found;  // a checker rounds in its own way: only counts are certain
    if (rows.leaf == 0) return 0;
    if (penalty() > 0) found = static_cast<int>(std::min<Cost>(found, (rows.leaf - 1) / penalty()));
    return found;
  }

  B bound_of(const SideCosts& side, int budgets) const {
    B out;
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k)
        out.at(v, k) = budgets > 1 && k == 0 ? side.leaf : side.split[v];
    return out;
  }
  // Beyond the splits that the depth has room for nothing changes: the last has to do for the rest.
  B folded(const B& of, int budgets, int inner) const {
    B out;
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k)
        out.at(v, std::min(k, inner - 1)) =
            std::max(out.at(v, std::min(k, inner - 1)), of.at(v, k));
    return out;
  }
  B padded(const B& of, int inner, int budgets) const {
    B out;
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k) out.at(v, k) = of.at(v, std::min(k, inner - 1));
    return out;
  }

  // What a greedy tree costs, and its splits.
  std::pair<Cost, int> greedy(const Rows& rows, int depth, int splits) {
    depth = useful_depth(rows, depth, splits);
    if (depth <= 0) return {rows.leaf, 0};
    std::vector<Cost> by_column(features());
    BestSplit best;
    const SideCosts all = make_scanner_(facts_, rows)->scan_all(by_column, best);
    return below_greedy(rows, depth, splits, all, best);
  }
  std::pair<Cost, int> below_greedy(const Rows& rows, int depth, int splits, const SideCosts& all,
                                    const BestSplit& best) {
    if (best.column < 0) return {rows.leaf, 0};
    const Cost single = all.split[variants_ - 1];
    if (depth == 1) return {std::min(single, rows.leaf), single < rows.leaf};
    Cost cost = penalty();
    int used = 1;
    for (int s = 0; s < 2; ++s) {
      const Rows side = side_of(facts_, rows, best.column, best.position, s);
      const auto found = greedy(side, depth - 1, splits < 0 ? -1 : splits - used);
      cost += found.first;
      used += found.second;
    }
    return cost < rows.leaf ? std::pair{cost, used} : std::pair{rows.leaf, 0};
  }

  void lower_to(B& best, int budgets, Cost cost, int used) const {
    for (int v = 0; v < variants_; ++v)
      for (int k = budgets == 1 ? 0 : used; k < budgets; ++k)
        best.at(v, k) = std::min(best.at(v, k), cost);
  }

  // Whether a bound of nothing is enough for all splits.
  bool is_free(const B& best, int budgets) const {
    Cost most = 0;
    for (int v = 0; v < variants_; ++v)
      for (int k = budgets == 1 ? 0 : 1; k < budgets; ++k) most = std::max(most, best.at(v, k));
    return most <= penalty();
  }

  // What is on the way in one column.
  struct Work {
    Stop a, b;
  };

  void cover(const Rows& rows, C& claim, B& best) {
    const int budgets = budgets_of(claim.depth, claim.splits);
    const int splits_below = sides_of(claim).splits;
    const int below = budgets_of(claim.depth - 1, splits_below);
    claim.columns.resize(features());
    lower_to(best, budgets, rows.leaf, 0);
    if (is_free(best, budgets)) return;
    const std::unique_ptr<Scanner> scanner = make_scanner_(facts_, rows);
    std::vector<Cost> by_column(features());
    BestSplit split;
    const SideCosts all = scanner->scan_all(by_column, split);
    lower_to(best, budgets, all.split[variants_ - 1], 1);
    if (claim.depth > 2) {
      const auto found = below_greedy(rows, claim.depth, claim.splits, all, split);
      lower_to(best, budgets, found.first, found.second);
    }
    std::vector<int> order(features());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int f, int g) {
      return by_column[static_cast<std::size_t>(f)] > by_column[static_cast<std::size_t>(g)];
    });
    for (const int f : order) {
      if (is_free(best, budgets)) return;
      const Chain<Size> chain(facts_, rows, f, {variants_, budgets}, sides_of(claim), best);
      if (chain.places().empty()) continue;
      const int start = f == split.column ? split.position : 0;
      auto& entries = claim.columns[static_cast<std::size_t>(f)];
      Column column{rows, claim, chain, *scanner, f, budgets, below, splits_below};
      cover_column(column, start, best, entries);
      std::sort(entries.begin(), entries.end(),
                [](const auto& x, const auto& y) { return x.position < y.position; });
      Trimmer<Size>(chain, rows.n, {variants_, below}, best).trim(entries, Sides::kAll);
    }
  }

  // The same by what the search says: which thresholds to list and what their sides cost. Only what
  // is listed in the end is proved, and no more of it than is needed.
  void cover_searched(const Rows& rows, C& claim, B& best, int level) {
    claim.columns.resize(features());
    if (is_free(best, 1)) return;
    std::vector<std::vector<Searched>> lists;
    best.at(0, 0) = search_->list(level, claim.depth, best.at(0, 0), lists);
    for (int f = 0; f < static_cast<int>(features()); ++f) {
      auto& entries = claim.columns[static_cast<std::size_t>(f)];
      for (const Searched& at : lists[static_cast<std::size_t>(f)]) {
        Entry<Size>& entry = entries.emplace_back();
        entry.position = at.position;
        for (int s = 0; s < 2; ++s) {
          entry.used[s] = at.bound[s] > 0;
          entry.bound[s].at(0, 0) = at.bound[s];
        }
      }
      const Chain<Size> chain(facts_, rows, f, {1, 1}, sides_of(claim), best);
      Trimmer<Size>(chain, rows.n, {1, 1}, best).trim(entries, Sides::kLowered);
      for (auto& entry : entries)
        for (int s = 0; s < 2; ++s)
          if (entry.used[s]) prove_side(rows, claim, f, entry, s, level);
    }
  }
  void prove_side(const Rows& rows, const C& claim, int f, Entry<Size>& entry, int s, int level) {
    const Rows side = side_of(facts_, rows, f, entry.position, s);
    if (claim.depth > 3) search_->enter(level, f, entry.position, s);
    auto kid = prove(side, claim.depth - 1, claim.splits, entry.bound[s], level + 1);
    if (kid->bound.at(0, 0) < entry.bound[s].at(0, 0)) throw Misled{};
    if (kid->depth > 1) entry.kid[s] = std::move(kid);
  }

  struct Column {
    const Rows& rows;
    const C& claim;
    const Chain<Size>& chain;
    Scanner& scanner;
    int f, budgets, below, splits_below;
    bool scanning = false;
  };

  void cover_column(Column& column, int start, B& best, std::vector<Entry<Size>>& entries) {
    const Chain<Size>& chain = column.chain;
    std::vector<Work> todo(1);
    todo.back().b.position = column.rows.n;
    while (!todo.empty()) {
      Work work = todo.back();
      todo.pop_back();
      const Range open = chain.open(best, work.a, work.b);
      if (open.empty()) continue;
      int place = chain.middle(open);
      if (start > 0) {
        const int wish = chain.place_of(start);
        if (wish >= open.from && wish < open.to) place = wish;
        start = 0;
      }
      Stop here;
      here.position = chain.places()[static_cast<std::size_t>(place)];
      chain.learn(here, work.a);
      chain.learn(here, work.b);
      Entry<Size> entry;
      entry.position = here.position;
      if (column.claim.depth == 2)
        scan(column, entry, here);
      else
        prove_sides(column, entry, here, open, best);
      update(best, column, here, place);
      chain.learn(work.a, here);
      chain.learn(work.b, here);
      entries.push_back(std::move(entry));
      todo.push_back({here, work.b});
      todo.push_back({work.a, here});
    }
  }

  void scan(Column& column, Entry<Size>& entry, Stop& here) {
    if (!column.scanning) column.scanner.first_column(column.f);
    column.scanning = true;
    if (++scans_ % 4096 == 0 && stop_()) throw Stopped{};
    SideCosts sides[2];
    column.scanner.scan(entry.position, sides);
    for (int s = 0; s < 2; ++s) {
      entry.used[s] = true;
      entry.bound[s] = here.side[s] = bound_of(sides[s], column.below);
    }
  }

  // Bound both sides, the larger first, by as much as covers what is open on either side, too; but
  // no more than twice the best, since high bounds are hard to show.
  void prove_sides(Column& column, Entry<Size>& entry, Stop& here, Range open, const B& best) {
    const auto& places = column.chain.places();
    const int p = here.position;
    const Cost reach =
        std::max(column.chain.between(places[static_cast<std::size_t>(open.from)], p),
                 column.chain.between(p, places[static_cast<std::size_t>(open.to) - 1]));
    const Cost most = best.at(variants_ - 1, column.budgets - 1);
    const int larger = 2 * p >= column.rows.n ? 0 : 1;
    for (const int s : {larger, 1 - larger}) {
      // Where sets say nothing of smaller ones, what the other side costs is of no use to others.
      const B want = facts_.rigid ? wanted(column, best, B{}, most / 4)
                                  : wanted(column, best, here.side[1 - s], std::min(reach, most));
      bool known = true;
      for (int v = 0; v < variants_; ++v)
        for (int k = 0; k < column.below; ++k)
          known = known && want.at(v, k) <= here.side[s].at(v, k);
      if (known) continue;
      const Rows side = side_of(facts_, column.rows, column.f, p, s);
      auto kid = prove(side, column.claim.depth - 1, column.splits_below, want);
      entry.used[s] = true;
      entry.bound[s] = kid->bound;
      if (kid->depth > 1) entry.kid[s] = std::move(kid);
      const Shape sides{variants_, column.below};
      for (int v = 0; v < variants_; ++v) here.side[s].raise_to(entry.bound[s], sides, v, v, 0);
    }
  }

  B wanted(const Column& column, const B& best, const B& other, Cost slack) const {
    B out;
    for (int v = 0; v < variants_; ++v)
      each_share(column.budgets, column.below, [&](int k, int i, int j) {
        const Cost want = best.at(v, k) - penalty() + slack - other.at(v, j);
        out.at(v, i) = std::max(out.at(v, i), want);
      });
    // Only free bounds reach larger sets.
    if (variants_ == 2) out.raise_to(out, {2, column.below}, 1, 0, 0);
    return out;
  }

  // A threshold whose sides are known exactly is a tree.
  void update(B& best, const Column& column, const Stop& here, int place) const {
    for (int v = 0; v < variants_; ++v) {
      if (!column.chain.allowed(v, place)) continue;
      B cost;
      for (int k = 0; k < column.budgets; ++k) cost.at(v, k) = kInfinite;
      each_share(column.budgets, column.below, [&](int k, int i, int j) {
        const Cost sum = here.side[0].at(v, i) + here.side[1].at(v, j) + penalty();
        cost.at(v, k) = std::min(cost.at(v, k), sum);
      });
      for (int k = 0; k < column.budgets; ++k)
        best.at(v, k) = std::min(best.at(v, k), cost.at(v, k));
    }
  }

  const Facts& facts_;
  MakeScanner make_scanner_;
  Searching* search_;
  const std::function<bool()>& stop_;
  int variants_ = 1;
  std::int64_t claims_ = 0, scans_ = 0;
};

}  // namespace exactree::proof

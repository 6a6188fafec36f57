// The second pass over columns of two values: shows that no tree costs less than a target, and
// writes down whose sides it looked at. Trees of two levels are known exactly (Pairs). Above these
// `prove` bounds the sides of one column after the other, and what it finds goes to the sides of
// all columns (Mono), until no column is open. `tighten` then goes through what was kept from the
// top, with lower needs.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "proof/bounds.hpp"
#include "proof/pairs.hpp"
#include "proof/stopped.hpp"

namespace exactree::proof {

template <int Size>
struct BinaryClaim;

// One side of a column, with what is shown of it. Columns are places in those of the claim.
template <int Size>
struct BinarySide {
  int column = 0, side = 0, n = 0;
  Bound<Size> bound;
  std::unique_ptr<BinaryClaim<Size>> kid;  // none where pairs are enough
  // By column and side: what rows here, that are not there, can cost; and whether there are rows
  // there that are not here.
  std::vector<Cost> lost[2];
  std::vector<char> beyond[2];
};

template <int Size>
struct BinaryClaim {
  int n = 0, depth = 0, splits = -1;
  std::vector<int> columns;  // that part the rows, as in Parting
  std::vector<char> turned;
  Bound<Size> bound;  // what is shown, in the shape that the depth and splits asked for have
  std::vector<BinarySide<Size>> sides;
  Overlaps all;
};

template <int Size>
class BinaryProver {
 public:
  using B = Bound<Size>;
  using C = BinaryClaim<Size>;
  using Side = BinarySide<Size>;

  BinaryProver(const Facts& facts, MakePairCounter make_counter, const std::function<bool()>& stop)
      : facts_(facts), counter_(make_counter(facts)), stop_(stop) {
    variants_ = facts.problem.least > 1 ? 2 : 1;
  }

  // A claim that e(rows, depth, k) is at least min(cap, e) for every k.
  std::unique_ptr<C> prove(const std::vector<int>& rows, int depth, int splits, const B& cap,
                           int level) {
    if (++claims_ % 64 == 0 && stop_()) throw Stopped{};
    if (claims_ * facts_.problem.features > kMostColumns)
      throw std::length_error(
          "the proof is too long to be written: certify a problem with a smaller max_depth");
    auto claim = std::make_unique<C>();
    claim->n = static_cast<int>(rows.size());
    claim->depth = useful_depth(rows, depth, splits);
    claim->splits = splits;
    const int budgets = budgets_of(depth, splits);
    const Parting columns = parting(facts_.problem, rows);
    counter_->count(level, rows, columns);
    std::vector<Cost> by_column(columns.columns.size());
    const Shallow known = counter_->shallow(level, &by_column);
    if (claim->depth <= 2) {
      claim->bound = bound_of(known, claim->depth, budgets);
      return claim;
    }
    const int inner = budgets_of(claim->depth, splits);
    B best = folded(cap, budgets, inner);
    lower_to(best, bound_of(known, 2, inner), inner);
    claim->columns = columns.columns;
    claim->turned = columns.turned;
    cover(*claim, {rows, columns, by_column}, best, level);
    claim->bound = padded(best, inner, budgets);
    return claim;
  }

  // Keep of a claim what shows `need`.
  void tighten(C& claim, const B& need, int budgets) {
    if (claim.depth <= 2) return;
    const int inner = budgets_of(claim.depth, claim.splits);
    const Node node(claim, 0, inner);
    const B wanted = folded(need, budgets, inner);
    trim(node, claim.sides, wanted);
    if (node.counted) return;
    lower(node, claim.sides, wanted);
    for (Side& side : claim.sides)
      if (side.kid) tighten(*side.kid, side.bound, node.below);
  }

  std::int64_t claims() const { return claims_; }
  std::int64_t pairs() const { return pairs_; }
  int variants() const { return variants_; }

 private:
  static constexpr std::int64_t kMostColumns = std::int64_t{1} << 24;

  Cost penalty() const { return facts_.problem.penalty; }

  // What a claim of three levels or more looks like: its rows, by column, and its budgets.
  struct Node {
    Node(const C& claim, int level_of, int inner)
        : level(level_of),
          columns(static_cast<int>(claim.columns.size())),
          budgets(inner),
          splits_below(claim.splits < 0 ? -1 : claim.splits - 1),
          below(budgets_of(claim.depth - 1, splits_below)),
          counted(claim.depth == 3),
          all(claim.all) {}
    int level, columns, budgets, splits_below, below;
    bool counted;  // the sides have two levels: pairs are enough for them
    const Overlaps& all;

    // Whether a column has enough on both sides.
    bool parts(int g, Cost least) const {
      const Cost ones = all.sizes[static_cast<std::size_t>(g)];
      return std::min(ones, all.size - ones) >= least;
    }
  };
  // What is needed of a claim only while it is covered.
  struct Material {
    const std::vector<int>& rows;
    const Parting& columns;
    const std::vector<Cost>& by_column;  // what trees of two levels cost that begin with it
  };

  // Few: less depth is enough where a leaf is cheap.
  int useful_depth(const std::vector<int>& rows, int depth, int splits) const {
    const ProofProblem& p = facts_.problem;
    int found = std::min(depth, static_cast<int>(rows.size()) - 1);
    if (splits >= 0) found = std::min(found, splits);
    std::vector<Cost> weights(static_cast<std::size_t>(p.classes), 0);
    std::vector<Cost> gains(static_cast<std::size_t>(std::max(p.classes, p.answers)), 0);
    Cost leaf = 0;
    for (const int r : rows) {
      weights[static_cast<std::size_t>(p.labels[r])] += p.weights[r];
      leaf += facts_.influence[static_cast<std::size_t>(r)];
    }
    to_gains(facts_, weights.data(), gains.data());
    leaf -= *std::max_element(gains.begin(), gains.end());
    if (leaf == 0) return 0;
    if (penalty() > 0) found = static_cast<int>(std::min<Cost>(found, (leaf - 1) / penalty()));
    return found;
  }

  B bound_of(const Shallow& known, int depth, int budgets) const {
    const int most = depth == 2 ? 3 : depth;
    B out;
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k)
        out.at(v, k) = known.cost[v][budgets == 1 ? most : std::min(k, most)];
    return out;
  }
  // Beyond the splits that the depth has room for nothing changes: the last has to do for the rest.
  B folded(const B& of, int budgets, int inner) const {
    B out;
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k) {
        Cost& to = out.at(v, std::min(k, inner - 1));
        to = std::max(to, of.at(v, k));
      }
    return out;
  }
  B padded(const B& of, int inner, int budgets) const {
    B out;
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k) out.at(v, k) = of.at(v, std::min(k, inner - 1));
    return out;
  }
  void lower_to(B& best, const B& cost, int budgets) const {
    for (int v = 0; v < variants_; ++v)
      for (int k = 0; k < budgets; ++k) best.at(v, k) = std::min(best.at(v, k), cost.at(v, k));
  }

  // Whether the bounds of both sides of a column are enough.
  bool closed(const Node& node, int g, const B& need, const B& zeros, const B& ones) const {
    for (int v = 0; v < variants_; ++v)
      if (node.parts(g, v == 0 ? 1 : facts_.problem.least) &&
          margin<Size>(need, v, zeros, v, ones, v, node.budgets, node.below, penalty()) < 0)
        return false;
    return true;
  }

  // Mono: raise what is known of a side of a column by what a bounded side says.
  void raise(const Node& node, B& to, const Side& from, int g, int t) const {
    const auto c = static_cast<std::size_t>(g);
    const Shape shape{variants_, node.below};
    to.raise_to(from.bound, shape, 0, 0, from.lost[t][c]);
    if (variants_ == 1) return;
    if (from.beyond[t][c] == 0) to.raise_to(from.bound, shape, 1, 1, from.lost[t][c]);
    to.raise_to(to, shape, 0, 1, 0);
  }

  void measure(const Node& node, Side& side) {
    Overlaps& with = overlaps_;
    counter_->overlaps(node.level, side.column, with);
    const auto m = static_cast<std::size_t>(node.columns);
    const Overlaps& all = node.all;
    for (int t = 0; t < 2; ++t) {
      side.lost[t].resize(m);
      if (variants_ == 2) side.beyond[t].resize(m);
    }
    for (std::size_t g = 0; g < m; ++g) {
      // Of this side where the other column is set.
      const Cost one = side.side == 1 ? with.weights[g] : all.weights[g] - with.weights[g];
      const Cost here = side.side == 1 ? with.weight : all.weight - with.weight;
      const Cost count = side.side == 1 ? with.sizes[g] : all.sizes[g] - with.sizes[g];
      const Cost size = side.side == 1 ? with.size : all.size - with.size;
      side.lost[0][g] = one;
      side.lost[1][g] = here - one;
      if (variants_ == 1) continue;
      side.beyond[0][g] = (all.size - all.sizes[g]) - (size - count) > 0;
      side.beyond[1][g] = all.sizes[g] - count > 0;
    }
  }

  void cover(C& claim, const Material& material, B& best, int level) {
    counter_->overlaps(level, -1, claim.all);
    const Node node(claim, level, budgets_of(claim.depth, claim.splits));
    const auto m = static_cast<std::size_t>(node.columns);
    std::vector<B> least[2] = {std::vector<B>(m), std::vector<B>(m)};
    std::vector<char> done(m, 0);
    for (;;) {
      const int g = next(node, best, least, done, material.by_column);
      if (g < 0) break;
      const auto c = static_cast<std::size_t>(g);
      done[c] = 1;
      const std::size_t first = claim.sides.size();
      if (node.counted)
        count_sides(node, claim, g, material.columns);
      else
        prove_sides(node, claim, g, material, best, least);
      for (std::size_t i = first; i < claim.sides.size(); ++i) {
        measure(node, claim.sides[i]);
        for (int h = 0; h < node.columns; ++h)
          for (int t = 0; t < 2; ++t)
            raise(node, least[t][static_cast<std::size_t>(h)], claim.sides[i], h, t);
      }
      update(node, g, best, least[0][c], least[1][c]);
    }
    trim(node, claim.sides, best);
  }

  // The open column to go on with. Three levels: the one that costs least as far as is known.
  // More: the one that parts the rows most evenly, since its sides are closest to those of others.
  int next(const Node& node, const B& best, const std::vector<B> least[2],
           const std::vector<char>& done, const std::vector<Cost>& by_column) const {
    int found = -1;
    std::pair<Cost, Cost> lowest{0, 0};
    for (int g = 0; g < node.columns; ++g) {
      const auto c = static_cast<std::size_t>(g);
      if (done[c] != 0 || closed(node, g, best, least[0][c], least[1][c])) continue;
      const Cost uneven = std::abs(node.all.weight - 2 * node.all.weights[c]);
      const Cost known = least[0][c].at(0, node.below - 1) + least[1][c].at(0, node.below - 1);
      const std::pair<Cost, Cost> score =
          node.counted ? std::pair{known, by_column[c]} : std::pair{uneven, by_column[c]};
      if (found < 0 || score < lowest) {
        found = g;
        lowest = score;
      }
    }
    return found;
  }

  void count_sides(const Node& node, C& claim, int g, const Parting& columns) {
    if (++pairs_ % 1024 == 0 && stop_()) throw Stopped{};
    Shallow known[2];
    counter_->sides(node.level, g, known);
    const auto ones = static_cast<int>(columns.set[static_cast<std::size_t>(g)].size());
    for (int s = 0; s < 2; ++s) {
      Side side;
      side.column = g;
      side.side = s;
      side.n = s == 1 ? ones : claim.n - ones;
      side.bound = bound_of(known[s], 2, node.below);
      claim.sides.push_back(std::move(side));
    }
  }

  static std::vector<int> side_of(const Material& material, int g, int s) {
    std::vector<char> inside(material.rows.size(), 0);
    for (const int i : material.columns.set[static_cast<std::size_t>(g)])
      inside[static_cast<std::size_t>(i)] = 1;
    std::vector<int> out;
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (inside[i] == s) out.push_back(material.rows[i]);
    return out;
  }

  // The heavier side first, by as much as closes the column whatever the other side costs.
  void prove_sides(const Node& node, C& claim, int g, const Material& material, const B& best,
                   std::vector<B> least[2]) {
    const auto c = static_cast<std::size_t>(g);
    const int larger = 2 * node.all.weights[c] >= node.all.weight ? 1 : 0;
    for (const int s : {larger, 1 - larger}) {
      B want;
      for (int v = 0; v < variants_; ++v)
        each_share(node.budgets, node.below, [&](int k, int i, int j) {
          Cost& to = want.at(v, i);
          const B& other = least[1 - s][c];
          to = std::max(to, best.at(v, k) - penalty() - other.at(v, j));
        });
      if (variants_ == 2) want.raise_to(want, {2, node.below}, 1, 0, 0);
      bool known = true;
      for (int v = 0; v < variants_; ++v)
        for (int k = 0; k < node.below; ++k) known = known && want.at(v, k) <= least[s][c].at(v, k);
      if (known) continue;
      const std::vector<int> rows = side_of(material, g, s);
      Side side;
      side.column = g;
      side.side = s;
      side.n = static_cast<int>(rows.size());
      auto kid = prove(rows, claim.depth - 1, node.splits_below, want, node.level + 1);
      side.bound = kid->bound;
      if (kid->depth > 2) side.kid = std::move(kid);
      for (int v = 0; v < variants_; ++v)
        least[s][c].raise_to(side.bound, {variants_, node.below}, v, v, 0);
      claim.sides.push_back(std::move(side));
    }
  }

  // More than what is known of a column that has been looked at cannot be shown.
  void update(const Node& node, int g, B& best, const B& zeros, const B& ones) const {
    for (int v = 0; v < variants_; ++v) {
      if (!node.parts(g, v == 0 ? 1 : facts_.problem.least)) continue;
      each_share(node.budgets, node.below, [&](int k, int i, int j) {
        best.at(v, k) = std::min(best.at(v, k), zeros.at(v, i) + ones.at(v, j) + penalty());
      });
    }
  }

  // What the sides that are left say of the sides of a column.
  void learn(const Node& node, const std::vector<Side>& sides, const std::vector<char>& left, int g,
             B known[2]) const {
    known[0] = known[1] = B{};
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (int t = 0; t < 2 && left[i] != 0; ++t) raise(node, known[t], sides[i], g, t);
  }
  bool all_closed(const Node& node, const std::vector<Side>& sides, const std::vector<char>& left,
                  const std::vector<int>& open, const B& need) const {
    return std::all_of(open.begin(), open.end(), [&](int g) {
      B known[2];
      learn(node, sides, left, g, known);
      return closed(node, g, need, known[0], known[1]);
    });
  }
  // The columns of which some sides say something that is more than nothing, and with one number
  // for each bound no less than what is known.
  std::vector<int> told(const Node& node, const Side* first, std::size_t many,
                        const std::vector<B>* known) const {
    std::vector<char> says(static_cast<std::size_t>(node.columns), 0);
    for (const Side* side = first; side != first + many; ++side) {
      const Cost most = *std::max_element(side->bound.values.begin(), side->bound.values.end());
      for (int t = 0; t < 2; ++t)
        for (std::size_t c = 0; c < says.size(); ++c) {
          const Cost here = most - side->lost[t][c];
          if (here > 0 && (Size > 1 || known == nullptr || here >= known[t][c].at(0, 0)))
            says[c] = 1;
        }
    }
    std::vector<int> out;
    for (int g = 0; g < node.columns; ++g)
      if (says[static_cast<std::size_t>(g)] != 0) out.push_back(g);
    return out;
  }

  // Leave out, from the first on, what the others show as well. The sides of columns that were
  // looked at late were open until then. Where pairs are enough, both sides of a column go or stay
  // together: which one is needed takes more room to say than it takes time to look at the other.
  void trim(const Node& node, std::vector<Side>& sides, const B& need) const {
    const auto m = static_cast<std::size_t>(node.columns);
    std::vector<char> left(sides.size(), 1);
    std::vector<B> known[2] = {std::vector<B>(m), std::vector<B>(m)};
    const auto learn_again = [&](int g) {
      B found[2];
      learn(node, sides, left, g, found);
      for (int t = 0; t < 2; ++t) known[t][static_cast<std::size_t>(g)] = found[t];
    };
    for (int g = 0; g < node.columns; ++g) learn_again(g);
    const std::size_t together = node.counted ? 2 : 1;
    for (std::size_t i = 0; i < sides.size(); i += together) {
      const std::vector<int> open = told(node, &sides[i], together, known);
      std::fill_n(&left[i], together, char{0});
      if (all_closed(node, sides, left, open, need))
        for (const int g : open) learn_again(g);
      else
        std::fill_n(&left[i], together, char{1});
    }
    std::vector<Side> kept;
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (left[i] != 0) kept.push_back(std::move(sides[i]));
    sides = std::move(kept);
  }

  // Every side has to show no more than all columns need.
  void lower(const Node& node, std::vector<Side>& sides, const B& need) const {
    const std::vector<char> left(sides.size(), 1);
    for (Side& side : sides) {
      if (!side.kid) continue;
      const std::vector<int> open = told(node, &side, 1, nullptr);
      for (int v = 0; v < variants_; ++v)
        for (int k = 0; k < node.below; ++k) {
          Cost& value = side.bound.at(v, k);
          Cost low = 0, high = std::max(Cost{0}, value);
          while (low < high) {
            value = low + (high - low) / 2;
            const bool fine = all_closed(node, sides, left, open, need);
            (fine ? high : low) = fine ? value : value + 1;
          }
          value = high;
        }
    }
  }

  const Facts& facts_;
  std::unique_ptr<PairCounter> counter_;
  const std::function<bool()>& stop_;
  Overlaps overlaps_;
  int variants_ = 1;
  std::int64_t claims_ = 0, pairs_ = 0;
};

}  // namespace exactree::proof

// The bound that a plan shows. The rules are those of src/exactree/proof/checking.py, where the
// proofs are, and of docs/certificates.md; this is a second program for them, and a faster one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "basics.hpp"
#include "plan.hpp"
#include "rows.hpp"
#include "scan.hpp"

namespace checker {

// T holds all sums: 16 or 32 bits where they are enough.
template <class T>
class Checker {
 public:
  Checker(const Rows& rows, Plan& plan, std::int64_t work)
      : rows_(rows), plan_(plan), work_(work), side_(rows.n, 0), variants_(rows.least > 1 ? 2 : 1) {
    for (std::size_t i = 0; i < rows.n; ++i)
      influence_.push_back(rows.influence(static_cast<int>(i)));
  }

  std::vector<Cost> root(std::int64_t depth, std::int64_t splits) {
    Order all(rows_.columns, std::vector<int>(rows_.n));
    for (std::size_t f = 0; f < rows_.columns; ++f) {
      std::iota(all[f].begin(), all[f].end(), 0);
      std::stable_sort(all[f].begin(), all[f].end(),
                       [&](int a, int b) { return rows_.rank(f, a) < rows_.rank(f, b); });
    }
    const Bound found = claim(all, depth, splits);
    demand(plan_.at_end(), "something follows the plan");
    return found.of[variants_ - 1];
  }

 private:
  struct Entry {
    std::size_t position = 0;
    bool used[2] = {false, false};
    Bound known[2];
  };

  std::size_t label(int row) const {
    return static_cast<std::size_t>(rows_.label[static_cast<std::size_t>(row)]);
  }

  // A lower bound of e(S, depth, k).
  Bound claim(const Order& order, std::int64_t depth, std::int64_t splits) {
    const std::size_t n = order[0].size();
    work_ -= static_cast<std::int64_t>(n * rows_.columns);
    demand(work_ >= 0, "the plan takes more work than the certificate says");
    std::vector<Cost> weights(rows_.classes, 0);
    for (const int row : order[0])
      weights[label(row)] += rows_.weight[static_cast<std::size_t>(row)];
    const Cost leaf = rows_.leaf(weights.data());
    const std::size_t many = budgets(depth, splits);
    demand(many <= 1 << 16, "too many numbers of splits");
    depth = useful_depth(rows_, n, leaf, depth, splits);
    Bound out;
    for (int v = 0; v < variants_; ++v) out.of[v].assign(many, leaf);
    if (depth == 1) {
      Scan<T> scan(rows_, order);
      scan.start(0);
      scan.move_to(n);
      const SideCosts all = scan.best(0);
      for (int v = 0; v < variants_; ++v)
        for (std::size_t k = splits < 0 ? 0 : 1; k < many; ++k) out.of[v][k] = all.split[v];
    } else if (depth > 1) {
      const Bound found = cover(order, depth, splits, leaf);
      for (int v = 0; v < variants_; ++v)
        for (std::size_t k = 0; k < many; ++k)
          out.of[v][k] = found.of[v][std::min(k, found.of[v].size() - 1)];
    }
    return out;
  }

  // Cover: the least bound of the leaf and of all splits.
  Bound cover(const Order& order, std::int64_t depth, std::int64_t splits, Cost leaf) {
    const std::int64_t below = splits < 0 ? -1 : splits - 1;
    const std::size_t many = budgets(depth, splits), fewer = budgets(depth - 1, below);
    Bound out;
    for (int v = 0; v < variants_; ++v) out.of[v].assign(many, leaf);
    std::optional<Scan<T>> scan;
    for (std::size_t f = 0; f < rows_.columns; ++f) {
      std::vector<Entry> entries = read_entries(f, order[f]);
      for (Entry& entry : entries)
        for (Bound& known : entry.known)
          for (int v = 0; v < variants_; ++v) known.of[v].assign(fewer, 0);
      if (depth == 2 && !entries.empty()) {
        if (!scan) scan.emplace(rows_, order);
        scan_sides(*scan, f, order[f].size(), entries);
      } else {
        for (Entry& entry : entries)
          for (int s = 0; s < 2; ++s)
            if (entry.used[s])
              entry.known[s] = claim(part(order, f, entry.position, s), depth - 1, below);
      }
      along(f, order[f], entries, leaves_of(depth - 1, below, fewer), out);
    }
    return out;
  }

  // Claims of depth one, of all sides that a column has.
  void scan_sides(Scan<T>& scan, std::size_t f, std::size_t n, std::vector<Entry>& entries) {
    scan.start(f);
    for (Entry& entry : entries) {
      scan.move_to(entry.position);
      for (int s = 0; s < 2; ++s) {
        if (!entry.used[s]) continue;
        const std::size_t size = s == 0 ? entry.position : n - entry.position;
        work_ -= static_cast<std::int64_t>(size * rows_.columns);
        demand(work_ >= 0, "the plan takes more work than the certificate says");
        const SideCosts found = scan.best(s);
        for (int v = 0; v < variants_; ++v) {
          entry.known[s].of[v].back() = found.split[v];
          if (entry.known[s].of[v].size() > 1) entry.known[s].of[v].front() = found.leaf;
        }
      }
    }
  }

  std::vector<Entry> read_entries(std::size_t f, const std::vector<int>& inside) {
    const std::uint64_t count = plan_.number(), n = inside.size();
    demand(count < n, "the plan has a column with more thresholds than rows");
    std::vector<Entry> out;
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t code = plan_.number(), step = code >> 2;
      demand(step > 0 && step < n && at + step < n,
             "the plan has thresholds that are not in order");
      at += step;
      Entry entry;
      entry.position = static_cast<std::size_t>(at);
      entry.used[0] = (code & 1) != 0;
      entry.used[1] = (code & 2) != 0;
      out.push_back(std::move(entry));
    }
    for (const Entry& entry : out)
      demand(rows_.ends(f, inside, entry.position - 1),
             "the plan has a threshold among equal values");
    return out;
  }

  Order part(const Order& order, std::size_t f, std::size_t position, int s) {
    const std::size_t n = order[f].size(), size = s == 0 ? position : n - position;
    for (std::size_t i = 0; i < n; ++i)
      side_[static_cast<std::size_t>(order[f][i])] = static_cast<char>(i < position ? 0 : 1);
    Order out(rows_.columns);
    for (std::size_t g = 0; g < rows_.columns; ++g) {
      out[g].resize(size + 1);
      int* to = out[g].data();
      for (const int row : order[g]) {
        *to = row;  // and kept only if it is on this side
        to += side_[static_cast<std::size_t>(row)] == s ? 1 : 0;
      }
      out[g].resize(size);
    }
    return out;
  }

  // Mono: what the entries say of all thresholds of the column; lowers `out` to the least of them.
  void along(std::size_t f, const std::vector<int>& inside, const std::vector<Entry>& entries,
             const std::vector<std::size_t>& leaves, Bound& out) const {
    std::vector<std::size_t> places;
    std::vector<Cost> before, sizes;
    Cost weight = 0, size = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      weight += influence_[static_cast<std::size_t>(inside[i])];
      size += rows_.size[static_cast<std::size_t>(inside[i])];
      if (i + 1 == inside.size() || !rows_.ends(f, inside, i)) continue;
      places.push_back(i + 1);
      before.push_back(weight);
      sizes.push_back(size);
    }
    const std::size_t m = places.size(), fewer = leaves.size();
    // Sides by place, variant and number of splits.
    std::vector<Cost> sides[2];
    const std::size_t stride = 2 * fewer;
    for (int s = 0; s < 2; ++s) sides[s].assign(m * stride, 0);
    if (rows_.costs.empty() && leaves[0] < rows_.classes) answer(inside, places, leaves, sides);
    std::size_t p = 0;
    for (const Entry& entry : entries) {
      while (places[p] < entry.position) ++p;
      for (int s = 0; s < 2; ++s)
        for (int v = 0; v < variants_; ++v)
          for (std::size_t k = 0; k < fewer; ++k) {
            Cost& side = sides[s][p * stride + static_cast<std::size_t>(v) * fewer + k];
            side = std::max(side, entry.known[s].of[v][k]);
          }
    }
    spread(sides[0], before, stride, fewer, false);
    spread(sides[1], before, stride, fewer, true);
    for (std::size_t t = 0; t < m; ++t)
      for (int v = 0; v < variants_; ++v) {
        if (v == 1 && std::min(sizes[t], size - sizes[t]) < rows_.least) continue;
        const std::size_t at = t * stride + static_cast<std::size_t>(v) * fewer;
        join(&sides[0][at], &sides[1][at], fewer, rows_.penalty, out.of[v]);
      }
  }

  // How many leaves a tree of so many levels has at most, by number of splits.
  static std::vector<std::size_t> leaves_of(std::int64_t depth, std::int64_t splits,
                                            std::size_t many) {
    std::vector<std::size_t> out(many, std::size_t{1} << std::min<std::int64_t>(depth, 40));
    if (splits >= 0) std::iota(out.begin(), out.end(), std::size_t{1});
    return out;
  }

  // Answers: l leaves give l answers at most, and get all rows of other classes wrong.
  void answer(const std::vector<int>& inside, const std::vector<std::size_t>& places,
              const std::vector<std::size_t>& leaves, std::vector<Cost> sides[2]) const {
    std::vector<Cost> weights[2], sorted;
    for (auto& each : weights) each.assign(rows_.classes, 0);
    for (const int row : inside)
      weights[1][label(row)] += rows_.weight[static_cast<std::size_t>(row)];
    const std::size_t fewer = leaves.size(), most = std::min(leaves.back(), rows_.classes);
    std::size_t i = 0;
    for (std::size_t t = 0; t < places.size(); ++t) {
      for (; i < places[t]; ++i) {
        const Cost w = rows_.weight[static_cast<std::size_t>(inside[i])];
        weights[0][label(inside[i])] += w;
        weights[1][label(inside[i])] -= w;
      }
      for (int s = 0; s < 2; ++s) {
        sorted = weights[s];
        const auto heaviest = sorted.begin() + static_cast<std::ptrdiff_t>(most);
        std::partial_sort(sorted.begin(), heaviest, sorted.end(), std::greater<>());
        Cost wrong = std::accumulate(sorted.begin(), sorted.end(), Cost{0});
        std::size_t right = 0;
        for (std::size_t k = 0; k < fewer; ++k) {
          for (; right < std::min(leaves[k], most); ++right) wrong -= sorted[right];
          sides[s][t * 2 * fewer + k] = wrong;
        }
      }
    }
  }

  // To larger sets goes what is free; to smaller ones everything, less what lies between.
  void spread(std::vector<Cost>& side, const std::vector<Cost>& before, std::size_t stride,
              std::size_t fewer, bool falling) const {
    const std::size_t m = before.size();
    std::vector<Cost> grown = side;
    const auto step = [&](std::size_t from, std::size_t to, bool grows) {
      const Cost between = grows ? 0 : std::abs(before[to] - before[from]);
      const std::size_t width = grows ? fewer : stride;
      std::vector<Cost>& values = grows ? grown : side;
      for (std::size_t i = 0; i < width; ++i)
        values[to * stride + i] =
            std::max(values[to * stride + i], values[from * stride + i] - between);
    };
    for (std::size_t t = 1; t < m; ++t) step(t - 1, t, !falling);
    for (std::size_t t = m; t-- > 1;) step(t, t - 1, falling);
    for (std::size_t t = 0; t < m; ++t)
      for (std::size_t i = 0; i < fewer; ++i) {
        Cost& free = side[t * stride + i];
        free = std::max(free, grown[t * stride + i]);
        Cost& limited = side[t * stride + fewer + i];
        limited = std::max(limited, free);
      }
  }

  const Rows& rows_;
  Plan& plan_;
  std::int64_t work_;
  std::vector<char> side_;
  std::vector<Cost> influence_;
  int variants_;
};

}  // namespace checker

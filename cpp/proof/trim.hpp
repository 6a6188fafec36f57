// Keeps of the entries of a column what a bound needs, and lowers what they have to show.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "proof/chain.hpp"

namespace exactree::proof {

// What is done with the entries that are kept: nothing; sides that are not needed are left out; or
// every side has to show no more than is needed of it.
enum class Sides { kAll, kNeeded, kLowered };

template <int Size>
class Trimmer {
 public:
  using B = Bound<Size>;
  using Stop = typename Chain<Size>::Stop;

  Trimmer(const Chain<Size>& chain, int n, Shape sides, const B& need)
      : chain_(chain), n_(n), sides_(sides), need_(need) {}

  void trim(std::vector<Entry<Size>>& entries, Sides sides) {
    std::vector<std::size_t> kept = fewest(entries);
    const bool each_gap_alone = !kept.empty() || closed(stops_of(entries, kept));
    if (!each_gap_alone) {
      kept.resize(entries.size());
      for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i;
      drop_one_by_one(entries, kept);
    }
    std::vector<Entry<Size>> left;
    for (const std::size_t i : kept) left.push_back(std::move(entries[i]));
    if (sides != Sides::kAll && (each_gap_alone || left.size() <= kMany))
      lower(left, each_gap_alone, sides == Sides::kLowered);
    entries.clear();
    for (auto& entry : left)
      if (entry.used[0] || entry.used[1]) entries.push_back(std::move(entry));
  }

 private:
  Stop stop_of(const Entry<Size>& entry) const {
    return {entry.position, {entry.bound[0], entry.bound[1]}};
  }
  Stop last() const {
    Stop out;
    out.position = n_;
    return out;
  }
  bool closes(const Stop& a, const Stop& b) const { return chain_.open(need_, a, b).empty(); }

  // The fewest entries such that every gap between two is closed by these two: shortest path. From
  // each entry it looks on until a gap stays open: longer ones hardly ever close. Empty if there
  // are no such entries, or none are needed.
  std::vector<std::size_t> fewest(const std::vector<Entry<Size>>& entries) const {
    std::vector<Stop> stops{Stop{}};
    for (const auto& entry : entries) stops.push_back(stop_of(entry));
    stops.push_back(last());
    const std::size_t m = stops.size();
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> steps(m, kNone), from(m, kNone);
    steps[0] = 0;
    for (std::size_t i = 0; i + 1 < m; ++i) {
      if (steps[i] == kNone) continue;
      for (std::size_t j = i + 1; j < m && closes(stops[i], stops[j]); ++j)
        if (steps[i] + 1 < steps[j]) {
          steps[j] = steps[i] + 1;
          from[j] = i;
        }
    }
    std::vector<std::size_t> kept;
    if (from[m - 1] == kNone) return kept;
    for (std::size_t i = from[m - 1]; i > 0; i = from[i]) kept.insert(kept.begin(), i - 1);
    return kept;
  }

  std::vector<Stop> stops_of(const std::vector<Entry<Size>>& entries,
                             const std::vector<std::size_t>& kept) const {
    std::vector<Stop> stops{Stop{}};
    for (const std::size_t i : kept) stops.push_back(stop_of(entries[i]));
    stops.push_back(last());
    return stops;
  }

  // Whether all gaps are closed by what all stops say together.
  bool closed(std::vector<Stop> stops) const {
    for (std::size_t i = 1; i < stops.size(); ++i) chain_.learn(stops[i], stops[i - 1]);
    for (std::size_t i = stops.size() - 1; i > 0; --i) chain_.learn(stops[i - 1], stops[i]);
    for (std::size_t i = 1; i < stops.size(); ++i)
      if (!closes(stops[i - 1], stops[i])) return false;
    return true;
  }

  void drop_one_by_one(const std::vector<Entry<Size>>& entries,
                       std::vector<std::size_t>& kept) const {
    for (std::size_t i = 0; i < kept.size() && kept.size() <= kMany;) {
      std::vector<std::size_t> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (closed(stops_of(entries, fewer)))
        kept = std::move(fewer);
      else
        ++i;
    }
  }

  // Every side has to show no more than all gaps need together; of many entries, than its two gaps
  // need. Where a side is scanned it shows all or, left out, nothing.
  void lower(std::vector<Entry<Size>>& entries, bool each_gap_alone, bool partly) const {
    std::vector<std::size_t> all(entries.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::vector<Stop> stops = stops_of(entries, all);
    const bool together = !each_gap_alone || entries.size() <= kMany;
    for (std::size_t i = 1; i + 1 < stops.size(); ++i) {
      Entry<Size>& entry = entries[i - 1];
      const auto fine = [&] {
        if (together) return closed(stops);
        return closes(stops[i - 1], stops[i]) && closes(stops[i], stops[i + 1]);
      };
      for (int s = 0; s < 2; ++s) {
        if (!entry.used[s]) continue;
        const bool useful =
            partly ? lowered(stops[i].side[s], fine) : !left_out(stops[i].side[s], fine);
        entry.bound[s] = stops[i].side[s];
        if (!useful) {
          entry.used[s] = false;
          entry.kid[s].reset();
        }
      }
    }
  }

  // Lowers the bounds of a side one by one as far as all is fine; whether any is left.
  template <class Fine>
  bool lowered(B& side, const Fine& fine) const {
    bool useful = false;
    for (int v = 0; v < sides_.variants; ++v)
      for (int k = 0; k < sides_.budgets; ++k) {
        Cost& value = side.at(v, k);
        Cost low = 0, high = std::max(Cost{0}, value);
        while (low < high) {
          value = low + (high - low) / 2;
          const bool enough = fine();
          (enough ? high : low) = enough ? value : value + 1;
        }
        value = high;
        useful = useful || high > 0;
      }
    return useful;
  }
  template <class Fine>
  static bool left_out(B& side, const Fine& fine) {
    const B kept = std::exchange(side, B{});
    if (fine()) return true;
    side = kept;
    return false;
  }

  static constexpr std::size_t kMany = 100;
  const Chain<Size>& chain_;
  int n_;
  Shape sides_;
  const B& need_;
};

}  // namespace exactree::proof

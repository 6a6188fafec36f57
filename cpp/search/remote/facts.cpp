#include "search/remote/facts.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace exactree {

// A column is the number of budgets, then a line for every threshold.
template <class V>
SideFacts facts_of(const Solution<V>& solution, std::int64_t most) {
  SideFacts facts;
  std::int64_t sides = 0;
  for (const SolvedSide<V>& at : solution.sides) sides += at.solution->bytes();
  if (solution.bytes() - sides > most) return facts;
  facts.depth = solution.depth;
  facts.best_feature = solution.best_feature;
  for (const auto& list : solution.lists) {
    auto& column = facts.columns.emplace_back();
    column.push_back(list.empty() ? 0 : list.front().lo[0].budgets());
    for (const Threshold<V>& at : list) {
      column.push_back(at.rank);
      for (const auto* bounds : {&at.lo, &at.hi})
        for (const V& side : *bounds)
          for (int k = 0; k < side.budgets(); ++k) column.push_back(side[k]);
    }
  }
  if (solution.bytes() > most) return facts;
  for (const SolvedSide<V>& at : solution.sides) {
    facts.sides.push_back({at.feature, at.rank, at.side, facts_of(*at.solution, most)});
    facts.sides.back().facts.sides.clear();  // what is solved below a side stays where it is
  }
  return facts;
}

void add_facts(SideFacts& facts, const SideFacts& before) {
  if (facts.empty()) {
    facts = before;
    return;
  }
  const auto empty = [](const std::vector<std::int64_t>& column) { return column.size() <= 1; };
  if (facts.columns.size() != before.columns.size()) return;
  if (std::all_of(facts.columns.begin(), facts.columns.end(), empty)) {
    facts.depth = before.depth;
    facts.best_feature = before.best_feature;
  }
  for (std::size_t f = 0; f < facts.columns.size() && facts.depth == before.depth; ++f)
    if (empty(facts.columns[f])) facts.columns[f] = before.columns[f];
  const auto name = [](const SolvedSideFacts& at) {
    return std::tuple(at.feature, at.rank, at.side);
  };
  std::set<std::tuple<int, int, int>> known;
  for (const SolvedSideFacts& at : facts.sides) known.insert(name(at));
  for (const SolvedSideFacts& at : before.sides)
    if (known.insert(name(at)).second) facts.sides.push_back(at);
}

namespace {

void require(bool holds) {
  if (!holds) throw std::invalid_argument("the facts of a claim are not as they should be");
}

}  // namespace

template <class V>
void read_facts(const SideFacts& facts, int columns, Solution<V>& out) {
  require(facts.columns.size() == static_cast<std::size_t>(columns));
  require(facts.best_feature < columns);
  out.depth = facts.depth;
  out.best_feature = std::max(facts.best_feature, -1);
  out.lower = out.upper = V::constant(0, 1);
  out.lists.assign(facts.columns.size(), {});
  for (std::size_t f = 0; f < facts.columns.size(); ++f) {
    const auto& column = facts.columns[f];
    require(!column.empty() && column[0] >= 0 && column[0] <= 32);
    const auto budgets = static_cast<std::size_t>(column[0]), line = 1 + 4 * budgets;
    if (budgets == 0) continue;
    require((column.size() - 1) % line == 0);
    std::int64_t last = 0;
    for (std::size_t at = 1; at < column.size(); at += line) {
      require(column[at] > last && column[at] <= std::numeric_limits<int>::max());
      last = column[at];
      Threshold<V> threshold;
      threshold.rank = static_cast<int>(last);
      const std::int64_t* next = &column[at + 1];
      for (auto* bounds : {&threshold.lo, &threshold.hi})
        for (V& side : *bounds) {
          side = value_of<V>(Costs(next, next + budgets), static_cast<int>(budgets));
          next += budgets;
        }
      out.lists[f].push_back(threshold);
    }
  }
  for (const SolvedSideFacts& at : facts.sides) {
    require(at.feature >= 0 && at.feature < columns && at.rank > 0);
    require((at.side == 0 || at.side == 1) && at.facts.sides.empty());
    auto solution = std::make_shared<Solution<V>>();
    read_facts(at.facts, columns, *solution);
    out.sides.push_back({at.feature, at.rank, at.side, std::move(solution)});
  }
}

namespace {

// Seven bits a byte, the lowest first; the sign in the lowest bit.
void put(std::string& out, std::int64_t number) {
  auto rest = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
  for (; rest >= 128; rest >>= 7) out.push_back(static_cast<char>(rest % 128 + 128));
  out.push_back(static_cast<char>(rest));
}

struct Unpacking {
  const char *at, *end;

  std::int64_t number() {
    std::uint64_t found = 0;
    for (unsigned shift = 0;; shift += 7) {
      require(at != end && shift < 64);
      const auto byte = static_cast<unsigned char>(*at++);
      found |= static_cast<std::uint64_t>(byte % 128) << shift;
      if (byte < 128) break;
    }
    return static_cast<std::int64_t>(found >> 1 ^ (0 - (found & 1)));
  }
  // How many numbers follow: each takes a byte at least.
  std::size_t count() {
    const std::int64_t n = number();
    require(n >= 0 && n <= end - at);
    return static_cast<std::size_t>(n);
  }
  int small() {
    const std::int64_t n = number();
    require(n >= std::numeric_limits<int>::min() && n <= std::numeric_limits<int>::max());
    return static_cast<int>(n);
  }
};

// How many numbers a threshold takes, by the first number of its column.
std::size_t line_of(std::int64_t budgets) {
  require(budgets >= 0 && budgets <= 32);
  return 1 + 4 * static_cast<std::size_t>(budgets);
}

}  // namespace

namespace {

void pack(const SideFacts& facts, std::string& out) {
  put(out, facts.depth);
  put(out, facts.best_feature);
  put(out, static_cast<std::int64_t>(facts.columns.size()));
  for (const auto& column : facts.columns) {
    put(out, static_cast<std::int64_t>(column.size()));
    const std::size_t line = column.empty() ? 1 : line_of(column[0]);
    std::int64_t last = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const bool rank = i % line == 1 % line && i > 0;
      put(out, rank ? column[i] - last : column[i]);
      if (rank) last = column[i];
    }
  }
  put(out, static_cast<std::int64_t>(facts.sides.size()));
  for (const SolvedSideFacts& at : facts.sides) {
    for (const int number : {at.feature, at.rank, at.side}) put(out, number);
    pack(at.facts, out);
  }
}

// Solved sides have none themselves.
SideFacts unpack(Unpacking& from, bool of_side) {
  SideFacts facts;
  facts.depth = from.small();
  facts.best_feature = from.small();
  facts.columns.resize(from.count());
  for (auto& column : facts.columns) {
    const std::size_t length = from.count();
    std::size_t line = 1;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < length; ++i) {
      std::int64_t number = from.number();
      if (i == 0) line = line_of(number);
      if (i > 0 && i % line == 1 % line) {
        require(number >= 0 && number <= std::numeric_limits<int>::max());
        number = last += number;
      }
      column.push_back(number);
    }
  }
  const std::size_t sides = from.count();
  require(sides == 0 || !of_side);
  for (std::size_t i = 0; i < sides; ++i) {
    SolvedSideFacts& at = facts.sides.emplace_back();
    at.feature = from.small();
    at.rank = from.small();
    at.side = from.small();
    at.facts = unpack(from, true);
  }
  return facts;
}

}  // namespace

std::string packed(const SideFacts& facts) {
  std::string out;
  pack(facts, out);
  return out;
}

SideFacts unpacked(const char* bytes, std::size_t size) {
  Unpacking from{bytes, bytes + size};
  SideFacts facts = unpack(from, false);
  require(from.at == from.end);
  return facts;
}

#define EXACTREE_FACTS(V)                                        \
  template SideFacts facts_of(const Solution<V>&, std::int64_t); \
  template void read_facts(const SideFacts&, int, Solution<V>&);
EXACTREE_FACTS(One)
EXACTREE_FACTS(Curve<8>)
EXACTREE_FACTS(Curve<32>)
#undef EXACTREE_FACTS

}  // namespace exactree

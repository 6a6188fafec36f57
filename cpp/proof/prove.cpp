// Runs the prover and writes its claims as a plan.
#include "proof/prove.hpp"

#include <numeric>
#include <stdexcept>

#include "proof/binary_prover.hpp"
#include "proof/prover.hpp"

namespace exactree {

namespace proof {

namespace {

void put(std::vector<std::uint8_t>& out, std::uint64_t number) {
  for (; number >= 128; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 128));
  out.push_back(static_cast<std::uint8_t>(number));
}

template <int Size>
void write(const Claim<Size>& claim, Proof& out, int features) {
  out.work += std::int64_t{claim.n} * features;
  if (claim.depth <= 1) return;
  for (const auto& entries : claim.columns) {
    put(out.plan, entries.size());
    int last = 0;
    for (const auto& entry : entries) {
      const unsigned used = (entry.used[0] ? 1U : 0U) | (entry.used[1] ? 2U : 0U);
      put(out.plan, static_cast<std::uint64_t>(entry.position - last) << 2 | used);
      last = entry.position;
    }
    for (const auto& entry : entries)
      for (int s = 0; s < 2; ++s) {
        if (!entry.used[s]) continue;
        const int n = s == 0 ? entry.position : claim.n - entry.position;
        if (entry.kid[s])
          write(*entry.kid[s], out, features);
        else
          out.work += std::int64_t{n} * features;
      }
  }
}

// A claim over columns of two values: the columns in their order, then the claims of their sides.
template <int Size>
void write(const BinaryClaim<Size>& claim, Proof& out, const Facts& facts) {
  const std::int64_t m = facts.problem.features;
  const std::int64_t kinds = facts.problem.classes;
  const auto look = [&](std::size_t n) {
    out.work += (static_cast<std::int64_t>(n) + kinds) * m * m;
  };
  look(static_cast<std::size_t>(claim.n));
  if (claim.depth <= 2) return;
  std::vector<const BinarySide<Size>*> by_column[2];
  for (auto& sides : by_column) sides.resize(static_cast<std::size_t>(m), nullptr);
  for (const auto& side : claim.sides) {
    const auto c = static_cast<std::size_t>(side.column);
    const bool ones = (side.side == 1) != (claim.turned[c] != 0);
    by_column[ones ? 1 : 0][static_cast<std::size_t>(claim.columns[c])] = &side;
  }
  std::vector<std::size_t> listed;
  for (std::size_t g = 0; g < by_column[0].size(); ++g)
    if (by_column[0][g] != nullptr || by_column[1][g] != nullptr) listed.push_back(g);
  put(out.plan, listed.size());
  std::size_t next = 0;
  for (const std::size_t g : listed) {
    const unsigned used =
        (by_column[0][g] != nullptr ? 1U : 0U) | (by_column[1][g] != nullptr ? 2U : 0U);
    put(out.plan, static_cast<std::uint64_t>(g + 1 - next) << 2 | used);
    next = g + 1;
  }
  for (const std::size_t g : listed)
    for (const auto& sides : by_column) {
      if (sides[g] == nullptr) continue;
      if (sides[g]->kid)
        write(*sides[g]->kid, out, facts);
      else
        look(static_cast<std::size_t>(sides[g]->n));
    }
}

template <int Size>
Bound<Size> wanted(const ProofProblem& problem, int budgets, int v) {
  Bound<Size> cap;
  for (int k = 0; k <= std::max(problem.splits, 0); ++k) {
    Cost& here = cap.at(v, std::min(k, budgets - 1));
    here = std::max(here, problem.targets[static_cast<std::size_t>(k)]);
  }
  return cap;
}

template <int Size>
Proof prove_pairs(const ProofProblem& problem, MakePairCounter make_counter,
                  const std::function<bool()>& stop) {
  const Facts facts(problem);
  BinaryProver<Size> prover(facts, make_counter, stop);
  Proof out;
  const int budgets = budgets_of(problem.depth, problem.splits);
  const int v = prover.variants() - 1;
  std::vector<int> rows(static_cast<std::size_t>(problem.rows));
  std::iota(rows.begin(), rows.end(), 0);
  try {
    const auto claim =
        prover.prove(rows, problem.depth, problem.splits, wanted<Size>(problem, budgets, v), 0);
    for (int k = 0; k < budgets; ++k) out.bounds.push_back(claim->bound.at(v, k));
    prover.tighten(*claim, claim->bound, budgets);
    write(*claim, out, facts);
  } catch (const Stopped&) {
    out.stopped = true;
  }
  out.claims = prover.claims();
  out.scans = prover.pairs();
  return out;
}

template <int Size>
Proof prove_columns(const Facts& facts, const Rows& rows, MakeScanner make_scanner,
                    Searching* search, const std::function<bool()>& stop) {
  const ProofProblem& problem = facts.problem;
  Prover<Size> prover(facts, make_scanner, search, stop);
  Proof out;
  const int budgets = budgets_of(problem.depth, problem.splits);
  const int v = prover.variants() - 1;
  const Bound<Size> cap = wanted<Size>(problem, budgets, v);
  const auto claim = prover.prove(rows, problem.depth, problem.splits, cap);
  for (int k = 0; k < budgets; ++k) out.bounds.push_back(claim->bound.at(v, k));
  if (search == nullptr) prover.tighten(rows, *claim, claim->bound, budgets);
  write(*claim, out, problem.features);
  out.claims = prover.claims();
  out.scans = prover.scans();
  return out;
}

// By what the search says if that is of use. If it is wrong, which it should never be, the proof
// does without.
template <int Size>
Proof prove_with(const ProofProblem& problem, std::string_view isa,
                 const std::function<bool()>& stop) {
  if (problem.pairs) return prove_pairs<Size>(problem, pair_counter_maker(isa), stop);
  const Facts facts(problem);
  const Rows rows = all_rows(facts);
  const MakeScanner make_scanner = scanner_maker(isa);
  try {
    if (const auto search = make_searching(facts, isa, stop)) {
      try {
        return prove_columns<Size>(facts, rows, make_scanner, search.get(), stop);
      } catch (const Misled&) {
      }
    }
    return prove_columns<Size>(facts, rows, make_scanner, nullptr, stop);
  } catch (const Stopped&) {
    Proof out;
    out.stopped = true;
    return out;
  }
}

}  // namespace

}  // namespace proof

Proof prove(const ProofProblem& problem, std::string_view isa, const std::function<bool()>& stop) {
  if (problem.least <= 1 && problem.splits < 0) return proof::prove_with<1>(problem, isa, stop);
  if (proof::budgets_of(problem.depth, problem.splits) <= 8)
    return proof::prove_with<16>(problem, isa, stop);
  return proof::prove_with<128>(problem, isa, stop);
}

}  // namespace exactree

// Runs the prover and writes its claims as a plan.
#include "proof/prove.hpp"

#include <stdexcept>

#include "proof/prover.hpp"

namespace exactree {

namespace {

using namespace proof;

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

template <int Size>
Proof prove_with(const ProofProblem& problem, MakeScanner make_scanner,
                 const std::function<bool()>& stop) {
  const Facts facts(problem);
  Prover<Size> prover(facts, make_scanner, stop);
  Proof out;
  Bound<Size> cap;
  const int budgets = budgets_of(problem.depth, problem.splits);
  const int v = prover.variants() - 1;
  for (int k = 0; k <= std::max(problem.splits, 0); ++k) {
    Cost& here = cap.at(v, std::min(k, budgets - 1));
    here = std::max(here, problem.targets[static_cast<std::size_t>(k)]);
  }
  const Rows rows = all_rows(facts);
  try {
    const auto claim = prover.prove(rows, problem.depth, problem.splits, cap);
    for (int k = 0; k < budgets; ++k) out.bounds.push_back(claim->bound.at(v, k));
    prover.tighten(rows, *claim, claim->bound, budgets);
    write(*claim, out, problem.features);
  } catch (const Stopped&) {
    out.stopped = true;
  }
  out.claims = prover.claims();
  out.scans = prover.scans();
  return out;
}

}  // namespace

Proof prove(const ProofProblem& problem, std::string_view isa, const std::function<bool()>& stop) {
  const proof::MakeScanner make_scanner = proof::scanner_maker(isa);
  if (problem.least <= 1 && problem.splits < 0) return prove_with<1>(problem, make_scanner, stop);
  if (proof::budgets_of(problem.depth, problem.splits) <= 8)
    return prove_with<16>(problem, make_scanner, stop);
  return prove_with<128>(problem, make_scanner, stop);
}

}  // namespace exactree

// Plans of proofs: where a checker should look to see that no tree of thresholds costs less.
// docs/certificates.md has the rules and the format. A plan is written by a second pass that knows
// the optimum; nothing here has to be right for a certificate to be true, since the checker
// computes every bound from the data.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace exactree {

using ProofCost = std::int64_t;

// Rows, costs and budgets, in whole units.
struct ProofProblem {
  int rows = 0, features = 0, classes = 0, answers = 0;
  const std::int32_t* ranks = nullptr;   // dense, by column
  const std::int32_t* labels = nullptr;  // below classes
  const ProofCost* weights = nullptr;    // positive
  const ProofCost* sizes = nullptr;      // what a row counts on its side of a split
  const ProofCost* costs = nullptr;      // by label and answer; null: 1 for every wrong answer
  const double* targets_of = nullptr;    // whole numbers, for the squared error; else null
  double price = 0;                      // how many units a square of these numbers costs
  ProofCost penalty = 0;                 // of a split
  ProofCost least = 1;                   // what each side has to count
  int depth = 0;
  bool pairs = false;              // columns of two values: a plan over pairs of them
  int splits = -1;                 // -1: no limit; else bounds for 0, 1, ..., splits
  std::vector<ProofCost> targets;  // bounds that are wanted: one, or one for each number of splits
};

struct Proof {
  std::vector<std::uint8_t> plan;
  std::vector<ProofCost> bounds;  // what the plan shows: the targets, or the optima where lower
  std::int64_t work = 0;          // rows times columns that a checker looks at
  std::int64_t claims = 0, scans = 0;
  bool stopped = false;
};

// `stop` is asked every now and then; after a yes there is no plan.
Proof prove(const ProofProblem& problem, std::string_view isa, const std::function<bool()>& stop);

}  // namespace exactree

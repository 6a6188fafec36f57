// Answers the questions of a session, one after the other: what a worker process does.
//
// The reply to a question depends on it alone, as far as it is complete: bounds that are proved and
// costs of trees that exist. What was solved before makes it faster. So a worker keeps the node of
// all rows, and the solved neighbours of the thresholds along its latest path.
#pragma once

#include <memory>

#include "search/driver/make_root.hpp"
#include "search/driver/posing.hpp"
#include "search/remote/session.hpp"

namespace exactree {

class AnyAnswerer {
 public:
  virtual ~AnyAnswerer() = default;

  // Within so many seconds; what is proved by then comes back not complete. Throws
  // std::invalid_argument if there is no such piece.
  virtual Reply answer(const Question& question, double seconds) = 0;
  // A tree with this first split and what it costs, which may be less than was wanted; empty if it
  // was stopped before.
  virtual FoundTree write(const TreeWanted& wanted, double seconds) = 0;
};

// Throws Stopped if the rows cannot be read within the limits of the control.
std::unique_ptr<AnyAnswerer> make_answerer(const Posing& posing, MakeRoot make_root,
                                           Control& control);

}  // namespace exactree

// A search whose pieces are answered elsewhere: the frontier, its divided pieces, and what is
// known.
//
// ask() gives the next open piece as a question. Any worker answers it (answerer.hpp); tell() takes
// the reply over. A reply that is not complete can be divided: then each side of the piece that is
// still open becomes a level, a frontier of its own over the rows of that side, whose pieces are
// asked first. When nothing of a level is open, its optimum answers the side. The bound and the
// trees do not depend on who answered what, or when: see driver/extract.hpp.
//
// The same interface serves threads, processes, machines and a file of claims: a claim is a
// question with its reply, and restore() takes over those of an earlier run.
#pragma once

#include <memory>
#include <vector>

#include "search/driver/frontier.hpp"
#include "search/driver/make_root.hpp"
#include "search/driver/posing.hpp"
#include "search/remote/question.hpp"

namespace exactree {

// A question with its reply: a fact that holds whoever found it.
struct Claim {
  Question question;
  Reply reply;
};

// The split whose tree is to be written down by a worker; budget -1: there is none.
struct TreeWanted {
  int budget = -1, splits = 0;
  Cost cost = 0;
  int feature = 0, position = 0;
  Costs side[2];
};

class AnyHelper;

class AnySession {
 public:
  virtual ~AnySession() = default;

  // Finds first trees and lists what is open. False if it was stopped meanwhile. A plan that is
  // known is taken over; else it is filled in, if there was time.
  virtual bool open(PlanFacts& plan) = 0;
  // What an earlier run proved, and what it began; before anything is asked.
  virtual void restore(const Claim& claim) = 0;
  // The next piece and its number, if there is one now.
  virtual Asked ask(Question& question, int& number, const Asking& how) = 0;
  // Takes over a complete reply. Throws std::invalid_argument if it is none to this question.
  virtual void tell(int number, const Reply& reply) = 0;
  // Takes over a reply that is not complete, and asks for the sides of the piece instead. False if
  // there is no room for that: then the piece is to be asked for again.
  virtual bool divide(int number, const Reply& reply) = 0;
  // Somebody who answers in this process, with a clock and a memory of its own; see helper.hpp.
  virtual std::unique_ptr<AnyHelper> helper(Control& control) = 0;
  // What was proved since this was last asked for.
  virtual std::vector<Claim> take_claims() = 0;

  virtual TreeWanted next_unwritten() = 0;
  virtual void written(int budget, Cost cost, const Tree& tree) = 0;
  // The best trees that are written down, whoever found them; single leaves are none.
  virtual std::vector<FoundTree> trees() const = 0;

  // Watches the clock and signals; raises and reports the bound.
  virtual void poll() = 0;
  virtual void stop(Status why) = 0;
  virtual bool stopped() const = 0;
  // What it has evaluated itself, for its plan and the last trees; helpers tell their own.
  virtual std::int64_t evaluations() const = 0;
  // Writes the trees down. Nothing may be asked afterwards.
  virtual SearchResult finish() = 0;
};

// With `keep`, claims are there to be taken.
std::unique_ptr<AnySession> make_session(const Posing& posing, MakeRoot make_root, Control& control,
                                         SearchProgress& progress, bool keep = false);

}  // namespace exactree

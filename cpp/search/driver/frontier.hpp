// What is open at the root of a search.
//
// The frontier divides the first splits of all trees into pieces: thresholds of a column, branches
// of a tree of masks. It is asked for an open piece, the piece is answered by any worker, and the
// claim that comes out is told to the frontier, which closes the piece or opens smaller ones.
//   ask()     under the lock: the next piece that may hold a tree below the goal of its place
//   answer()  without the lock, by any worker with a root of its own: depends on the piece alone
//   tell()    under the lock: takes over what was proved and what was found
// bound() is the least bound of all that is open: no tree with a first split that is not known
// costs less. Places are numbered; among trees of equal cost the lowest place owns the tree.
#pragma once

#include <memory>

#include "search/driver/incumbents.hpp"
#include "search/driver/source.hpp"
#include "search/remote/question.hpp"

namespace exactree {

struct SearchRequest;

// Makes the best tree better beside the search, a step at a time, by the calling thread.
class TreeImprover {
 public:
  virtual ~TreeImprover() = default;

  // Whether it has something to do, and has not done more than its share.
  virtual bool has_turn() const = 0;
  // Goes on from a tree that is better than its own.
  virtual void follow(const Incumbent& best) = 0;
  // Without the lock. True: the tree has become better. Only one that costs less than this is of
  // interest.
  virtual bool step(Cost below) = 0;

  virtual Cost cost() const = 0;
  virtual const Tree& tree() const = 0;
};

// What a frontier is made of.
template <class V>
struct Top {
  const Problem& data;
  const SearchRequest& request;
  Node& root;
  Budget budget;
  Worker<V>& worker;  // of the calling thread
  Incumbents<V>& incumbents;
  Relatives<V> relatives = {};  // what is known of the root's thresholds, if it is not all rows
};

// One side of a piece, to be solved by itself: below `cap`, with what is known of it.
template <class V>
struct OpenSide {
  Step step;
  V cap, lo, hi;
  Relatives<V> relatives = {};
};

struct Piece {
  int place = 0;
  virtual ~Piece() = default;
};

enum class Asked {
  kPiece,  // here is one
  kBusy,   // none now, but others are at work, which may open some
  kNone,   // nothing is open
};

template <class V>
class Frontier {
 public:
  explicit Frontier(const Top<V>& top) : top_(top) {}
  virtual ~Frontier() = default;

  // Finds first trees, and lists what is open. By the calling thread, before all else. False: it
  // was stopped. A plan that is known is taken over, its trees apart; another is filled in.
  virtual bool open(PlanFacts* plan) = 0;
  // Whether there is enough to do for several threads.
  virtual bool worth_threads() const = 0;

  // Room for a piece of this frontier.
  virtual std::unique_ptr<Piece> piece() const = 0;
  virtual Asked ask(Worker<V>& worker, Piece& piece) = 0;
  // A piece that is probably to be asked for later, if there is none now.
  virtual bool ask_ahead(Worker<V>& /*worker*/, Piece& /*piece*/) { return false; }
  virtual void answer(Worker<V>& worker, Node& root, Piece& piece) = 0;
  // `complete` is false if the answer was stopped: then nothing of it counts.
  virtual void tell(Worker<V>& worker, Piece& piece, bool complete) = 0;

  // What makes the best tree better beside the search, if anything does.
  virtual TreeImprover* improver() { return nullptr; }

  // For workers elsewhere: describe() writes a piece down as a question, accept() takes their reply
  // as if answer() had found it, complete or not, and restore() takes a claim of an earlier run,
  // a question with its reply. False: the claim is about no piece of this frontier.
  virtual void describe(const Piece& piece, Question& question) const = 0;
  virtual void accept(Piece& piece, const Reply& reply) = 0;
  // The other way: writes what answer() found down as a reply, complete or not. Where answer() was
  // stopped, keep_part() takes what the worker knows of the side that is still open.
  virtual void reply(const Piece& piece, Reply& reply) const = 0;
  virtual void keep_part(Worker<V>& /*worker*/, Piece& /*piece*/) {}
  // What is known of a piece while answer() is at it, with the side that is being solved. The other
  // side is written down if it is not the one that was told; it is told then.
  virtual void reply_part(const Piece& /*piece*/, const Solution<V>& /*side*/,
                          const Solution<V>*& /*told*/, Reply& /*reply*/) const {}
  // Adds what others have found near the piece.
  virtual void add_neighbours(const Piece& /*piece*/, Question& /*question*/) const {}
  // Lends the worker what is open around a piece, and takes over what it found of that, after the
  // piece was told.
  virtual void lend_run(Piece& /*piece*/, Question& /*question*/) {}
  virtual void accept_other(const Piece& /*piece*/, const SolvedThreshold& /*other*/) {}
  virtual bool restore(const Question& question, const Reply& reply) = 0;
  // Takes a piece that an earlier run began: to be divided, or, with what it had proved of it, to
  // be answered.
  virtual bool take(const Question& /*question*/, Piece& /*piece*/) { return false; }
  virtual bool resume(const Question& /*question*/, const Reply& /*reply*/, Piece& /*piece*/) {
    return false;
  }
  // For pieces that are divided into frontiers, one for each side: gives the next open side, and
  // takes its optimum.
  virtual bool open_side(Piece& /*piece*/, OpenSide<V>& /*side*/) { return false; }
  virtual void close_side(Piece& /*piece*/, const OpenSide<V>& /*side*/,
                          std::unique_ptr<Solution<V>> /*solution*/) {}
  // Solved sides next to what is open, but for those that were listed before; false: there are
  // none.
  virtual bool list_sides(Solution<V>& /*solution*/) { return false; }
  // What is known of the thresholds here, for neighbours.
  virtual void store(Solution<V>& /*solution*/) {}

  // What it keeps to be faster, as it was counted.
  virtual std::int64_t bytes() const { return 0; }

  virtual V bound() const = 0;
  // How many pieces there are that may hold a better tree, for those who watch.
  virtual std::int64_t open_pieces() const = 0;
  // After the search: the first split of the best tree with budget k, whatever was found first.
  virtual SolvedSplit<V> first_best(int k) = 0;

 protected:
  int budgets() const { return V::budgets_of(top_.budget.splits); }

  Top<V> top_;
};

}  // namespace exactree

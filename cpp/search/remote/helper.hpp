// Answers the pieces of a session in its own process: what a thread does where claims are kept.
//
// It works on the piece itself, so what was solved elsewhere helps as it does without a session
// (driver/root.cpp), and nothing is copied. One after the other:
//   take()    with the session to itself: the next piece
//   answer()  without it: for some time
//   give()    with it: tells the session, which divides a piece that is not done
#pragma once

#include <cstdint>
#include <memory>

#include "search/driver/control.hpp"
#include "search/driver/frontier.hpp"
#include "search/remote/session.hpp"

namespace exactree {

class AnyHelper {
 public:
  virtual ~AnyHelper() = default;

  virtual Asked take() = 0;
  // Whether the piece can be asked in smaller ones. Others are best answered without a limit.
  virtual bool divisible() const = 0;
  // True if it is done.
  virtual bool answer(double seconds) = 0;
  // False: there is no room to divide it, and it is to be answered with more time.
  virtual bool give() = 0;
  // From any thread: asks for what is known of the piece that it is at, and takes it, waiting so
  // long. Without costs: there is nothing.
  virtual void want_part() = 0;
  virtual Claim take_part(double seconds) = 0;
  // All that it has evaluated; for those who measure what a killed run loses.
  virtual std::int64_t evaluations() const = 0;

  // The tree of a better split, in the same three steps; only a search that is stopped needs it.
  virtual bool take_unwritten() = 0;
  virtual void write(double seconds) = 0;
  // An empty one: it was stopped before.
  virtual FoundTree give_written() = 0;
};

}  // namespace exactree

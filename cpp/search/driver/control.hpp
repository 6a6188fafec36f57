// When to stop, what was counted, and which prunings are on.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "search/value.hpp"

namespace exactree {

// Every pruning of the search, in the order of the bits that switch it off (for tests). The proof
// of each stands where it is applied.
enum class Pruning {
  kSubInterval,   // a run of thresholds between two solved ones
  kNeighbour,     // thresholds close to a solved one
  kSideCap,       // a side need not be solved beyond what could still help
  kSideKnown,     // a side is known well enough from its neighbours
  kJump,          // a scan skips rows that cannot bring it below the best
  kFloor,         // a column cannot hold a better second split
  kTransfer,      // bounds of a neighbouring subproblem, carried over
  kIncumbent,     // a good tree before the search
  kUsefulSplits,  // more splits than their penalties allow
  // Columns of two values:
  kSibling,      // a column whose sides resemble those of a solved one
  kSecondSplit,  // what a side costs at least, from its best single split
  kLookAhead,    // one level less is solved first: a start, an order and a bound
  kPairCache,    // a depth-two subproblem met before
  kArchive,      // a deeper subproblem met before
  kArchiveLike,  // a subproblem much like one met before
  // Side masks (and kArchiveLike, kSideCap, kIncumbent):
  kForced,  // single splits: errors that all masks of a branch make
  kRecent,  // single splits: masks that were best for other rows lately come first
  kBranch,  // what all masks of a branch send left, and what right, costs too much already
  // Columns of two values again:
  kConflict,  // equal rows of both classes, taken out in pairs
  // Columns of many values again:
  kQuadrant,  // the same rows, met by the same two splits in the other order
  // No depth (and kIncumbent, kSibling, kSecondSplit, kArchive, kConflict):
  kSameColumn,  // columns that part the rows alike
  kSmallSide,   // a side that weighs no more than a price
  kTwoSplits,   // a side costs what two splits make of it, or three prices; columns: see covers.hpp
  kMajority,    // a leaf that predicts too little to pay; columns: classes without a leaf
  // No depth, ranks (and kSubInterval, kNeighbour, kArchive, kArchiveLike, kLookAhead, kBranch):
  kCarving,  // a split with a leaf on one side, of which another one is no worse
};
inline constexpr int kPrunings = 25;
inline constexpr std::array<const char*, kPrunings> kPruningNames = {
    "sub_interval", "neighbour",  "side_cap",   "side_known",    "jump",
    "floor",        "transfer",   "incumbent",  "useful_splits", "sibling",
    "second_split", "look_ahead", "pair_cache", "archive",       "archive_like",
    "forced",       "recent",     "branch",     "conflict",      "quadrant",
    "same_column",  "small_side", "two_splits", "majority",      "carving"};

struct Switches {
  std::uint32_t off = 0;
  bool on(Pruning p) const { return (off >> static_cast<int>(p) & 1u) == 0; }
  // The bit after the last pruning: methods that pay only in large nodes are used in small ones
  // too, so that tests of small problems cover them.
  bool everywhere() const { return (off >> kPrunings & 1u) != 0; }
};

// What one worker did; summed at the end.
struct Counters {
  std::int64_t nodes = 0;        // subproblems opened
  std::int64_t evaluations = 0;  // thresholds whose two sides were solved by scans
  std::int64_t scans = 0;        // passes over one column for one side
  std::array<std::int64_t, kPrunings> pruned = {};

  void count(Pruning p) { ++pruned[static_cast<std::size_t>(p)]; }
  void add(const Counters& other) {
    nodes += other.nodes;
    evaluations += other.evaluations;
    scans += other.scans;
    for (std::size_t i = 0; i < pruned.size(); ++i) pruned[i] += other.pruned[i];
  }
};

enum class Status { kOptimal, kTimeLimit, kMemoryLimit, kInterrupted };

// Thrown where a limit ends a loop over the rows or columns half-way: what the loop was making is
// of no use. Control knows why.
struct Stopped {};

// Shared by all workers of one solve. Workers ask stopped() often (it is one relaxed load); the
// calling thread looks at the clock and at signals through poll().
class Control {
 public:
  using Clock = std::chrono::steady_clock;

  double time_limit = 1e300;
  std::int64_t memory_limit = 0;  // bytes, 0: none
  // Bytes up to which the search keeps what only makes it faster: ranks of pairs of columns that
  // can be made again, and what neighbouring subproblems could use.
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  std::function<bool(double)> signal;  // called with the seconds since the start; true: stop

  Control() : start_(Clock::now()) {}

  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void stop(Status why) {
    Status running = Status::kOptimal;
    why_.compare_exchange_strong(running, why);
    stop_.store(true, std::memory_order_relaxed);
  }
  Status status() const { return why_.load(); }
  // For a worker that answers questions, each with its own limit: so many seconds from now.
  void go_on(double until) {
    stop_.store(false);
    why_.store(Status::kOptimal);
    time_limit = seconds() + until;
  }

  // For any worker, now and then: the clock only.
  void check_time() {
    if (seconds() >= time_limit) stop(Status::kTimeLimit);
  }
  // For the calling thread: also signals and progress, at most every 20 ms.
  void poll() {
    const double now = seconds();
    if (now >= time_limit) stop(Status::kTimeLimit);
    if (now < next_signal_) return;
    next_signal_ = now + 0.02;
    if (signal && signal(now)) stop(Status::kInterrupted);
  }

  void use_memory(std::int64_t bytes) {
    const std::int64_t used = memory_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (used > peak && !peak_.compare_exchange_weak(peak, used)) {
    }
    if (memory_limit > 0 && used > memory_limit) stop(Status::kMemoryLimit);
  }
  // Before something is allocated that the search cannot do without.
  void need_memory(std::int64_t bytes) {
    if (memory_limit <= 0 || memory_.load(std::memory_order_relaxed) + bytes <= memory_limit)
      return;
    stop(Status::kMemoryLimit);
    throw Stopped{};
  }
  // Whether so much that only helps can be kept, within a share of the room for that.
  bool has_room(std::int64_t bytes, double share = 1) const {
    const auto used = static_cast<double>(memory_.load(std::memory_order_relaxed) + bytes);
    return used <= share * static_cast<double>(room);
  }
  std::int64_t peak_bytes() const { return peak_.load(); }

  // For those who watch: subproblems that all workers have opened, and what is open at the root
  // (-1: not counted).
  void count_nodes(std::int64_t opened) { nodes_.fetch_add(opened, std::memory_order_relaxed); }
  std::int64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  void note_open(std::int64_t pieces) { open_.store(pieces, std::memory_order_relaxed); }
  std::int64_t open_pieces() const { return open_.load(std::memory_order_relaxed); }

 private:
  Clock::time_point start_;
  double next_signal_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<Status> why_ = Status::kOptimal;
  std::atomic<std::int64_t> memory_ = 0;
  std::atomic<std::int64_t> peak_ = 0;
  std::atomic<std::int64_t> nodes_ = 0, open_ = -1;
};

}  // namespace exactree

// Makes the best tree better beside the proof, a step at a time.
//
// A step is one of these:
//   an end    a part of the last levels is solved exactly
//   a move    a split above these goes to where its sides as they are cost least (moving.hpp)
//   a graft   another split above these, and the best plan below it that starts with many splits
//   a start   the same for the first split of the tree
// Ends come first, then moves, which open the ends below them again; neither makes a tree worse.
// When nothing helps any more, the splits above the ends are replaced by others one at a time, the
// lowest first, in the order of what two levels that start with them cost, and alone a second time
// with those of all columns; then trees are started, in the order of what the first plans with
// their first splits cost. Such a tree may be worse than the best one until its ends are solved.
//
// What a step does depends on the trees that it starts from, and on nothing else. Of five levels
// and more, and where time is limited, as much work as the first plan took is done before the
// search; then the calling thread does a share of what it does between two pieces. So they come in
// the same order always, though not at the same time.
#pragma once

#include <vector>

#include "search/columns/moving.hpp"
#include "search/columns/planner.hpp"
#include "search/columns/rewriter.hpp"
#include "search/driver/frontier.hpp"

namespace exactree {

// The last levels of a tree that take little time to be solved.
inline constexpr int kImprovedLevels = 3;

template <class V>
class Improver final : public TreeImprover {
 public:
  // Whether it is worth its time.
  static bool helps(Budget budget, Switches switches);

  // All are of the calling thread. `roots` are the first splits to be tried; at most the last
  // `levels` are solved exactly. Alone, with a tree to begin with and no proof beside it, it may do
  // all that there is to do.
  Improver(Worker<V>& worker, Node& root, Budget budget, std::vector<Promising> roots, int levels,
           bool alone);

  bool has_turn() const override;
  void follow(const Incumbent& best) override;
  bool step(Cost below) override;
  Cost cost() const override { return best_cost_; }
  const Tree& tree() const override { return best_; }

 private:
  using Path = std::vector<bool>;  // from the root on, right is true
  struct End {
    Path path;
    bool open = true;
  };

  void take_step();
  void list_parts();
  void list_parts(int at, int levels, Path& path);
  void solve(End& end);
  void move(const Path& path);
  Node& walk(const Path& path, Budget& budget, int& here);
  void graft();
  void graft(const Path& path, Node& node, Budget budget, int here, const Promising& split);
  void start(const Promising& root);
  void note_best();
  void splice(int at, const Tree& part);
  int end_levels() const;

  Worker<V>& worker_;
  Node& root_;
  Budget budget_;
  std::vector<Promising> roots_;
  int levels_;
  bool alone_;
  Planner<V> planner_;
  Extractor<V> extractor_;
  Rewriter<V> rewriter_;
  Moving moving_;
  Tree best_, tree_;  // the one under way may cost more
  Cost best_cost_ = kInfinite, cost_ = kInfinite;
  std::vector<End> ends_;
  std::vector<Path> uppers_;  // splits above the ends
  std::size_t next_move_ = 0, next_root_ = 0;
  std::vector<Promising> grafts_;  // of one of the splits above the ends
  std::size_t next_graft_ = 0, next_upper_ = 0;
  std::size_t uppers_left_ = 0;  // until all were tried with the best tree
  bool widely_ = false;          // with splits of all columns, and plans that cost more
  std::int64_t first_, spent_ = 0,
                       last_ = 0;  // work of the first plan, of all steps, of the last one
};

}  // namespace exactree

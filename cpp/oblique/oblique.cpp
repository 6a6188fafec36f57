// The driver of the local search: which rounds are done from which trees, and the best tree.
//
// Several trees are grown; the better half goes on for some rounds each, the better half of these
// for twice as many, and so on; the last one until it is stuck. A tree may get a little worse on
// its way, as in simulated annealing, so the last one soon leaves the best of its trees behind.
// Then the best tree of all goes on by itself until it is stuck too, since what follows is random,
// and then the same begins again without it: beside it new trees would not last long enough.
//
// Threads. A round depends on its number and on the tree that it starts from. Several are done
// ahead, then they are looked at in order. Once one of them has changed a tree that a later one
// started from, the later ones are done again. So the tree is that of one thread.
#include "oblique/oblique.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "oblique/rounds.hpp"
#include "search/driver/threads.hpp"

namespace KERNEL_NAMESPACE {

namespace {

template <class Targets>
class LocalSearch {
 public:
  LocalSearch(const ObliqueData& data, const ObliqueRequest& request, Control& control,
              std::atomic<Cost>& shown)
      : request_(request),
        control_(control),
        shown_(shown),
        rounds_(data, request, control),
        corners_(data.classes == 2 ? 1 : 0) {
    const int given = static_cast<int>(request.starts.size());
    to_start_ = given + std::max(rounds_.anew() - given, 1) + corners_;
    std::vector<int> all(static_cast<std::size_t>(data.rows));
    std::iota(all.begin(), all.end(), 0);
    ObliqueTree::Node leaf;
    Targets(data).fill(all, leaf);
    shown_ = leaf.cost;  // until there is a tree
    result_.history.emplace_back(0.0, leaf.cost);
  }

  ObliqueResult run() {
    while (!ended()) {
      const std::vector<ObliqueTree> ahead = do_rounds(most_threads(request_.threads));
      for (const ObliqueTree& found : ahead)
        if (take(found)) break;
    }
    const bool met = result_.tree.cost <= request_.lower_bound;
    result_.status = met ? Status::kOptimal : control_.status();
    result_.rounds = round_;
    result_.scans = rounds_.scans();
    result_.seconds = control_.seconds();
    return std::move(result_);
  }

 private:
  static constexpr int kFirstRounds = 4;  // of each tree, while several go on
  static constexpr int kStuck = 150;      // rounds without a better tree
  static constexpr int kLastButOne = 2;

  bool ended() const {
    if (round_ == 0) return false;  // there is always a tree
    if (control_.stopped() || result_.tree.cost <= request_.lower_bound) return true;
    return idle_ >= request_.idle_rounds;
  }

  // What to do in the k-th round from now, if nothing changes before.
  Task task(int k) const {
    const std::int64_t round = round_ + k;
    if (to_start_ > k) {
      const auto given = static_cast<std::int64_t>(request_.starts.size());
      if (round < given)
        return {round, &request_.starts[static_cast<std::size_t>(round)], Task::kGiven};
      return {round, nullptr,
              corners_ > 0 && to_start_ - k == kLastButOne ? Task::kCorners : Task::kAnew};
    }
    const auto at = static_cast<std::size_t>(done_ + k) % trees_.size();
    return {round, &trees_[at], Task::kOnward};
  }

  // As many as there can be threads, and memory, for: the search is the same with fewer ahead.
  std::vector<ObliqueTree> do_rounds(int many) {
    if (to_start_ > 0) many = std::min(many, to_start_);
    std::vector<ObliqueTree> found(static_cast<std::size_t>(many));
    std::vector<std::exception_ptr> failures(found.size());
    std::vector<char> short_of_memory(found.size(), 0);
    const auto work = [&](int k) {
      try {
        found[static_cast<std::size_t>(k)] = rounds_.run(task(k), k == 0);
      } catch (const std::bad_alloc&) {
        short_of_memory[static_cast<std::size_t>(k)] = 1;
      } catch (...) {
        failures[static_cast<std::size_t>(k)] = std::current_exception();
        control_.stop(Status::kInterrupted);
      }
    };
    std::vector<std::thread> others;
    try {
      others.reserve(found.size());
      for (int k = 1; k < many; ++k) others.emplace_back(work, k);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    work(0);
    for (std::thread& t : others) t.join();
    found.resize(others.size() + 1);
    for (std::size_t k = 0; k < failures.size(); ++k) {
      if (k == 0 && short_of_memory[k]) throw std::bad_alloc();
      if (short_of_memory[k]) found.resize(std::min(found.size(), k));
      if (failures[k]) std::rethrow_exception(failures[k]);
    }
    return found;
  }

  // Looks at the tree of the next round. True if rounds done ahead are of no use any more.
  bool take(const ObliqueTree& found) {
    const std::int64_t round = round_++;
    ++idle_;
    if (found.cost < result_.tree.cost) {
      result_.tree = found;
      result_.history.emplace_back(control_.seconds(), found.cost);
      shown_ = found.cost;
      idle_ = 0;
    }
    if (ended()) return true;
    if (to_start_ > 0) {
      trees_.push_back(found);
      if (--to_start_ == 0) narrow(std::max<std::size_t>(2, trees_.size() / 2));
      return to_start_ == 0;
    }
    const bool changed = accept(found, round);
    ++done_;
    if (trees_.size() > 1 && done_ == static_cast<std::int64_t>(trees_.size()) * share_) {
      narrow(trees_.size() / 2);
      return true;
    }
    if (trees_.size() == 1 && stuck_ > kStuck) {
      best_goes_on_ = !best_goes_on_;
      if (best_goes_on_)
        trees_ = {result_.tree}, stuck_ = 0, lowest_ = result_.tree.cost;
      else
        begin_again();
      return true;
    }
    return changed;
  }

  // Keeps the best trees, each for twice as many rounds as before.
  void narrow(std::size_t many) {
    const auto lower = [](const ObliqueTree& a, const ObliqueTree& b) { return a.cost < b.cost; };
    std::stable_sort(trees_.begin(), trees_.end(), lower);
    if (trees_.size() > many) trees_.resize(many);
    share_ = share_ == 0 ? kFirstRounds : 2 * share_;
    done_ = 0;
    stuck_ = 0;
  }

  void begin_again() {
    trees_.clear();
    to_start_ = rounds_.anew() + corners_;
    share_ = 0;
  }

  // Whether a tree goes on from here: one that is worse by a random part of what may be saved may,
  // so that the search leaves places where every change makes the tree worse. That is counted from
  // the best tree on the way, as otherwise many such steps would lead far up.
  bool accept(const ObliqueTree& found, std::int64_t round) {
    ObliqueTree& present = trees_[static_cast<std::size_t>(done_) % trees_.size()];
    if (trees_.size() > 1) lowest_ = kInfinite;
    ++stuck_;
    if (found.cost < lowest_) lowest_ = found.cost, stuck_ = 0;
    Random random(request_.seed, ~static_cast<std::uint64_t>(round));
    const Cost from = std::min(lowest_, present.cost);
    const auto saved = static_cast<double>(from - request_.lower_bound);
    const double worse = Targets::kWorse * random.exponential() * saved;
    if (found.cost > present.cost && static_cast<double>(found.cost - from) > worse) return false;
    present = found;
    return true;
  }

  const ObliqueRequest& request_;
  Control& control_;
  std::atomic<Cost>& shown_;
  Rounds<Targets> rounds_;
  // So many of the trees grown at first begin between corners; of more classes than two, even a
  // plane that others have to follow parts some from some.
  int corners_;
  ObliqueResult result_;
  std::vector<ObliqueTree> trees_;  // those that go on
  int to_start_;                    // so many trees are still to be given or grown
  std::int64_t round_ = 0;          // of all
  std::int64_t done_ = 0;           // rounds with these trees, which take turns
  std::int64_t share_ = 0;          // rounds for each of these trees
  Cost lowest_ = kInfinite;         // cost of the last tree on its way
  int idle_ = 0, stuck_ = 0;
  bool best_goes_on_ = false;  // after it was stuck
};

}  // namespace

ObliqueResult oblique_search(const ObliqueData& data, const ObliqueRequest& request,
                             Control& control, std::atomic<Cost>& best) {
  if (data.prices != nullptr) return LocalSearch<Answers>(data, request, control, best).run();
  if (data.classes > 0) return LocalSearch<Classes>(data, request, control, best).run();
  return LocalSearch<Numbers>(data, request, control, best).run();
}

}  // namespace KERNEL_NAMESPACE

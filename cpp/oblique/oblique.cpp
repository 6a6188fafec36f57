// The driver of the local search: rounds, one after the other or several at once, and the best
// tree.
//
// Threads. A round depends on its number and on the present tree. Several are done ahead from the
// same present tree; they are then looked at in order, and from the first that changes the present
// tree on the others are done again. So the tree is that of one thread.
#include "oblique/oblique.hpp"

#include <exception>
#include <thread>

#include "oblique/rounds.hpp"

namespace KERNEL_NAMESPACE {

namespace {

template <class Targets>
class LocalSearch {
 public:
  LocalSearch(const ObliqueData& data, const ObliqueRequest& request, Control& control,
              std::atomic<Cost>& shown)
      : request_(request), control_(control), shown_(shown), rounds_(data, request, control) {}

  ObliqueResult run() {
    while (!ended()) {
      const std::vector<ObliqueTree> ahead = do_rounds(std::max(1, request_.threads));
      for (const ObliqueTree& found : ahead)
        if (take(found)) break;
    }
    result_.status =
        result_.tree.cost <= request_.lower_bound ? Status::kOptimal : control_.status();
    result_.rounds = round_;
    result_.scans = rounds_.scans();
    result_.seconds = control_.seconds();
    return std::move(result_);
  }

 private:
  bool ended() const {
    if (round_ == 0) return false;  // there is always a tree
    if (control_.stopped() || result_.tree.cost <= request_.lower_bound) return true;
    return idle_ >= request_.idle_rounds && round_ >= rounds_.starting();
  }

  std::vector<ObliqueTree> do_rounds(int many) {
    std::vector<ObliqueTree> found(static_cast<std::size_t>(many));
    std::vector<std::exception_ptr> failures(found.size());
    const auto work = [&](std::size_t k) {
      try {
        found[k] = rounds_.run(round_ + static_cast<std::int64_t>(k), present_, k == 0);
      } catch (...) {
        failures[k] = std::current_exception();
        control_.stop(Status::kInterrupted);
      }
    };
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < found.size(); ++k) others.emplace_back(work, k);
    work(0);
    for (std::thread& t : others) t.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
    return found;
  }

  // Looks at the tree of the next round. True if rounds done ahead are of no use any more.
  bool take(const ObliqueTree& found) {
    const bool starting = round_ < rounds_.starting();
    const std::int64_t round = round_++;
    ++idle_;
    if (found.cost < result_.tree.cost) {
      result_.tree = found;
      result_.history.emplace_back(control_.seconds(), found.cost);
      shown_ = found.cost;
      idle_ = 0;
    }
    if (ended()) return true;
    if (starting) {
      present_ = result_.tree;
      return round_ == rounds_.starting();
    }
    return accept(found, round);
  }

  // Whether the search goes on from here. One that is stuck may get a little worse, and goes back
  // to the best tree in the end; trees as good as the present one are taken now and then.
  bool accept(const ObliqueTree& found, std::int64_t round) {
    constexpr int kPatient = 30, kLost = 100, kEvery = 3;
    const Cost slack = stuck_ > kPatient ? present_.cost / 200 : 0;
    const bool better = found.cost < present_.cost;
    ++stuck_;
    if (better || (found.cost <= present_.cost + slack && round % kEvery == 0)) {
      present_ = found;
      if (better) stuck_ = 0;
      return true;
    }
    if (stuck_ <= kLost) return false;
    present_ = result_.tree;
    stuck_ = 0;
    return true;
  }

  const ObliqueRequest& request_;
  Control& control_;
  std::atomic<Cost>& shown_;
  Rounds<Targets> rounds_;
  ObliqueResult result_;
  ObliqueTree present_;
  std::int64_t round_ = 0;
  int idle_ = 0, stuck_ = 0;
};

}  // namespace

ObliqueResult oblique_search(const ObliqueData& data, const ObliqueRequest& request,
                             Control& control, std::atomic<Cost>& best) {
  if (data.classes > 0) return LocalSearch<Classes>(data, request, control, best).run();
  return LocalSearch<Numbers>(data, request, control, best).run();
}

}  // namespace KERNEL_NAMESPACE

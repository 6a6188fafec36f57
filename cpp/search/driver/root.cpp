#include "search/driver/root.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "search/driver/threads.hpp"

namespace exactree {

template <class V>
RootSearch<V>::RootSearch(const Problem& data, const SearchRequest& request, MakeRoot make_root,
                          Control& control, SearchProgress& progress, SearchResult& result)
    : data_(data),
      request_(request),
      make_root_(make_root),
      control_(control),
      result_(result),
      budget_(budget_of(request, data)),
      worker_(data, control, request.switches, true),
      incumbents_(request, budget_, control, progress, result) {
  read_root();
  worker_.start(*root_);
  frontier_ = worker_.source().frontier({data, request, *root_, budget_, worker_, incumbents_});
}

// A search that is stopped while it reads its columns needs no more than the leaf, which all
// columns agree on: the first one will do.
template <class V>
void RootSearch<V>::read_root() {
  try {
    root_ = make_root_(data_, worker_.work());
  } catch (const Stopped&) {
    Problem first = data_;
    first.features = std::min(first.features, 1);
    Workspace unlimited;
    root_ = make_root_(first, unlimited);
  }
  control_.use_memory(root_->bytes());
}

template <class V>
void RootSearch<V>::run() {
  incumbents_.start(root_->leaf(), root_->label());
  incumbents_.report();
  try {
    if (!control_.stopped() && budget_.depth > 0 && root_->leaf() > 0) search();
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  }
  conclude();
}

template <class V>
void RootSearch<V>::conclude() {
  if (control_.stopped()) {
    incumbents_.raise_bound(frontier_->bound());
  } else {
    canonical_trees();
    incumbents_.close();
  }
  // Only now: a limit that is reached while trees are written down leaves earlier, worse trees.
  result_.status = control_.status();
  result_.counters.add(worker_.work().counters);
  incumbents_.answer(*root_);
}

template <class V>
void RootSearch<V>::search() {
  if (!frontier_->open(nullptr) || control_.stopped()) return;
  std::unique_lock lock(mutex_);
  improve(lock, request_.start.empty() ? kAnyPlace : kBeside);
  lock.unlock();
  if (!request_.prove) return control_.stop(Status::kTimeLimit);
  run_threads(frontier_->worth_threads() ? std::max(1, request_.threads) : 1);
}

namespace {

// Whether the system has memory for so many more threads: their stacks, and what their libraries
// take, which end the process if they get none.
bool can_feed(int threads) {
  void* volatile probe = std::malloc(static_cast<std::size_t>(threads) * (std::size_t{192} << 20));
  const bool fed = probe != nullptr;
  std::free(probe);
  return fed;
}

}  // namespace

// As many threads as there can be; the search is the same with fewer.
template <class V>
void RootSearch<V>::run_threads(int threads) {
  threads = most_threads(threads);
  std::vector<std::thread> others;
  std::exception_ptr failure;
  // Where there is not enough for all, one has to have its own before the next is started.
  const bool plenty = can_feed(threads);
  try {
    others.reserve(static_cast<std::size_t>(threads));
    for (int i = 1; i < threads && (plenty || can_feed(1)); ++i) {
      others.emplace_back([this, &failure] { guarded(false, failure); });
      std::unique_lock lock(mutex_);
      if (!plenty) wake_.wait(lock, [this, i] { return set_up_ == i; });
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  guarded(true, failure);
  for (auto& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
}

template <class V>
void RootSearch<V>::guarded(bool calling, std::exception_ptr& failure) {
  try {
    if (calling)
      work(worker_, *root_, true);
    else
      work_elsewhere();
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure = std::current_exception();
    control_.stop(Status::kInterrupted);
  }
  wake_.notify_all();
}

// Of another thread: it has its own copy of the root, which is completed as it is used. If there is
// no memory for that, the others go on without it.
template <class V>
void RootSearch<V>::work_elsewhere() {
  Worker<V> worker(data_, control_, request_.switches, false);
  std::unique_ptr<Node> root;
  const bool ready = set_up(worker, root);
  {
    const std::lock_guard lock(mutex_);
    ++set_up_;
    if (ready) ++result_.threads;
  }
  wake_.notify_all();
  if (!ready) return;
  work(worker, *root, false);
  const std::lock_guard lock(mutex_);
  result_.counters.add(worker.work().counters);
}

template <class V>
bool RootSearch<V>::set_up(Worker<V>& worker, std::unique_ptr<Node>& root) {
  try {
    if (!control_.has_room(root_->bytes())) return false;
    root = make_root_(data_, worker.work());
    control_.use_memory(root->bytes());
    worker.start(*root);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const Stopped&) {
    return false;
  }
}

// Until there may be something to do. The user's function is not called while others wait for the
// lock.
template <class V>
void RootSearch<V>::wait(bool calling, std::unique_lock<std::mutex>& lock) {
  wake_.wait_for(lock, std::chrono::milliseconds(5));
  if (!calling) return;
  lock.unlock();
  control_.poll();
  lock.lock();
}

template <class V>
void RootSearch<V>::work(Worker<V>& worker, Node& root, bool calling) {
  Extractor<V> extractor(worker);
  const std::unique_ptr<Piece> piece = frontier_->piece();
  std::unique_lock lock(mutex_);
  while (!control_.stopped()) {
    if (calling) improve(lock, kBeside);
    const Asked asked = frontier_->ask(worker, *piece);
    if (asked == Asked::kNone) break;
    if (asked == Asked::kBusy) {
      wait(calling, lock);
      continue;
    }
    lock.unlock();
    frontier_->answer(worker, root, *piece);
    lock.lock();
    frontier_->tell(worker, *piece, !control_.stopped());
    if (control_.stopped()) break;
    if (control_.seconds() >= kFirstTree) write_trees(root, extractor, lock);
    note_bound();
    wake_.notify_all();
  }
  wake_.notify_all();
}

template <class V>
void RootSearch<V>::write_trees(Node& root, Extractor<V>& extractor,
                                std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const auto at = incumbents_.next_unwritten();
    if (at.split.feature < 0) return;
    lock.unlock();
    Tree tree;
    const Cost cost =
        extractor.extract_at(root, budget_, incumbents_.splits_of(at.k), at.cost, at.split, tree);
    lock.lock();
    if (control_.stopped()) return;
    incumbents_.written(at.k, cost, std::move(tree));
  }
}

// As many steps as it has turns for. Told at once: whatever is asked for next has to be below its
// tree.
template <class V>
void RootSearch<V>::improve(std::unique_lock<std::mutex>& lock, int place) {
  TreeImprover* const improver = frontier_->improver();
  while (improver != nullptr && !control_.stopped() && !incumbents_.reached(place)) {
    improver->follow(incumbents_[0]);
    if (!improver->has_turn()) return;
    const Cost below = incumbents_[0].value;
    lock.unlock();
    const bool better = improver->step(below);
    lock.lock();
    if (!better || control_.stopped() || !incumbents_.improves(0, improver->cost())) continue;
    incumbents_.take_tree(0, improver->cost(), improver->tree(), place);
    incumbents_.report();
  }
}

// Now and then, for those who watch, and always for tests.
template <class V>
void RootSearch<V>::note_bound() {
  if (control_.seconds() < next_bound_ && !request_.switches.everywhere()) return;
  if (incumbents_.raise_bound(frontier_->bound())) incumbents_.report();
  control_.note_open(frontier_->open_pieces());
  next_bound_ = control_.seconds() + kBoundEvery;
}

template <class V>
void RootSearch<V>::canonical_trees() try {
  Extractor<V> extractor(worker_);
  for (std::size_t k = 0; k < incumbents_.size(); ++k) {
    const Incumbent& best = incumbents_[k];
    if (!best.wanted || best.place == kKnownBefore || best.place >= kBeside) continue;
    const SolvedSplit<V> split = frontier_->first_best(static_cast<int>(k));
    if (control_.stopped()) break;  // keep the one that was found
    Tree tree;
    extractor.extract_at(*root_, budget_, incumbents_.splits_of(k), best.value, split, tree);
    if (control_.stopped()) break;
    incumbents_.settle_tree(k, std::move(tree));
  }
} catch (const Stopped&) {
}

template class RootSearch<One>;
template class RootSearch<Curve<8>>;
template class RootSearch<Curve<32>>;

}  // namespace exactree

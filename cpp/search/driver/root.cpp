#include "search/driver/root.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace exactree {

template <class V>
RootSearch<V>::RootSearch(const Problem& data, const SearchRequest& request, MakeRoot make_root,
                          Control& control, SearchProgress& progress, SearchResult& result)
    : data_(data),
      request_(request),
      make_root_(make_root),
      control_(control),
      result_(result),
      root_(make_root(data)),
      budget_(budget_of(request, data)),
      worker_(data, control, request.switches, true, *root_),
      incumbents_(request, budget_, control, progress, result),
      frontier_(worker_.source().frontier({data, request, *root_, budget_, worker_, incumbents_})) {
  control_.use_memory(root_->bytes());
}

template <class V>
Budget RootSearch<V>::budget_of(const SearchRequest& request, const Problem& data) {
  const int most = std::max(data.rows - 1, 0);
  int splits = request.max_splits < 0 ? most : std::min(request.max_splits, most);
  if (request.sizes) splits = request.max_splits;
  return Budget::of(request.max_depth, splits);
}

template <class V>
void RootSearch<V>::run() {
  incumbents_.start(root_->leaf(), root_->label());
  // No split and one split need no search; see Worker::settle_small.
  if (incumbents_.size() > 1) incumbents_.settle(0), incumbents_.settle(1);
  incumbents_.report();
  bool complete = true;
  if (budget_.depth > 0 && root_->leaf() > 0) {
    complete = frontier_->open();
    if (complete) {
      run_threads(frontier_->worth_threads() ? std::max(1, request_.threads) : 1);
      complete = !control_.stopped();
    }
  }
  if (complete) {
    canonical_trees();
    incumbents_.close();
  } else {
    incumbents_.raise_bound(frontier_->bound());
  }
  // Only now: a limit may be reached while the trees are written down, which leaves worse ones.
  result_.status = control_.status();
  result_.counters.add(worker_.work().counters);
  incumbents_.answer(*root_);
}

template <class V>
void RootSearch<V>::run_threads(int threads) {
  std::vector<std::thread> others;
  std::exception_ptr failure;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([this, &failure] { guarded(false, failure); });
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
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure = std::current_exception();
    control_.stop(Status::kInterrupted);
    wake_.notify_all();
  }
}

// Of another thread: it has its own copy of the root, which is completed as it is used.
template <class V>
void RootSearch<V>::work_elsewhere() {
  const std::unique_ptr<Node> root = make_root_(data_);
  control_.use_memory(root->bytes());
  Worker<V> worker(data_, control_, request_.switches, false, *root);
  work(worker, *root, false);
  const std::lock_guard lock(mutex_);
  result_.counters.add(worker.work().counters);
}

template <class V>
void RootSearch<V>::work(Worker<V>& worker, Node& root, bool calling) {
  Extractor<V> extractor(worker);
  const std::unique_ptr<Piece> piece = frontier_->piece();
  std::unique_lock lock(mutex_);
  while (!control_.stopped()) {
    const Asked asked = frontier_->ask(worker, *piece);
    if (asked == Asked::kNone) break;
    if (asked == Asked::kBusy) {
      wake_.wait_for(lock, std::chrono::milliseconds(5));
      if (calling) control_.poll();
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

// Writing trees down takes as long as many evaluations, and only a search that is stopped needs
// them before its end: those of the first moments wait.
template <class V>
void RootSearch<V>::write_trees(Node& root, Extractor<V>& extractor,
                                std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const auto at = incumbents_.next_unwritten();
    if (at.split.feature < 0) return;
    lock.unlock();
    Tree tree;
    extractor.extract_at(root, budget_, incumbents_.splits_of(at.k), at.cost, at.split, tree);
    lock.lock();
    if (control_.stopped()) return;
    incumbents_.written(at.k, at.cost, std::move(tree));
  }
}

// Now and then, for those who watch.
template <class V>
void RootSearch<V>::note_bound() {
  if (control_.seconds() < next_bound_) return;
  if (incumbents_.raise_bound(frontier_->bound())) incumbents_.report();
  next_bound_ = control_.seconds() + kBoundEvery;
}

template <class V>
void RootSearch<V>::canonical_trees() {
  Extractor<V> extractor(worker_);
  for (std::size_t k = 0; k < incumbents_.size(); ++k) {
    const Incumbent& best = incumbents_[k];
    if (!best.wanted || best.place == kKnownBefore) continue;
    const SolvedSplit<V> split = frontier_->first_best(static_cast<int>(k));
    if (control_.stopped()) break;  // keep the one that was found
    Tree tree;
    extractor.extract_at(*root_, budget_, incumbents_.splits_of(k), best.value, split, tree);
    if (control_.stopped()) break;
    incumbents_.take_tree(k, best.value, std::move(tree));
  }
}

template class RootSearch<One>;
template class RootSearch<Curve<8>>;
template class RootSearch<Curve<32>>;

}  // namespace exactree

#include "search/driver/root.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "search/audit/claims.hpp"
#include "search/columns/greedy_split.hpp"
#include "search/driver/incumbent.hpp"

namespace exactree {

template <class V>
void RootSearch<V>::run() {
  start_with_leaf();
  if (root_->masks() != nullptr) {
    if (budget_.depth > 0 && root_->leaf() > 0) run_masks();
  } else if (budget_.depth > 0 && root_->leaf() > 0 && data_.features > 0) {
    if (root_->binary() != nullptr)
      plan_binary();
    else
      plan_incumbents();
    // A limit may be reached before there is anything to search.
    complete_ = !control_.stopped();
    if (budget_.depth >= 2 && complete_ && !solved_) search_all();
  }
  finish();
}

// What a threshold of the o-th column must cost less than. Ties go to the first column in the
// order, whenever it is searched: a column before the owner may still match its cost.
template <class V>
V RootSearch<V>::goal(int o) const {
  V v = V::constant(-kInfinite, V::budgets_of(budget_.splits));
  for (std::size_t k = 0; k < best_.size(); ++k)
    if (best_[k].wanted && !best_[k].settled && !reached(best_[k], o))
      v.set(static_cast<int>(k), best_[k].proved + (best_[k].owner > o ? 1 : 0));
  return v;
}

// Nothing is below the bound known beforehand; only a tie in an earlier column could matter.
template <class V>
bool RootSearch<V>::reached(const Best& b, int o) const {
  return b.proved <= request_.lower_bound && b.owner <= o;
}

template <class V>
void RootSearch<V>::start_with_leaf() {
  Tree leaf(1);
  leaf[0].label = root_->label();
  for (Best& b : best_) {
    b.cost = root_->leaf();
    b.proved = std::min(b.cost, request_.upper_bound);
    b.tree = leaf;
  }
  if (best_.size() > 1) settle_small();
  report();
}

// No split and one split need no search; see Worker::solve.
template <class V>
void RootSearch<V>::settle_small() {
  best_[0].settled = best_[1].settled = true;
  if (!best_[1].wanted) return;
  Cost cost = 0;
  const SingleSplit split = best_split(*root_, data_, Criterion::kErrors, &cost);
  if (split.feature < 0 || cost + data_.penalty >= root_->leaf()) return;
  Tree tree;
  Extractor<V>(worker_).extract(*root_, Budget::of(1, 1), 1, cost + data_.penalty, tree);
  if (control_.stopped()) return;  // the tree may be a mere leaf
  best_[1].proved = best_[1].cost = cost + data_.penalty;
  best_[1].tree = std::move(tree);
}

template <class V>
void RootSearch<V>::plan_incumbents() {
  Planner<V> planner(worker_);
  for (const Effort effort : {Effort::kGreedy, Effort::kManyRoots}) {
    if (budget_.depth <= 2 && effort == Effort::kManyRoots) break;
    if (std::all_of(best_.begin(), best_.end(), [this](const Best& b) { return reached(b, 0); }))
      break;
    // One split is found by a pass; deeper trees need the search, and it a start to be pruned by.
    if (budget_.depth >= 2 && !request_.switches.on(Pruning::kIncumbent)) break;
    const auto plan = planner.plan(*root_, budget_, effort, goal(0));
    for (std::size_t k = 0; k < best_.size(); ++k) {
      Best& b = best_[k];
      if (!b.wanted || b.settled || plan->value[static_cast<int>(k)] >= b.proved) continue;
      if (control_.stopped()) return;
      Tree tree;
      planner.draw(*root_, *plan, best_.size() > 1 ? static_cast<int>(k) : budget_.splits, tree);
      if (control_.stopped()) return;
      b.proved = b.cost = plan->value[static_cast<int>(k)];
      EXACTREE_CLAIM(claims::tree("incumbent", *root_, tree, b.cost));
      b.tree = std::move(tree);
      worker_.work().counters.count(Pruning::kIncumbent);
    }
    report();
    if (control_.stopped()) break;
  }
  if (!planner.columns().empty()) order_ = complete(planner.columns());
  tried_ = planner.take_tried();
}

template <class V>
void RootSearch<V>::take_plan(Budget budget, const Solution<V>& ahead) {
  Extractor<V> extractor(worker_);
  for (std::size_t k = 0; k < best_.size(); ++k) {
    Best& b = best_[k];
    const Cost cost = ahead.upper[static_cast<int>(k)];
    if (!b.wanted || cost >= b.proved) continue;
    Tree tree;
    extractor.extract(*root_, budget, std::min(splits_of(k), budget.splits), cost, tree);
    if (control_.stopped()) return;
    b.proved = b.cost = cost;
    b.tree = std::move(tree);
    worker_.work().counters.count(Pruning::kIncumbent);
  }
  report();
}

template <class V>
std::vector<int> RootSearch<V>::complete(std::vector<int> columns) const {
  for (int f = 0; f < data_.features; ++f)
    if (std::find(columns.begin(), columns.end(), f) == columns.end()) columns.push_back(f);
  return columns;
}

template <class V>
void RootSearch<V>::search_all() {
  frame_ = {root_.get(), budget_, {}};
  chains_.resize(order_.size());
  busy_.assign(order_.size(), 0);
  taken_.assign(order_.size(), 0);
  // A tree of two levels is over before a thread has started.
  run_threads(budget_.depth >= 3 ? std::max(1, request_.threads) : 1);
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
  complete_ = !control_.stopped();
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
  Worker<V> worker(data_, control_, request_.switches, false);
  const std::unique_ptr<Node> root = make_root_(data_);
  control_.use_memory(root->bytes());
  work(worker, *root, false);
  const std::lock_guard lock(mutex_);
  result_.counters.add(worker.work().counters);
}

template <class V>
void RootSearch<V>::work(Worker<V>& worker, Node& root, bool calling) {
  if (MaskNode* masks = root.masks()) {
    work_on_branches(worker, *masks, calling);
    return;
  }
  Extractor<V> extractor(worker);
  Frame<V> frame{&root, budget_, {}};
  Job<V> job;
  std::unique_lock lock(mutex_);
  while (!control_.stopped()) {
    const int o = take(worker, job);
    if (o < 0) {
      if (std::none_of(busy_.begin(), busy_.end(), [](int n) { return n > 0; })) break;
      wake_.wait_for(lock, std::chrono::milliseconds(5));
      if (calling) control_.poll();
      continue;
    }
    const int f = order_[static_cast<std::size_t>(o)];
    ++busy_[static_cast<std::size_t>(o)];
    lock.unlock();
    worker.evaluate(frame, f, job);
    lock.lock();
    --busy_[static_cast<std::size_t>(o)];
    if (control_.stopped()) break;
    const V found = worker.commit(frame_, *chains_[static_cast<std::size_t>(o)], job);
    tell_siblings(static_cast<std::size_t>(o), job.task);
    accept(found, o, job.task.entry);
    if (control_.seconds() >= kFirstTree) write_trees(*frame.node, extractor, lock);
    note_bound();
    wake_.notify_all();
  }
  wake_.notify_all();
}

// Takes the next threshold to evaluate; the index of its column in the order, -1 if none is open.
// All columns get one, then two more, then four more, and so on: the bound of the whole is that
// of the column of which least is known, and a search that is stopped should have proved much.
template <class V>
int RootSearch<V>::take(Worker<V>& worker, Job<V>& job) {
  for (;;) {
    bool more = false;
    for (std::size_t o = 0; o < order_.size(); ++o) {
      if (taken_[o] >= share_) {
        more = true;
        continue;
      }
      if (take_of(o, worker, job)) return static_cast<int>(o);
    }
    if (!more) return -1;
    share_ = 2 * share_ + 1;
  }
}

// What the planner solved is known from the start. It was solved for a target, the best plan until
// then, that the best cost is not above now: as after an evaluation, there is no more to look for.
template <class V>
void RootSearch<V>::start_chain(std::size_t o, Worker<V>& worker) {
  chains_[o] = std::make_unique<Chain<V>>();
  chains_[o]->start(worker.context(frame_, order_[o]), nullptr, 0, budget_.depth == 2,
                    worker.work().counters);
  for (TriedSplit<V>& tried : tried_) {
    if (tried.feature != order_[o]) continue;
    Job<V> job;
    job.task = chains_[o]->task_at(tried.position);
    for (int s = 0; s < 2; ++s) {
      job.lo[s] = tried.lo[s];
      job.hi[s] = tried.hi[s];
      job.kids[s] = std::move(tried.kids[s]);
    }
    worker.commit(frame_, *chains_[o], job);
  }
  chains_[o]->reopen(root_->rows());
}

template <class V>
bool RootSearch<V>::take_of(std::size_t o, Worker<V>& worker, Job<V>& job) {
  if (!chains_[o]) start_chain(o, worker);
  const V target = goal(static_cast<int>(o));
  if (!chains_[o]->pick(target, job.task, worker.work().counters)) return false;
  if (barred_by_siblings(o, job.task, target, worker)) return false;
  ++taken_[o];
  worker.prepare(frame_, *chains_[o], target, job);
  return true;
}

// Takes over a better cost, and the tree that has it.
template <class V>
void RootSearch<V>::accept(const V& found, int o, int entry) {
  const V target = goal(o);
  const Chain<V>& chain = *chains_[static_cast<std::size_t>(o)];
  for (std::size_t k = 0; k < best_.size(); ++k) {
    const int i = static_cast<int>(k);
    if (!best_[k].wanted || found[i] >= target[i]) continue;
    best_[k].proved = found[i];
    best_[k].owner = o;
    if (found[i] < best_[k].cost)
      unwritten_[k] = {found[i], Extractor<V>::split_at(frame_, chain, entry)};
  }
}

// Writing trees down takes as long as many evaluations, and only a search that is stopped needs
// them before its end: those of the first moments wait.
template <class V>
void RootSearch<V>::write_trees(Node& node, Extractor<V>& extractor,
                                std::unique_lock<std::mutex>& lock) {
  for (std::size_t k = 0; k < best_.size(); ++k) {
    const Unwritten at = std::exchange(unwritten_[k], {});
    if (at.split.feature < 0) continue;
    lock.unlock();
    Tree tree;
    extractor.extract_at(node, budget_, splits_of(k), at.cost, at.split, tree);
    lock.lock();
    if (control_.stopped()) return;
    if (at.cost < best_[k].cost) best_[k].cost = at.cost, best_[k].tree = std::move(tree);
    report();
  }
}

template <class V>
int RootSearch<V>::splits_of(std::size_t k) const {
  return best_.size() > 1 ? static_cast<int>(k) : budget_.splits;
}

template <class V>
void RootSearch<V>::finish() {
  if (complete_) {
    canonical_trees();
    shown_bound_ = V::constant(kInfinite, budgets());
  } else {
    raise_to(shown_bound_, open_bound());
  }
  // Only now: a limit may be reached while the trees are written down, which leaves worse ones.
  result_.status = control_.status();
  const V& open = shown_bound_;
  for (std::size_t k = 0; k < best_.size(); ++k) {
    Best& b = best_[k];
    if (!b.wanted) continue;
    const Cost lower =
        std::max(request_.lower_bound, std::min(b.proved, open[static_cast<int>(k)]));
    EXACTREE_CLAIM(claims::tree("extract", *root_, b.tree, b.cost));
    EXACTREE_CLAIM(claims::answer(*root_, budget_, best_.size() > 1 ? static_cast<int>(k) : -1,
                                  b.cost, std::min(lower, b.cost)));
    result_.answers.push_back({b.cost, std::min(lower, b.cost), std::move(b.tree)});
  }
  const bool closed = std::all_of(result_.answers.begin(), result_.answers.end(),
                                  [](const auto& a) { return a.objective == a.lower_bound; });
  if (closed) result_.status = Status::kOptimal;
  result_.counters.add(worker_.work().counters);
  for (auto& answer : result_.answers) {
    answer.objective += request_.offset;
    answer.lower_bound += request_.offset;
  }
  const auto& last = result_.answers.back();
  result_.history.emplace_back(control_.seconds(), last.objective, last.lower_bound);
}

// The trees that do not depend on timing; see extract.hpp.
template <class V>
void RootSearch<V>::canonical_trees() {
  Extractor<V> extractor(worker_);
  for (std::size_t k = 0; k < best_.size(); ++k) {
    Best& b = best_[k];
    if (!b.wanted || b.owner < 0) continue;
    if (!branches_.empty()) {
      Tree tree = tree_at(extractor, *root_, k, first_splits_[k], b.proved);
      if (control_.stopped()) break;
      b.cost = b.proved;
      b.tree = std::move(tree);
      continue;
    }
    Chain<V>& chain = *chains_[static_cast<std::size_t>(b.owner)];
    const int f = order_[static_cast<std::size_t>(b.owner)], i = static_cast<int>(k);
    const int at = extractor.first_threshold(frame_, chain, f, i, b.proved);
    if (control_.stopped()) break;  // keep the one that was found
    Tree tree;
    extractor.extract_at(*root_, budget_, splits_of(k), b.proved,
                         Extractor<V>::split_at(frame_, chain, at), tree);
    if (control_.stopped()) break;
    b.cost = b.proved;
    b.tree = std::move(tree);
  }
}

// No tree that is not known costs less than this, after a search that did not finish.
template <class V>
V RootSearch<V>::open_bound() const {
  V known = V::constant(request_.lower_bound, budgets());
  if (best_.size() > 1) known.set(0, kInfinite);  // the leaf
  if (chains_.empty() && branches_.empty()) return known;
  V bound = V::constant(kInfinite, budgets());
  for (const auto& chain : chains_) lower_to(bound, chain ? chain->open_bound() : known);
  for (const RootBranch& at : branches_) lower_to(bound, at.bound);
  for (std::size_t k = 0; k < best_.size(); ++k)
    if (best_[k].settled) bound.set(static_cast<int>(k), kInfinite);
  return bound;
}

// Now and then, for those who watch. A bound that was proved stays proved.
template <class V>
void RootSearch<V>::note_bound() {
  if (control_.seconds() < next_bound_) return;
  const Cost before = shown_bound_.most();
  raise_to(shown_bound_, open_bound());
  if (shown_bound_.most() > before) report();
  next_bound_ = control_.seconds() + kBoundEvery;
}

template <class V>
void RootSearch<V>::report() {
  const Best& last = best_.back();
  const Cost proved = std::min(std::max(request_.lower_bound, shown_bound_.most()), last.proved);
  const Cost cost = last.cost + request_.offset, bound = proved + request_.offset;
  progress_.objective = cost;
  progress_.lower_bound = bound;
  result_.history.emplace_back(control_.seconds(), cost, bound);
}

template class RootSearch<One>;
template class RootSearch<Curve<8>>;
template class RootSearch<Curve<32>>;

}  // namespace exactree

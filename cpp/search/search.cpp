#include "search/search.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "search/cancel.hpp"
#include "search/claims.hpp"
#include "search/extract.hpp"
#include "search/incumbent.hpp"
#include "search/mask_plan.hpp"
#include "search/splits.hpp"
#include "search/worker.hpp"

namespace exactree {

namespace {

// What was found so far for one number of splits.
struct Best {
  bool wanted = false;
  bool settled = false;     // there is nothing below it
  Cost proved = kInfinite;  // no tree met so far costs less
  int owner = -1;           // which column of the root order has it; -1: known before the search
  Cost cost = kInfinite;    // of the tree below
  Tree tree;
};

// The search below the root, shared by all workers. The unit of work is one threshold of a root
// column; whoever is free takes the first one open, in the order of the columns.
template <class V>
class RootSearch {
 public:
  RootSearch(const Columns& data, const SearchRequest& request, MakeRoot make_root,
             Control& control, SearchProgress& progress, SearchResult& result)
      : data_(data),
        request_(request),
        make_root_(make_root),
        control_(control),
        progress_(progress),
        result_(result),
        root_(make_root(data)),
        budget_(budget_of(request, data)),
        worker_(data, control, request.switches, true) {
    control_.use_memory(root_->bytes() + (data.masks != nullptr ? data.masks->bytes() : 0));
    best_.resize(static_cast<std::size_t>(V::budgets_of(budget_.splits)));
    unwritten_.resize(best_.size());
    for (std::size_t k = 0; k < best_.size(); ++k)
      best_[k].wanted = request.sizes || k + 1 == best_.size();
    order_.resize(static_cast<std::size_t>(data.features));
    std::iota(order_.begin(), order_.end(), 0);
  }

  static Budget budget_of(const SearchRequest& request, const Columns& data) {
    const int most = std::max(data.rows - 1, 0);
    int splits = request.max_splits < 0 ? most : std::min(request.max_splits, most);
    if (request.sizes) splits = request.max_splits;
    return Budget::of(request.max_depth, splits);
  }

  void run() {
    start_with_leaf();
    if (root_->masks() != nullptr) {
      if (budget_.depth > 0 && root_->leaf() > 0 && !data_.masks->empty()) run_masks();
    } else if (budget_.depth > 0 && root_->leaf() > 0 && data_.features > 0) {
      if (root_->two_valued() != nullptr)
        plan_two_valued();
      else
        plan_incumbents();
      // A limit may be reached before there is anything to search.
      complete_ = !control_.stopped();
      if (budget_.depth >= 2 && complete_ && !solved_) search_all();
    }
    finish();
  }

 private:
  // What a threshold of the o-th column must cost less than. Ties go to the first column in the
  // order, whenever it is searched: a column before the owner may still match its cost.
  V goal(int o) const {
    V v = V::constant(-kInfinite, V::budgets_of(budget_.splits));
    for (std::size_t k = 0; k < best_.size(); ++k)
      if (best_[k].wanted && !best_[k].settled && !reached(best_[k], o))
        v.set(static_cast<int>(k), best_[k].proved + (best_[k].owner > o ? 1 : 0));
    return v;
  }

  // Nothing is below the bound known beforehand; only a tie in an earlier column could matter.
  bool reached(const Best& b, int o) const {
    return b.proved <= request_.lower_bound && b.owner <= o;
  }

  void start_with_leaf() {
    Tree leaf(1);
    leaf[0].label = root_->label();
    for (Best& b : best_) b.proved = b.cost = root_->leaf(), b.tree = leaf;
    if (best_.size() > 1) settle_small();
    report();
  }
  // No split and one split need no search; see Worker::solve.
  void settle_small() {
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

  void plan_incumbents() {
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
  }
  // Columns of two values: the tree of one level less is an optimum that is quick to find, and says
  // much about the columns. Trees of a few levels are solved at once.
  void plan_two_valued() {
    TwoValuedNode& root = *root_->two_valued();
    solved_ = budget_.depth <= kShallow;
    const int n = V::budgets_of(budget_.child().splits);
    const auto& distinct = root.distinct();
    siblings_.start(
        static_cast<int>(distinct.size()), [&](int k) { return root.left_rows(k); }, root.rows(),
        data_.unit, n);
    if (solved_ || request_.switches.on(Pruning::kIncumbent)) {
      Glance glance;
      const Budget less = Budget::of(solved_ ? budget_.depth : budget_.depth - 1, budget_.splits);
      Solution<V> ahead;
      ahead.lower = V::constant(0, V::budgets_of(less.splits));
      ahead.upper = V::constant(root.leaf(), V::budgets_of(less.splits));
      if (!worker_.solve_two_valued(less, root, ahead.upper, ahead, &glance)) return;
      take_plan(less, ahead);
      if (!solved_ && request_.switches.on(Pruning::kSibling)) {
        V all = V::constant(0, n);
        raise_to(all, ahead.lower);
        siblings_.learn_all(all);
      }
      order_.clear();
      for (const int k : best_first(glance, distinct.size()))
        order_.push_back(distinct[static_cast<std::size_t>(k)]);
    }
    order_ = complete(order_);
  }
  void take_plan(Budget budget, const Solution<V>& ahead) {
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
  std::vector<int> complete(std::vector<int> columns) const {
    for (int f = 0; f < data_.features; ++f)
      if (std::find(columns.begin(), columns.end(), f) == columns.end()) columns.push_back(f);
    return columns;
  }

  void search_all() {
    frame_ = {root_.get(), budget_, {}};
    chains_.resize(order_.size());
    busy_.assign(order_.size(), 0);
    taken_.assign(order_.size(), 0);
    // A tree of two levels is over before a thread has started.
    run_threads(budget_.depth >= 3 ? std::max(1, request_.threads) : 1);
  }
  void run_threads(int threads) {
    std::vector<std::thread> others;
    std::exception_ptr failure;
    for (int i = 1; i < threads; ++i)
      others.emplace_back([this, &failure] { guarded(false, failure); });
    guarded(true, failure);
    for (auto& t : others) t.join();
    if (failure) std::rethrow_exception(failure);
    complete_ = !control_.stopped();
  }
  void guarded(bool calling, std::exception_ptr& failure) {
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
  void work_elsewhere() {
    Worker<V> worker(data_, control_, request_.switches, false);
    const std::unique_ptr<Node> root = make_root_(data_);
    control_.use_memory(root->bytes());
    work(worker, *root, false);
    const std::lock_guard lock(mutex_);
    result_.counters.add(worker.work().counters);
  }

  void work(Worker<V>& worker, Node& root, bool calling) {
    if (MaskNode* masks = root.masks()) {
      work_on_branches(worker, *masks);
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
      accept(found, o, job);
      if (control_.seconds() >= kFirstTree) write_trees(*frame.node, extractor, lock);
      note_bound();
      wake_.notify_all();
    }
    wake_.notify_all();
  }

  // Takes the next threshold to evaluate; the index of its column in the order, -1 if none is open.
  // All columns get one, then two more, then four more, and so on: the bound of the whole is that
  // of the column of which least is known, and a search that is stopped should have proved much.
  int take(Worker<V>& worker, Job<V>& job) {
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
  bool take_of(std::size_t o, Worker<V>& worker, Job<V>& job) {
    if (!chains_[o]) {
      chains_[o] = std::make_unique<Chain<V>>();
      chains_[o]->start(worker.context(frame_, order_[o]), nullptr, 0, budget_.depth == 2,
                        worker.work().counters);
    }
    const V target = goal(static_cast<int>(o));
    if (!chains_[o]->pick(target, job.task, worker.work().counters)) return false;
    if (barred_by_siblings(o, job.task, target, worker)) return false;
    ++taken_[o];
    worker.prepare(frame_, *chains_[o], target, job);
    return true;
  }

  // The place of the o-th column among the distinct ones of two values.
  int place(std::size_t o) const {
    const auto& distinct = root_->two_valued()->distinct();
    return static_cast<int>(std::lower_bound(distinct.begin(), distinct.end(), order_[o]) -
                            distinct.begin());
  }
  // Columns of two values: what their siblings say. See siblings.hpp.
  bool barred_by_siblings(std::size_t o, const Task<V>& task, const V& target, Worker<V>& worker) {
    if (root_->two_valued() == nullptr || !request_.switches.on(Pruning::kSibling)) return false;
    auto& entry = chains_[o]->entry(task.entry);
    for (int s = 0; s < 2; ++s) raise_to(entry.lo[s], siblings_.lower(place(o), s));
    EXACTREE_CLAIM(claims::sides(Pruning::kSibling, chains_[o]->context(), entry.position, entry.lo,
                                 entry.hi));
    if (any_below(chains_[o]->cost_below(entry), target)) return false;
    worker.work().counters.count(Pruning::kSibling);
    chains_[o]->commit(task);
    return true;
  }
  void tell_siblings(std::size_t o, const Task<V>& task) {
    TwoValuedNode* root = root_->two_valued();
    if (root == nullptr || !request_.switches.on(Pruning::kSibling)) return;
    const auto& entry = chains_[o]->entry(task.entry);
    std::vector<int> both;
    root->overlaps(place(o), both);
    siblings_.learn(place(o), entry.lo[0], entry.lo[1], both.data());
  }

  // Side masks. One split is quick to find. For more, the unit of work is a branch of the tree of
  // masks; branches are taken in order, and what counts is the first best mask in that order.
  void run_masks() {
    MaskNode& root = *root_->masks();
    const Budget single = Budget::of(1, 1);
    const int n = V::budgets_of(single.splits);
    Solution<V> one;
    const V leaf = V::constant(root.leaf(), n);
    worker_.solve(single, root, leaf, V::constant(0, n), leaf, nullptr, 0, one);
    if (!control_.stopped()) take_plan(single, one);
    complete_ = !control_.stopped();
    if (budget_.depth < 2 || !complete_) return;
    if (request_.switches.on(Pruning::kIncumbent)) plan_masks(root);
    list_branches(root.tree(), MaskTree::kRoot, kBranchLevels);
    complete_ = !control_.stopped();
    if (!complete_) return;
    first_splits_.resize(best_.size());
    run_threads(std::max(1, request_.threads));
  }
  // Complete trees of two levels and more, as deep as both budgets allow.
  void plan_masks(MaskNode& root) {
    for (int depth = 2; depth <= std::min(budget_.depth, kPlannedLevels); ++depth) {
      if ((1 << depth) - 1 > budget_.splits) break;
      MaskPlanner planner(root, depth, data_.penalty, data_.min_rows, worker_.work());
      const MaskPlan plan = planner.run();
      for (std::size_t k = 0; k < best_.size(); ++k) {
        Best& b = best_[k];
        if (!b.wanted || b.settled || splits_of(k) < plan.splits || plan.cost >= b.proved) continue;
        b.proved = b.cost = plan.cost;
        b.tree = plan.tree;
        EXACTREE_CLAIM(claims::tree("incumbent", *root_, b.tree, b.cost));
        worker_.work().counters.count(Pruning::kIncumbent);
      }
      report();
    }
  }
  void list_branches(MaskTree& tree, int branch, int levels) {
    const int child = levels == 0 ? MaskTree::Branch::kTwig : tree.open(branch, worker_.work());
    if (child == MaskTree::Branch::kClosed) return;
    if (child == MaskTree::Branch::kTwig) {
      branches_.push_back({branch, false});
      return;
    }
    for (int c = 0; c < 2; ++c) list_branches(tree, child + c, levels - 1);
  }
  void work_on_branches(Worker<V>& worker, MaskNode& root) {
    Extractor<V> extractor(worker);
    const V none = V::constant(0, V::budgets_of(budget_.child().splits));
    const V lo[2] = {none, none};
    std::unique_lock lock(mutex_);
    while (!control_.stopped() && next_branch_ < branches_.size()) {
      const std::size_t o = next_branch_++;
      MaskSearch<V> search(root, budget_, goal(static_cast<int>(o)));
      search.in_order = true;
      lock.unlock();
      worker.search_branch(search, branches_[o].branch, lo);
      lock.lock();
      if (control_.stopped()) return;
      branches_[o].done = true;
      accept_masks(search, static_cast<int>(o), root, extractor, lock);
    }
  }
  void accept_masks(const MaskSearch<V>& search, int o, Node& root, Extractor<V>& extractor,
                    std::unique_lock<std::mutex>& lock) {
    const V target = goal(o);
    for (std::size_t k = 0; k < best_.size(); ++k) {
      const MaskSplit<V>& split = search.found[k];
      const Cost cost = search.best[static_cast<int>(k)];
      if (split.id < 0 || !best_[k].wanted || cost >= target[static_cast<int>(k)]) continue;
      best_[k].proved = cost;
      best_[k].owner = o;
      first_splits_[k] = split;
      if (cost >= best_[k].cost) continue;
      lock.unlock();
      Tree tree = tree_at(extractor, root, k, split, cost);
      lock.lock();
      if (control_.stopped()) return;
      if (cost < best_[k].cost) best_[k].cost = cost, best_[k].tree = std::move(tree);
      report();
    }
  }
  Tree tree_at(Extractor<V>& extractor, Node& root, std::size_t k, const MaskSplit<V>& split,
               Cost cost) const {
    Tree tree;
    extractor.extract_at(root, budget_, splits_of(k), cost, split.id, MaskNode::kPosition,
                         split.side, tree);
    return tree;
  }

  // Takes over a better cost, and the tree that has it.
  void accept(const V& found, int o, const Job<V>& job) {
    const V target = goal(o);
    for (std::size_t k = 0; k < best_.size(); ++k) {
      const int i = static_cast<int>(k);
      if (!best_[k].wanted || found[i] >= target[i]) continue;
      best_[k].proved = found[i];
      best_[k].owner = o;
      if (found[i] < best_[k].cost)
        unwritten_[k] = {o, job.task.position, found[i], {job.hi[0], job.hi[1]}};
    }
  }
  // Writing trees down takes as long as many evaluations, and only a search that is stopped needs
  // them before its end: those of the first moments wait.
  void write_trees(Node& node, Extractor<V>& extractor, std::unique_lock<std::mutex>& lock) {
    for (std::size_t k = 0; k < best_.size(); ++k) {
      const Unwritten at = std::exchange(unwritten_[k], {});
      if (at.column < 0) continue;
      lock.unlock();
      Tree tree;
      extractor.extract_at(node, budget_, splits_of(k), at.cost,
                           order_[static_cast<std::size_t>(at.column)], at.position, at.hi, tree);
      lock.lock();
      if (control_.stopped()) return;
      if (at.cost < best_[k].cost) best_[k].cost = at.cost, best_[k].tree = std::move(tree);
      report();
    }
  }
  int splits_of(std::size_t k) const {
    return best_.size() > 1 ? static_cast<int>(k) : budget_.splits;
  }

  void finish() {
    result_.status = control_.status();
    if (complete_) canonical_trees();
    if (complete_)
      shown_bound_ = V::constant(kInfinite, budgets());
    else
      raise_to(shown_bound_, open_bound());
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
  int budgets() const { return V::budgets_of(budget_.splits); }

  // The trees that do not depend on timing; see extract.hpp.
  void canonical_trees() {
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
      const Threshold<V> e = chain.entry(at);
      extractor.extract_at(*root_, budget_, splits_of(k), b.proved, f, e.position, e.hi, tree);
      if (control_.stopped()) break;
      b.cost = b.proved;
      b.tree = std::move(tree);
    }
  }

  // No tree costs less than this, after a search that did not finish.
  V open_bound() const {
    V bound = V::constant(kInfinite, budgets());
    if (chains_.empty()) return V::constant(request_.lower_bound, budgets());
    for (const auto& chain : chains_)
      lower_to(bound, chain ? chain->open_bound() : V::constant(request_.lower_bound, budgets()));
    return bound;
  }

  // Now and then, for those who watch. A bound that was proved stays proved.
  void note_bound() {
    if (control_.seconds() < next_bound_) return;
    const Cost before = shown_bound_.most();
    raise_to(shown_bound_, open_bound());
    if (shown_bound_.most() > before) report();
    next_bound_ = control_.seconds() + kBoundEvery;
  }

  void report() {
    const Best& last = best_.back();
    const Cost proved = std::min(std::max(request_.lower_bound, shown_bound_.most()), last.proved);
    const Cost cost = last.cost + request_.offset, bound = proved + request_.offset;
    progress_.objective = cost;
    progress_.lower_bound = bound;
    result_.history.emplace_back(control_.seconds(), cost, bound);
  }

  static constexpr double kBoundEvery = 0.05, kFirstTree = 0.005;  // seconds

  // A root split that was found to be the best so far, whose tree is not written down yet.
  struct Unwritten {
    int column = -1, position = 0;
    Cost cost = 0;
    V hi[2];
  };

  const Columns& data_;
  const SearchRequest& request_;
  MakeRoot make_root_;
  Control& control_;
  SearchProgress& progress_;
  SearchResult& result_;
  std::unique_ptr<Node> root_;
  Budget budget_;
  Worker<V> worker_;
  std::vector<Best> best_;  // by number of splits, or one
  std::vector<Unwritten> unwritten_;
  std::vector<int> order_;                                         // of the root's columns
  V shown_bound_ = V::constant(0, V::budgets_of(budget_.splits));  // of all that is open
  double next_bound_ = kBoundEvery;
  bool complete_ = true;
  bool solved_ = false;   // at once, without a search by columns
  Siblings<V> siblings_;  // columns of two values

  std::mutex mutex_;
  std::condition_variable wake_;
  Frame<V> frame_{};
  std::vector<std::unique_ptr<Chain<V>>> chains_;
  std::vector<int> busy_;   // per column: thresholds under evaluation
  std::vector<int> taken_;  // per column: thresholds taken so far
  int share_ = 1;           // how many each may take before any takes more

  // Masks: the branches that are the units of work, and the first split found for each budget.
  static constexpr int kBranchLevels = 7, kPlannedLevels = 4;
  struct RootBranch {
    int branch;
    bool done;
  };
  std::vector<RootBranch> branches_;
  std::size_t next_branch_ = 0;
  std::vector<MaskSplit<V>> first_splits_;
};

template <class V>
void run(const Columns& data, const SearchRequest& request, MakeRoot make_root, Control& control,
         SearchProgress& progress, SearchResult& result) {
  RootSearch<V>(data, request, make_root, control, progress, result).run();
}

// The search itself, once there is nothing left to be simplified.
void search_rows(const Columns& data, SearchRequest request, MakeRoot make_root, Control& control,
                 SearchProgress& progress, SearchResult& result) {
  const int depth = std::min(request.max_depth, std::max(data.rows - 1, 0));
  // More splits than rows to part, or than the depth has room for, are no limit.
  const int room = std::min(depth < 30 ? (1 << depth) - 1 : data.rows, std::max(data.rows - 1, 0));
  const bool by_depth = request.max_splits < 0 || (request.max_splits >= room && !request.sizes);
  request.max_depth = depth;
  if (by_depth)
    run<One>(data, request, make_root, control, progress, result);
  else if (request.max_splits < 8)
    run<Curve<8>>(data, request, make_root, control, progress, result);
  else if (request.max_splits < 32)
    run<Curve<32>>(data, request, make_root, control, progress, result);
  else
    throw std::invalid_argument("max_splits = " + std::to_string(request.max_splits) +
                                " limits the tree, and is more than 31");
}

}  // namespace

SearchResult search(const Columns& data, const SearchRequest& request, MakeRoot make_root,
                    Control& control, SearchProgress& progress) {
  SearchResult result;
  if (data.masks == nullptr && !data.squared() && data.features > 0 && data.max_rank <= 1 &&
      request.switches.on(Pruning::kConflict)) {
    const WithoutConflicts rest(data);
    if (rest.pairs() > 0 && rest.data().rows > 0) {
      SearchRequest own = request;
      own.offset = rest.offset();
      own.lower_bound = std::max<Cost>(0, request.lower_bound - rest.offset());
      search_rows(rest.data(), own, make_root, control, progress, result);
      result.counters.pruned[static_cast<std::size_t>(Pruning::kConflict)] += rest.pairs();
    }
  }
  if (result.answers.empty()) search_rows(data, request, make_root, control, progress, result);
  result.seconds = control.seconds();
  result.peak_bytes = control.peak_bytes();
  return result;
}

}  // namespace exactree

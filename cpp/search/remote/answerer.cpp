#include "search/remote/answerer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "search/driver/extract.hpp"
#include "search/masks/mask_frontier.hpp"
#include "search/remote/facts.hpp"
#include "search/remote/stations.hpp"

namespace exactree {

namespace {

// Longer lists stay where they were made: others make their own in less time than it takes to send
// them.
constexpr std::int64_t kMostShared = 4 << 20;

template <class V>
class Answerer final : public AnyAnswerer {
 public:
  Answerer(const Posing& posing, MakeRoot make_root, Control& control);

  Reply answer(const Question& question, double seconds) override;
  FoundTree write(const TreeWanted& wanted, double seconds) override;

 private:
  Chain<V>& chain(Station<V>& station, int feature);
  void answer_threshold(const Question& question, Reply& reply);
  void go_on(Station<V>& station, const Question& question, V best, Reply& reply);
  void add_facts_of(Station<V>& station, int feature, const V& best, Reply& reply);
  void answer_branch(const Question& question, Reply& reply);
  void write_better(Station<V>& station, const Question& question, const Job<V>& job, Reply& reply);
  FoundTree write_at(Station<V>& station, int k, int splits, Cost cost,
                     const SolvedSplit<V>& split);

  const Problem& data_;
  Control& control_;
  Budget budget_;
  Worker<V> worker_;
  Stations<V> stations_;
  double began_ = 0;  // with the latest question
};

template <class V>
Answerer<V>::Answerer(const Posing& posing, MakeRoot make_root, Control& control)
    : data_(posing.data()),
      control_(control),
      budget_(budget_of(posing.request(), posing.data())),
      worker_(posing.data(), control, posing.request().switches, true),
      stations_(data_, make_root, budget_, worker_) {}

template <class V>
Chain<V>& Answerer<V>::chain(Station<V>& station, int feature) {
  auto& chain = station.chains[static_cast<std::size_t>(feature)];
  if (chain) return *chain;
  chain = std::make_unique<Chain<V>>();
  auto& source = ColumnSource<V>::of(worker_);
  chain->start(source.context(station.frame, feature), {}, station.frame.budget.depth == 2,
               worker_.work().counters);
  return *chain;
}

template <class V>
Reply Answerer<V>::answer(const Question& question, double seconds) {
  control_.go_on(seconds);
  began_ = control_.seconds();
  worker_.work().counters = {};
  Reply reply;
  try {
    if (data_.masks != nullptr)
      answer_branch(question, reply);
    else
      answer_threshold(question, reply);
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  }
  reply.counters = worker_.work().counters;
  return reply;
}

template <class V>
void Answerer<V>::answer_threshold(const Question& question, Reply& reply) {
  for (int s = 0; s < 2; ++s) reply.lo[s] = question.lo[s], reply.hi[s] = question.hi[s];
  Station<V>& station = stations_.go_to(question.path);
  check_split(*station.node, question.feature, question.position);
  auto& source = ColumnSource<V>::of(worker_);
  Chain<V>& here = chain(station, question.feature);
  const Budget below = station.frame.budget.child();
  const int n = V::budgets_of(below.splits);
  for (const Neighbour& near : question.neighbours) {
    check_split(*station.node, question.feature, near.position);
    if (near.side != 0 && near.side != 1) throw std::invalid_argument("there is no such side");
    auto kid = std::make_unique<Solution<V>>();
    read_facts(near.facts, station.node->features(), *kid);
    const int entry = here.task_at(near.position).entry;
    if (near.position == question.position)  // what an earlier slice came to
      source.go_on_with(station.frame, here, entry, near.side, std::move(kid));
    else
      source.adopt(station.frame, here, entry, near.side, std::move(kid));
  }
  Job<V> job;
  job.task = here.task_at(question.position);
  const V target = value_of<V>(question.target, V::budgets_of(station.frame.budget.splits));
  source.prepare(station.frame, here, value_of<V>(question.best, target.budgets()), job);
  job.target = target;
  for (int s = 0; s < 2; ++s) {
    raise_to(job.lo[s], value_of<V>(question.lo[s], n));
    lower_to(job.hi[s], value_of<V>(question.hi[s], n));
  }
  try {
    source.evaluate(station.frame, question.feature, job);
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  }
  reply.complete = !control_.stopped();
  for (int s = 0; s < 2; ++s) {
    reply.lo[s] = costs_of(job.lo[s]);
    reply.hi[s] = costs_of(job.hi[s]);
  }
  if (reply.complete) {
    for (int s = 0; s < 2; ++s)
      if (question.shared && job.kids[s] && !job.kids[s]->lists.empty())
        reply.facts[s] = facts_of(*job.kids[s], kMostShared);
    source.commit(station.frame, here, job);
    control_.use_memory(here.growth());
    write_better(station, question, job, reply);
    if (!question.run.empty()) go_on(station, question, job.best, reply);
    return;
  }
  // The side that was being solved has no bound yet, but some of its thresholds have.
  const int s = job.solving;
  if (s < 0 || station.node->kind() != SplitKind::kColumns || job.kids[s]->lists.empty()) return;
  source.store_open(*job.kids[s]);
  lower_to(job.hi[s], job.kids[s]->upper);
  reply.hi[s] = costs_of(job.hi[s]);
  reply.facts[s] = facts_of(*job.kids[s], kMostShared);
}

// Short pieces take longer on their way than to be answered. Once one has what is best it goes on
// with that, as the chain of the session would once it is told.
template <class V>
void Answerer<V>::go_on(Station<V>& station, const Question& question, V best, Reply& reply) {
  const int n = V::budgets_of(station.frame.budget.child().splits);
  auto& source = ColumnSource<V>::of(worker_);
  Chain<V>& here = chain(station, question.feature);
  for (const KnownThreshold& at : question.run)
    if (at.position != 0 && at.position != station.node->rows())
      check_split(*station.node, question.feature, at.position);
  here.lend(question.run);
  Job<V> job;
  const V left = value_of<V>(reply.hi[0], n), right = value_of<V>(reply.hi[1], n);
  V found = join(left, right, data_.penalty, best.budgets());
  while (!control_.stopped() && control_.seconds() < began_ + question.more) {
    if (!V::kSizes) lower_to(best, found);
    if (!here.pick(best, job.task, worker_.work().counters)) break;
    source.prepare(station.frame, here, best, job);
    try {
      source.evaluate(station.frame, question.feature, job);
    } catch (const Stopped&) {
    }
    if (control_.stopped()) break;
    found = source.commit(station.frame, here, job);
    control_.use_memory(here.growth());
    SolvedThreshold& other = reply.others.emplace_back();
    other.position = job.task.position;
    for (int s = 0; s < 2; ++s) {
      other.lo[s] = costs_of(job.lo[s]);
      other.hi[s] = costs_of(job.hi[s]);
    }
    write_better(station, question, job, reply);
  }
  if (question.shared) add_facts_of(station, question.feature, best, reply);
}

// What was solved next to what is still open.
template <class V>
void Answerer<V>::add_facts_of(Station<V>& station, int feature, const V& best, Reply& reply) {
  if (reply.others.empty()) return;
  std::vector<SolvedSide<V>> sides;
  chain(station, feature)
      .list_sides(best, station.frame.kids, station.sides_told[static_cast<std::size_t>(feature)],
                  sides);
  for (SolvedThreshold& other : reply.others) {
    const int rank = station.node->rank_at(feature, other.position);
    for (const SolvedSide<V>& at : sides)
      if (at.rank == rank) other.facts[at.side] = facts_of(*at.solution, kMostShared);
  }
}

// A tree is written down where it was found: what was solved of its sides is here.
template <class V>
void Answerer<V>::write_better(Station<V>& station, const Question& question, const Job<V>& job,
                               Reply& reply) {
  if (!question.path.empty() || question.goal.empty()) return;
  const int n = V::budgets_of(budget_.splits);
  const V goal = value_of<V>(question.goal, n);
  const V cost = join(job.hi[0], job.hi[1], data_.penalty, n);
  Chain<V>& here = chain(station, question.feature);
  for (int k = 0; k < n; ++k) {
    if (cost[k] >= goal[k]) continue;
    const int splits = n > 1 ? k : budget_.splits;
    const auto split = ColumnSource<V>::split_at(station.frame, here, job.task.entry);
    FoundTree found = write_at(station, k, splits, cost[k], split);
    if (control_.stopped()) return;
    reply.trees.push_back(std::move(found));
  }
}

template <class V>
FoundTree Answerer<V>::write_at(Station<V>& station, int k, int splits, Cost cost,
                                const SolvedSplit<V>& split) {
  FoundTree found{k, cost, {}};
  found.cost = Extractor<V>(worker_).extract_at(*station.node, station.frame.budget, splits, cost,
                                                split, found.tree);
  return found;
}

template <class V>
FoundTree Answerer<V>::write(const TreeWanted& wanted, double seconds) {
  control_.go_on(seconds);
  Station<V>& station = stations_.go_to({});
  SolvedSplit<V> split;
  split.feature = wanted.feature;
  split.position = wanted.position;
  const int n = V::budgets_of(budget_.child().splits);
  for (int s = 0; s < 2; ++s) split.hi[s] = value_of<V>(wanted.side[s], n);
  if (data_.masks == nullptr) {
    check_split(*station.node, wanted.feature, wanted.position);
    Chain<V>& here = chain(station, wanted.feature);
    const Task<V> task = here.task_at(wanted.position);
    split.sides[0] = split.sides[1] = {};
    for (int s = 0; s < 2; ++s) {
      here.relatives(task.entry, s, station.frame.kids, split.sides[s]);
      const int kid = here.entry(task.entry).kid[s];
      if (kid >= 0) split.sides[s].add({station.frame.kids[static_cast<std::size_t>(kid)]});
    }
  }
  FoundTree found;
  try {
    found = write_at(station, wanted.budget, wanted.splits, wanted.cost, split);
  } catch (const Stopped&) {
  }
  if (control_.stopped()) found.tree.clear();
  return found;
}

template <class V>
void Answerer<V>::answer_branch(const Question& question, Reply& reply) {
  auto& root = static_cast<MaskNode&>(*stations_.all().node);
  MaskTree& tree = root.tree();
  if (!tree.start(worker_.work())) return;
  int branch = MaskTree::kRoot;
  for (const bool right : question.branch) {
    const int child = tree.open(branch, worker_.work());
    if (child == MaskTree::Branch::kClosed) return;
    if (child == MaskTree::Branch::kTwig) throw std::invalid_argument("there is no such branch");
    branch = child + (right ? 1 : 0);
  }
  const int n = V::budgets_of(budget_.splits);
  MaskSearch<V> search(root, budget_, value_of<V>(question.target, n));
  search.in_order = true;
  const V none = V::constant(0, V::budgets_of(budget_.child().splits));
  const V lo[2] = {none, none};
  MaskSource<V>::of(worker_).search_branch(search, branch, lo);
  if (control_.stopped()) return;
  reply_of(search, tree, reply);
  reply.complete = true;
}

}  // namespace

std::unique_ptr<AnyAnswerer> make_answerer(const Posing& posing, MakeRoot make_root,
                                           Control& control) {
  return posing.with_value([&]<class V>() -> std::unique_ptr<AnyAnswerer> {
    return std::make_unique<Answerer<V>>(posing, make_root, control);
  });
}

}  // namespace exactree

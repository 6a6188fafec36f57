#include "oblique/rounds.hpp"

#include <algorithm>
#include <numeric>

namespace KERNEL_NAMESPACE {

Sample::Sample(const ObliqueData& all, int rows, Random& random) : data_(all) {
  std::vector<int> chosen(static_cast<std::size_t>(all.rows));
  std::iota(chosen.begin(), chosen.end(), 0);
  draw_some(chosen, static_cast<std::size_t>(rows), random);
  std::sort(chosen.begin(), chosen.end());
  const auto take = [&chosen](auto from, auto& to) {
    if (from == nullptr) return;
    for (const int i : chosen) to.push_back(from[i]);
  };
  z_.reserve(chosen.size() * static_cast<std::size_t>(all.columns));
  for (int j = 0; j < all.columns; ++j)
    take(all.z + static_cast<std::size_t>(j) * static_cast<std::size_t>(all.rows), z_);
  take(all.labels, labels_);
  take(all.costs, costs_);
  take(all.counts, counts_);
  take(all.targets, targets_);
  take(all.masses, masses_);
  if (all.prices != nullptr) {
    const auto answers = static_cast<std::size_t>(all.classes);
    for (const int i : chosen) {
      const Cost* row = all.prices + static_cast<std::size_t>(i) * answers;
      prices_.insert(prices_.end(), row, row + answers);
    }
  }
  data_.rows = static_cast<int>(chosen.size());
  data_.z = z_.data();
  data_.labels = all.labels == nullptr ? nullptr : labels_.data();
  data_.costs = all.costs == nullptr ? nullptr : costs_.data();
  data_.counts = all.counts == nullptr ? nullptr : counts_.data();
  data_.targets = all.targets == nullptr ? nullptr : targets_.data();
  data_.masses = all.masses == nullptr ? nullptr : masses_.data();
  data_.prices = all.prices == nullptr ? nullptr : prices_.data();
  // A side, and a penalty, is that share of the rows.
  const double share = static_cast<double>(data_.rows) / all.rows;
  data_.least_side.least = std::max(1, static_cast<int>(share * all.least_side.least));
  data_.penalty = static_cast<Cost>(share * static_cast<double>(all.penalty));
}

// On few rows two trees take little time: if the first leaves much to gain, the second begins
// between corners.
template <class Targets>
ObliqueTree Rounds<Targets>::better_of_two(TreeSearch<Targets>& search, Pace& pace) {
  ObliqueTree best;
  for (const bool corners : {false, true}) {
    const bool good = best.cost < search.leaf_cost() / 4;
    if (!best.nodes.empty() && (good || pace.stopped())) break;
    search.grow_anew(corners);
    search.alternate(1, 0);
    ObliqueTree found = search.written();
    if (best.nodes.empty() || found.cost < best.cost) best = std::move(found);
  }
  return best;
}

// A tree found on a few rows, and improved on more of them. Later rounds try more on the few. There
// is a tree at the end even if the search was stopped before the beginning.
template <class Targets>
ObliqueTree Rounds<Targets>::on_samples(const Task& task, Random& random, Pace pace) {
  ObliqueTree best;
  const bool anew = task.kind != Task::kOnward || random.coin();
  if (!anew) best = *task.from;
  for (int rows = few_rows(); rows <= sample_rows(); rows *= 4) {
    if (!best.nodes.empty() && pace.stopped()) break;
    const Sample sample(data_, rows, random);
    TreeSearch<Targets> search(sample.data(), shape(), Random(random.next(), 0), pace);
    const bool first = rows == few_rows();
    if (first && anew) {
      best = better_of_two(search, pace);
    } else {
      search.set(best);
      search.alternate(1, 0);
      best = search.written();
    }
    const auto more = first ? std::min<std::int64_t>(task.round, 20) : 0;
    for (std::int64_t i = 0; i < more && !pace.stopped() && best.cost > 0; ++i) {
      search.set(best);
      search.perturb();
      search.alternate(1, 0);
      ObliqueTree found = search.written();
      if (found.cost <= best.cost) best = std::move(found);
    }
    scans_ += search.scans();
  }
  return best;
}

template <class Targets>
ObliqueTree Rounds<Targets>::run(const Task& task, bool calling) {
  Random random(request_.seed, static_cast<std::uint64_t>(task.round));
  Pace pace(control_, calling);
  TreeSearch<Targets> search(data_, shape(), Random(random.next(), 1), pace);
  const bool onward = task.kind == Task::kOnward;
  if (task.kind == Task::kGiven)
    search.set(*task.from);
  else if (large() && (!onward || task.round % 3 == 0))
    search.set(on_samples(task, random, pace));
  else if (onward)
    search.set(*task.from), search.perturb();
  else
    search.grow_anew(task.kind == Task::kCorners);
  search.alternate(onward || large() ? 1 : 2, request_.lower_bound);
  scans_ += search.scans();
  return search.written();
}

template class Rounds<Answers>;
template class Rounds<Classes>;
template class Rounds<Numbers>;

}  // namespace KERNEL_NAMESPACE

// The line search of the local search against all places along the line, one by one.
#define EXACTREE_ISA plain  // the headers of kernels have a namespace for each instruction set

#include "oblique/line_search.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "check.hpp"

namespace exactree::tests {

namespace {

using plain::LineSearch;
using plain::Scores;

// The least level between any two breakpoints, and beyond them.
template <class Meter>
Cost least_level(LineSearch<Meter>& line, const Scores& scores, const Scores& change) {
  std::vector<double> breaks;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (change[i] != 0) breaks.push_back(-scores[i] / change[i]);
  std::sort(breaks.begin(), breaks.end());
  std::vector<double> places = {0};
  if (!breaks.empty()) places = {breaks.front() - 1, breaks.back() + 1};
  for (std::size_t k = 1; k < breaks.size(); ++k)
    if (breaks[k] - breaks[k - 1] > 1e-6) places.push_back((breaks[k - 1] + breaks[k]) / 2);
  Cost least = kInfinite;
  Scores moved(scores.size());
  for (const double t : places) {
    for (std::size_t i = 0; i < scores.size(); ++i) moved[i] = scores[i] + t * change[i];
    least = std::min(least, line.level_of(moved));
  }
  return least;
}

template <class Meter>
void compare(const plain::NodeRows& rows, Meter meter, const Scores& scores, const Scores& change) {
  plain::Random random(1, 2);
  LineSearch<Meter> line(rows, meter, 1, 1, random);
  double t = 0;
  const Cost found = line.run(scores, change, t);
  Scores moved(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) moved[i] = scores[i] + t * change[i];
  check(line.level_of(moved) == found);
  check(least_level(line, scores, change) == found);
}

}  // namespace

void test_line_search(Effort effort) {
  std::mt19937_64 random(3);
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  for (std::uint64_t t = 0; t < effort.of(400); ++t) {
    const int n = 2 + below(t % 4 == 0 ? 400 : 40), classes = 2 + below(4), spread = 2 + below(60);
    std::vector<double> z(static_cast<std::size_t>(n));
    std::vector<std::int32_t> labels;
    std::vector<std::int64_t> costs;
    std::vector<Cost> prices;
    std::vector<int> all;
    Scores scores, change;
    const bool noisy = below(2) == 0;  // else the labels follow the breakpoints
    for (int i = 0; i < n; ++i) {
      all.push_back(i);
      scores.push_back(below(2 * spread) - spread + .5);
      change.push_back(below(7) - 3);
      const bool late = change.back() != 0 && -scores.back() / change.back() > spread / 8.0;
      labels.push_back(noisy || below(10) == 0 ? below(classes) : late);
      costs.push_back(t % 2 == 0 ? 1 : 1 + below(5));
      prices.push_back(labels.back() == 0 ? costs.back() : -costs.back());
    }
    ObliqueData data;
    data.rows = n;
    data.columns = 1;
    data.z = z.data();
    data.classes = classes;
    data.labels = labels.data();
    data.costs = costs.data();
    const plain::NodeRows rows(data, {all, {}}, {0});
    compare(rows, plain::PriceMeter(prices), scores, change);
    compare(rows, plain::LabelMeter(data, rows), scores, change);
    for (std::int32_t& label : labels) label = label == 0 ? 0 : 1;
    compare(rows, plain::TwoLabelMeter(data, rows, 0), scores, change);
  }
}

}  // namespace exactree::tests

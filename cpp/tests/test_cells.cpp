// The search over cells that are cut where it looks, against the search over a list of them.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "kernels.hpp"
#include "problems.hpp"
#include "search/driver/search.hpp"
#include "search/masks/mask_tree.hpp"

namespace exactree::tests {

namespace {

// The rows of a problem as points (1, rank, rank, ...), in the order in which they occur.
struct Points {
  std::vector<Word> limbs;
  std::vector<std::uint32_t> of_rows;
  std::size_t count = 0, columns;

  explicit Points(const Problem& data) : columns(static_cast<std::size_t>(data.features) + 1) {
    std::map<std::vector<Word>, std::uint32_t> known;
    for (int i = 0; i < data.rows; ++i) {
      std::vector<Word> point{1};
      for (int f = 0; f < data.features; ++f) point.push_back(static_cast<Word>(data.rank(f, i)));
      const auto [at, fresh] = known.emplace(point, static_cast<std::uint32_t>(known.size()));
      if (fresh) limbs.insert(limbs.end(), point.begin(), point.end());
      of_rows.push_back(at->second);
    }
    count = known.size();
  }
  PointSet set() const { return {limbs.data(), count, columns, 1}; }
};

bool never(void*) {
  return false;
}

std::vector<Word> list_masks(const Points& points, const GeometryKernels& geometry) {
  const MaskList found = geometry.dichotomies(points.set(), 1, Poll{never, nullptr});
  const std::size_t words = (points.count + 63) / 64;
  const std::size_t masks = found.masks.size() / words, rows = points.of_rows.size();
  std::vector<Word> out(masks * ((rows + 63) / 64));
  geometry.expand(found.masks.data(), masks, points.count, points.of_rows.data(), rows, out.data());
  return out;
}

SearchResult run(Problem data, MaskTree& tree, const SearchRequest& request,
                 const std::string& isa) {
  data.masks = &tree;
  data.features = 0;
  Control control;
  SearchProgress progress;
  return search(data, request, kernels(isa).make_root, control, progress);
}

SearchRequest draw_request(Random& random) {
  SearchRequest request;
  request.max_depth = random.draw(1, 3);
  if (random.one_in(2)) request.max_splits = random.draw(0, 5);
  request.sizes = request.max_splits >= 0 && random.one_in(2);
  request.threads = random.draw(1, 3);
  if (random.one_in(2)) request.switches.off = static_cast<std::uint32_t>(random.draw(0, 1 << 20));
  return request;
}

Drawn draw_problem(Random& random) {
  Shape shape;
  shape.features = random.draw(1, 3);
  shape.rows = random.draw(2, 9);
  shape.classes = random.draw(2, 3);
  shape.values = random.draw(2, 5);
  shape.weighted = random.one_in(3);
  Drawn problem(shape, random);
  if (random.one_in(3)) problem.penalty = random.draw(1, 3);
  if (random.one_in(3)) problem.min_rows = random.draw(2, 3);
  return problem;
}

// False if the points do not span the space.
bool compare(const Drawn& problem, const SearchRequest& request, const std::string& isa) {
  const Problem data = problem.columns();
  const Points points(data);
  const GeometryKernels geometry = kernels(isa).geometry;
  std::unique_ptr<Arrangement> cells;
  try {
    cells = geometry.arrange(points.set());
  } catch (const std::logic_error&) {
    return false;
  }
  const std::vector<Word> list = list_masks(points, geometry);
  const std::size_t words = static_cast<std::size_t>(data.rows + 63) / 64;
  MaskTree listed(list.data(), list.size() / words, data.rows, data.ranks, 1);
  MaskTree cut(nullptr, 0, data.rows, data.ranks, 1, {{cells.get(), points.of_rows.data()}});
  const SearchResult expected = run(data, listed, request, isa);
  const SearchResult found = run(data, cut, request, isa);
  check(found.answers.size() == expected.answers.size());
  for (std::size_t k = 0; k < found.answers.size(); ++k)
    check(found.answers[k].objective == expected.answers[k].objective);
  return true;
}

}  // namespace

void test_search_cells(Effort effort) {
  const std::vector<std::string> isas = instruction_sets();
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= effort.of(300); ++seed) {
    Random random(seed);
    const Drawn problem = draw_problem(random);
    const SearchRequest request = draw_request(random);
    const auto isa = static_cast<std::size_t>(random.draw(0, static_cast<int>(isas.size()) - 1));
    compared += compare(problem, request, isas[isa]) ? 1 : 0;
  }
  check(compared > static_cast<int>(effort.of(300)) / 2);
}

}  // namespace exactree::tests

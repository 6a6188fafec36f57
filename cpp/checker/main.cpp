// A checker of certificates of optimality: a program of its own, linked to nothing of exactree.
//
//   xz -dc proof.xz | check_certificate - data.csv [target [weights]]
//
// It reads an unpacked certificate (a file, or - for the standard input) and a table with a header
// line, computes every bound from the data by the rules in rules.hpp, and says what is shown. Exit
// status: 0 all trees are optimal, 4 there is a gap, 1 rejected, 2 used wrongly.
#include <fstream>
#include <iostream>
#include <iterator>

#include "json.hpp"
#include "pairs.hpp"
#include "rules.hpp"

namespace checker {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 26, kLargestHeader = std::size_t{1} << 20;
constexpr std::int64_t kWork = std::int64_t{1} << 42;

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  std::size_t column(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    demand(found != names.end(), "the data have no column " + name);
    return static_cast<std::size_t>(found - names.begin());
  }
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else if (line[i] != '\r')
      out.back() += line[i];
  }
  return out;
}

Table read_table(const std::string& path) {
  std::ifstream in(path);
  demand(in.good(), path + " cannot be read");
  Table out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line == "\r") continue;
    std::vector<std::string> cells = cells_of(line);
    if (out.names.empty()) {
      if (cells[0].rfind("\xEF\xBB\xBF", 0) == 0) cells[0].erase(0, 3);
      out.names = std::move(cells);
    } else {
      demand(cells.size() == out.names.size(), "rows of different lengths");
      out.rows.push_back(std::move(cells));
    }
  }
  demand(!out.rows.empty(), "there are no rows");
  return out;
}

double number_of(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  demand(!cell.empty() && *end == '\0' && std::isfinite(value), "not a finite number: " + cell);
  return value + 0.0;  // -0.0 becomes 0.0
}

// The values of the features, the classes and the row weights, as the certificate names them.
struct Data {
  std::vector<std::vector<double>> columns;
  std::vector<std::int64_t> label;
  std::vector<double> weight;

  Data(const Table& table, const Json& header, const std::string& target,
       const std::string& weights) {
    std::vector<std::string> names;
    if (!header.at("feature_names").null()) {
      for (const Json& name : header.at("feature_names").list) names.push_back(name.name());
    } else {
      for (const std::string& name : table.names)
        if (name != target && name != weights) names.push_back(name);
    }
    for (const std::string& name : names) {
      const std::size_t j = table.column(name);
      columns.emplace_back();
      for (const auto& row : table.rows) columns.back().push_back(number_of(row[j]));
    }
    std::map<std::string, std::int64_t> classes;
    for (const Json& name : header.at("classes").list) {
      const auto next = static_cast<std::int64_t>(classes.size());
      demand(classes.emplace(name.name(), next).second, "two classes have the same name");
    }
    const std::size_t t = table.column(target);
    for (const auto& row : table.rows) {
      const auto found = classes.find(row[t]);
      demand(found != classes.end(), "a class that the certificate does not know: " + row[t]);
      label.push_back(found->second);
    }
    if (weights.empty()) return;
    const std::size_t w = table.column(weights);
    for (const auto& row : table.rows) weight.push_back(number_of(row[w]));
  }

  std::string digest() const {
    Sha256 hash;
    const std::string head = "exactree.data 1\n" + std::to_string(label.size()) + " " +
                             std::to_string(columns.size()) + " " + (weight.empty() ? "0" : "1") +
                             "\n";
    hash.add(head.data(), head.size());
    const auto add = [&](std::uint64_t bits) {
      std::uint8_t bytes[8];
      for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(bits >> (8 * i));
      hash.add(bytes, 8);
    };
    for (std::size_t i = 0; i < label.size(); ++i)
      for (const auto& column : columns) add(std::bit_cast<std::uint64_t>(column[i]));
    for (const std::int64_t l : label) add(static_cast<std::uint64_t>(l));
    for (const double w : weight) add(std::bit_cast<std::uint64_t>(w));
    return hash.hex();
  }
};

// The problem in whole units, without rows of no weight.
struct Problem {
  Rows rows;
  Fraction unit;
  std::vector<std::size_t> kept;

  Problem(const Json& header, const Data& data) : unit(header.at("unit").fraction()) {
    const Fraction penalty = header.at("penalty").fraction();
    const Fraction heavy = header.at("min_weight_leaf").fraction();
    const Fraction worth = penalty / unit;
    demand(worth.below() < kTotal, "the penalty is too fine");
    const auto factor = static_cast<Cost>(worth.below());
    rows.classes = header.at("classes").list.size();
    rows.columns = data.columns.size();
    demand(rows.columns > 0, "there are no columns");
    read_costs(header.at("costs"));
    const Cost highest =
        rows.costs.empty() ? 1 : *std::max_element(rows.costs.begin(), rows.costs.end());
    Wide total = 0;
    const bool rounded = header.at("rounded").kind == Json::kTrue;
    const bool by_weight = heavy.above() > 0;
    for (std::size_t i = 0; i < data.label.size(); ++i) {
      const Fraction exact = weight_of(header, data, i);
      const Wide weight = exact.nearest();
      demand(exact == Fraction(weight) || (rounded && weight >= Wide{1} << 19),
             "a weight that is no multiple of the unit");
      total += weight;
      demand(total < kTotal, "the weights are too large");
      if (weight == 0) continue;
      kept.push_back(i);
      rows.label.push_back(static_cast<int>(data.label[i]));
      rows.weight.push_back(static_cast<Cost>(weight * factor));
      rows.size.push_back(by_weight ? static_cast<Cost>(weight) : 1);
    }
    demand(total > 0, "no row has any weight");
    demand(Fraction(total) * Fraction(factor) * Fraction(std::max<Cost>(highest, 1)) <
               Fraction(kTotal),
           "the weights are too large");
    rows.n = kept.size();
    rows.least = header.at("min_samples_leaf").whole(1, Cost{1} << 53);
    demand(rows.least == 1 || !by_weight, "two limits on the sides of a split");
    if (by_weight) {
      const Fraction least = heavy / unit;
      const Wide up = (least.above() + least.below() - 1) / least.below();
      rows.least = static_cast<Cost>(std::min<Wide>(up, kTotal));
    }
    rows.penalty = static_cast<Cost>(std::min<Wide>(worth.above(), kTotal));
    unit = unit / Fraction(factor);
    for (const auto& column : data.columns) rank(column);
  }

 private:
  static Fraction weight_of(const Json& header, const Data& data, std::size_t i) {
    const Json& factors = header.at("class_weight");
    const auto label = static_cast<std::size_t>(data.label[i]);
    Fraction out = data.weight.empty() ? Fraction(1) : Fraction::of(data.weight[i]);
    if (!factors.null()) {
      demand(factors.list.size() == header.at("classes").list.size(), "class weights");
      out = out * factors.list[label].fraction();
    }
    return out / header.at("unit").fraction();
  }
  void read_costs(const Json& table) {
    if (table.null()) return;
    demand(table.list.size() == rows.classes, "costs are no table");
    for (const Json& row : table.list) {
      demand(row.list.size() == rows.classes, "costs are no table");
      for (const Json& cost : row.list) rows.costs.push_back(cost.whole(0, kTotal));
    }
  }
  void rank(const std::vector<double>& column) {
    std::vector<double> values;
    for (const std::size_t i : kept) values.push_back(column[i]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    rows.ranks.emplace_back();
    for (const std::size_t i : kept)
      rows.ranks.back().push_back(static_cast<int>(
          std::lower_bound(values.begin(), values.end(), column[i]) - values.begin()));
  }
};

// The cost of a tree's leaves, and its splits.
struct TreeCost {
  const Problem& problem;
  const Data& data;
  std::int64_t depth;
  Wide cost = 0;
  std::int64_t splits = 0;

  void add(const Json& node, const std::vector<std::size_t>& inside, std::int64_t level) {
    const Rows& rows = problem.rows;
    if (node.object.count("leaf") != 0) {
      const auto most = static_cast<std::int64_t>(rows.classes) - 1;
      const auto answer = static_cast<std::size_t>(node.at("leaf").whole(0, most));
      for (const std::size_t i : inside)
        cost += static_cast<Wide>(rows.weight[i]) *
                rows.cost(static_cast<std::size_t>(rows.label[i]), answer);
      return;
    }
    demand(level < depth, "the tree is too deep");
    ++splits;
    const auto last = static_cast<std::int64_t>(rows.columns) - 1;
    const auto& column = data.columns[static_cast<std::size_t>(node.at("column").whole(0, last))];
    const double threshold = node.at("threshold").real();
    std::vector<std::size_t> sides[2];
    Cost sizes[2] = {0, 0};
    for (const std::size_t i : inside) {
      const int s = column[problem.kept[i]] <= threshold ? 0 : 1;
      sides[s].push_back(i);
      sizes[s] += rows.size[i];
    }
    demand(std::min(sizes[0], sizes[1]) >= rows.least, "a leaf is too small");
    add(node.at("left"), sides[0], level + 1);
    add(node.at("right"), sides[1], level + 1);
  }
};

std::string read_all(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  demand(in.good(), path + " cannot be read");
  std::string out;
  std::vector<char> part(1 << 16);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    out.append(part.data(), static_cast<std::size_t>(in.gcount()));
    demand(out.size() <= kLargest, "the certificate is too long");
  }
  return out;
}

std::int64_t budget(const Json& value, std::int64_t most) {
  return value.null() ? -1 : value.whole(0, most);
}

template <class T>
std::vector<Cost> bounds_by(const Rows& rows, Plan& plan, std::int64_t work, bool binary,
                            std::int64_t depth, std::int64_t splits) {
  if (binary) return PairChecker<T>(rows, plan, work).root(depth, splits);
  return Checker<T>(rows, plan, work).root(depth, splits);
}
std::vector<Cost> bounds_of(const Rows& rows, Plan& plan, std::int64_t work, bool binary,
                            std::int64_t depth, std::int64_t splits) {
  Cost heaviest = 0;  // no sum is more than this
  for (std::size_t i = 0; i < rows.n; ++i)
    heaviest += std::max({rows.size[i], rows.weight[i], rows.influence(static_cast<int>(i))});
  if (heaviest < Cost{1} << 15)
    return bounds_by<std::int16_t>(rows, plan, work, binary, depth, splits);
  if (heaviest < Cost{1} << 31)
    return bounds_by<std::int32_t>(rows, plan, work, binary, depth, splits);
  return bounds_by<Cost>(rows, plan, work, binary, depth, splits);
}

int run(const std::vector<std::string>& args) {
  std::string text = read_all(args[0]);
  const std::size_t end = text.find('\n');
  demand(end != std::string::npos && end <= kLargestHeader, "there is no header line");
  const std::string line = text.substr(0, end);
  const Json header = JsonReader(line).read();
  const bool binary = header.at("family").text == "binary";
  demand(header.at("format").text == "exactree.proof" && header.at("version").text == "1" &&
             (binary || header.at("family").text == "axis"),
         "not a certificate for this checker");
  const auto kinds = header.object.find("kinds");
  demand(kinds == header.object.end() || kinds->second.null(),
         "missing values and categories are for the checker in Python");
  const std::string target = args.size() > 2 ? args[2] : header.at("target").name();
  const Data data(read_table(args[1]), header, target, args.size() > 3 ? args[3] : "");
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const bool same = header.at("rows").whole(0, kTotal) == size(data.label.size()) &&
                    header.at("columns").whole(0, kTotal) == size(data.columns.size()) &&
                    (header.at("weights").kind == Json::kTrue) == (args.size() > 3);
  demand(same && header.at("data").text == data.digest(), "these are other data");
  const Problem problem(header, data);
  const std::int64_t depth = budget(header.at("max_depth"), kDeepest);
  const std::int64_t splits = budget(header.at("max_splits"), Cost{1} << 53);
  Plan plan(text.substr(end + 1));
  const std::vector<Cost> bounds =
      bounds_of(problem.rows, plan, header.at("work").whole(0, kWork), binary,
                depth < 0 ? size(problem.rows.n) : depth, splits);
  demand(!header.at("results").list.empty(), "the certificate has no results");
  bool optimal = true;
  for (const Json& result : header.at("results").list) {
    const std::int64_t most = budget(result.at("max_splits"), Cost{1} << 53);
    demand(splits < 0 ? most < 0 : most >= 0 && most <= splits, "a result with another budget");
    TreeCost tree{problem, data, depth < 0 ? kDeepest : depth};
    std::vector<std::size_t> all(problem.rows.n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    tree.add(result.at("tree"), all, 0);
    demand(most < 0 || tree.splits <= most, "the tree has too many splits");
    const Fraction value = Fraction(tree.cost) * problem.unit +
                           Fraction(tree.splits) * header.at("penalty").fraction();
    const std::size_t last = bounds.size() - 1;
    const std::size_t k = most < 0 ? last : std::min(last, static_cast<std::size_t>(most));
    const Fraction bound = Fraction(bounds[k]) * problem.unit, said = result.at("bound").fraction();
    demand(result.at("value").fraction() == value, "the tree costs " + value.text());
    demand(!(bound < said), "the plan shows only " + bound.text());
    optimal = optimal && said == value;
    std::cout << "checked: no tree costs less than " << said.text() << ", this tree costs "
              << value.text() << " (the plan shows " << bound.text() << ")\n";
  }
  return optimal ? 0 : 4;
}

}  // namespace
}  // namespace checker

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2 || args.size() > 4) {
    std::cerr << "xz -dc proof.xz | check_certificate - data.csv [target [weights]]\n";
    return 2;
  }
  try {
    return checker::run(args);
  } catch (const std::exception& error) {
    std::cerr << "rejected: " << error.what() << '\n';
    return 1;
  }
}

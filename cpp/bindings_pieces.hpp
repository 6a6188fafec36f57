// Questions, replies and trees as the plain dictionaries and lists that travel to workers and back.
// What comes back is not believed: each item is checked for its type and its length.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings_search.hpp"
#include "search/remote/facts.hpp"
#include "search/remote/session.hpp"

namespace exactree {

using Integers = std::vector<std::int64_t>;
using Plain = nb::typed<nb::dict, nb::str, nb::any>;

template <class T>
T item(const nb::dict& from, const char* name) {
  try {
    return nb::cast<T>(from[name]);
  } catch (const nb::cast_error&) {
    throw std::invalid_argument(std::string("\"") + name + "\" is not as it should be");
  } catch (const nb::python_error&) {
    throw std::invalid_argument(std::string("\"") + name + "\" is missing");
  }
}

inline nb::list path_list(const Path& path) {
  nb::list out;
  for (const Step& step : path)
    out.append(Integers{step.feature, step.position, step.left ? 1 : 0});
  return out;
}

inline Path path_from(const std::vector<std::vector<int>>& list) {
  Path path;
  for (const auto& step : list) {
    require(step.size() == 3, "a step of a path has a column, a position and a side");
    path.push_back({step[0], step[1], step[2] != 0});
  }
  return path;
}

inline nb::bytes facts_bytes(const SideFacts& facts) {
  const std::string bytes = packed(facts);
  return nb::bytes(bytes.data(), bytes.size());
}

inline nb::dict question_dict(const Question& question) {
  nb::dict out;
  if (question.feature >= 0) {
    out["path"] = path_list(question.path);
    out["feature"] = question.feature;
    out["position"] = question.position;
    out["goal"] = question.goal;
    out["best"] = question.best;
    out["round"] = question.round;
    out["proved"] = question.proved;
    out["lo"] = std::vector<Costs>{question.lo[0], question.lo[1]};
    out["hi"] = std::vector<Costs>{question.hi[0], question.hi[1]};
    if (question.shared) {
      nb::list near;
      for (const Neighbour& at : question.neighbours)
        near.append(nb::make_tuple(at.position, at.side, facts_bytes(at.facts)));
      out["neighbours"] = near;
    }
    nb::list run;
    for (const KnownThreshold& at : question.run)
      run.append(nb::make_tuple(at.position, at.closed, at.lo[0], at.lo[1]));
    if (run.size() > 0) out["run"] = run;
  } else {
    out["branch"] = std::vector<int>(question.branch.begin(), question.branch.end());
  }
  out["target"] = question.target;
  out["divisible"] = question.divisible;
  return out;
}

inline void take_pair(const nb::dict& from, const char* name, Costs out[2]) {
  auto pair = item<std::vector<Costs>>(from, name);
  require(pair.size() == 2, std::string(name) + " has two sides");
  for (std::size_t s = 0; s < 2; ++s) out[s] = std::move(pair[s]);
}

template <class T>
T element(const nb::handle& tuple, std::size_t i) {
  try {
    return nb::cast<T>(tuple[i]);
  } catch (const nb::cast_error&) {
    throw std::invalid_argument("a list is not as it should be");
  } catch (const nb::python_error&) {
    throw std::invalid_argument("a list is shorter than it should be");
  }
}

inline SideFacts facts_from(const nb::handle& bytes) {
  require(nb::isinstance<nb::bytes>(bytes), "facts are not as they should be");
  const auto found = nb::borrow<nb::bytes>(bytes);
  return unpacked(found.c_str(), found.size());
}

inline Question question_from(const nb::dict& from) {
  Question question;
  question.target = item<Costs>(from, "target");
  if (from.contains("branch")) {
    for (const int bit : item<std::vector<int>>(from, "branch"))
      question.branch.push_back(bit != 0);
    return question;
  }
  question.path = path_from(item<std::vector<std::vector<int>>>(from, "path"));
  question.feature = item<int>(from, "feature");
  question.position = item<int>(from, "position");
  question.goal = item<Costs>(from, "goal");
  question.best = item<Costs>(from, "best");
  question.round = item<int>(from, "round");
  if (from.contains("proved")) question.proved = item<Costs>(from, "proved");
  take_pair(from, "lo", question.lo);
  take_pair(from, "hi", question.hi);
  if (from.contains("run") && from.contains("more")) {
    for (const nb::handle at : item<nb::list>(from, "run"))
      question.run.push_back({element<int>(at, 0),
                              element<bool>(at, 1),
                              {element<Costs>(at, 2), element<Costs>(at, 3)}});
    question.more = item<double>(from, "more");
  }
  if (!from.contains("neighbours")) return question;
  question.shared = true;
  for (const nb::handle near : item<nb::list>(from, "neighbours"))
    question.neighbours.push_back(
        {element<int>(near, 0), element<int>(near, 1), facts_from(element<nb::object>(near, 2))});
  return question;
}

inline void add_sides(const Costs lo[2], const Costs hi[2], const SideFacts facts[2],
                      nb::dict& out) {
  if (!lo[0].empty()) {
    out["lo"] = std::vector<Costs>{lo[0], lo[1]};
    out["hi"] = std::vector<Costs>{hi[0], hi[1]};
  }
  for (int s = 0; s < 2; ++s)
    if (!facts[s].empty()) out[s == 0 ? "left_facts" : "right_facts"] = facts_bytes(facts[s]);
}

inline void take_sides(const nb::dict& from, Costs lo[2], Costs hi[2], SideFacts facts[2]) {
  if (from.contains("lo")) {
    take_pair(from, "lo", lo);
    take_pair(from, "hi", hi);
  }
  for (int s = 0; s < 2; ++s) {
    const char* name = s == 0 ? "left_facts" : "right_facts";
    if (from.contains(name)) facts[s] = facts_from(from[name]);
  }
}

inline nb::dict reply_dict(const Reply& reply) {
  nb::dict out;
  out["complete"] = reply.complete;
  add_sides(reply.lo, reply.hi, reply.facts, out);
  if (!reply.best.empty()) out["best"] = reply.best;
  nb::list others;
  for (const SolvedThreshold& at : reply.others) {
    nb::dict other;
    other["position"] = at.position;
    add_sides(at.lo, at.hi, at.facts, other);
    others.append(other);
  }
  if (others.size() > 0) out["others"] = others;
  nb::list masks, trees;
  for (const FoundMask& found : reply.masks)
    masks.append(nb::make_tuple(found.budget, found.id, found.source, found.left, found.side[0],
                                found.side[1]));
  for (const FoundTree& found : reply.trees)
    trees.append(nb::make_tuple(found.budget, found.cost, rows_of_tree(found.tree)));
  if (masks.size() > 0) out["masks"] = masks;
  if (trees.size() > 0) out["trees"] = trees;
  Integers counters{reply.counters.nodes, reply.counters.evaluations, reply.counters.scans};
  counters.insert(counters.end(), reply.counters.pruned.begin(), reply.counters.pruned.end());
  out["counters"] = counters;
  return out;
}

inline nb::dict plan_dict(const PlanFacts& plan) {
  nb::dict out;
  nb::list tried, trees;
  for (const auto& at : plan.tried) {
    nb::dict one;
    one["feature"] = at.feature;
    one["position"] = at.position;
    add_sides(at.lo, at.hi, at.facts, one);
    tried.append(one);
  }
  for (const FoundTree& found : plan.trees)
    trees.append(nb::make_tuple(found.budget, found.cost, rows_of_tree(found.tree)));
  out["more"] = plan.more;
  out["order"] = plan.order;
  out["promising"] = plan.promising;
  out["bound"] = plan.bound;
  out["tried"] = tried;
  out["trees"] = trees;
  return out;
}

inline PlanFacts plan_from(const nb::dict& from) {
  PlanFacts plan;
  plan.known = true;
  plan.more = item<bool>(from, "more");
  plan.order = item<std::vector<int>>(from, "order");
  plan.promising = item<std::vector<Integers>>(from, "promising");
  plan.bound = item<Costs>(from, "bound");
  for (const nb::handle at : item<nb::list>(from, "tried")) {
    require(nb::isinstance<nb::dict>(at), "a plan is not as it should be");
    const auto one = nb::borrow<nb::dict>(at);
    PlanFacts::Tried& tried = plan.tried.emplace_back();
    tried.feature = item<int>(one, "feature");
    tried.position = item<int>(one, "position");
    take_sides(one, tried.lo, tried.hi, tried.facts);
  }
  for (const nb::handle found : item<nb::list>(from, "trees"))
    plan.trees.push_back(
        {element<int>(found, 0), element<Cost>(found, 1), tree_from(element<TreeRows>(found, 2))});
  return plan;
}

inline void take_counters(const nb::dict& from, Counters& counters) {
  const auto numbers = item<Integers>(from, "counters");
  require(numbers.size() == 3 + counters.pruned.size(), "there are not as many counters");
  counters.nodes = numbers[0];
  counters.evaluations = numbers[1];
  counters.scans = numbers[2];
  std::copy(numbers.begin() + 3, numbers.end(), counters.pruned.begin());
}

inline Reply reply_from(const nb::dict& from) {
  Reply reply;
  reply.complete = item<bool>(from, "complete");
  take_sides(from, reply.lo, reply.hi, reply.facts);
  if (from.contains("best")) reply.best = item<Costs>(from, "best");
  if (from.contains("others"))
    for (const nb::handle other : item<nb::list>(from, "others")) {
      require(nb::isinstance<nb::dict>(other), "a reply is not as it should be");
      const auto one = nb::borrow<nb::dict>(other);
      SolvedThreshold& at = reply.others.emplace_back();
      at.position = item<int>(one, "position");
      take_sides(one, at.lo, at.hi, at.facts);
    }
  if (from.contains("masks"))
    for (const nb::handle found : item<nb::list>(from, "masks"))
      reply.masks.push_back({element<int>(found, 0),
                             element<int>(found, 1),
                             element<int>(found, 2),
                             element<std::vector<std::uint64_t>>(found, 3),
                             {element<Costs>(found, 4), element<Costs>(found, 5)}});
  if (from.contains("trees"))
    for (const nb::handle found : item<nb::list>(from, "trees"))
      reply.trees.push_back({element<int>(found, 0), element<Cost>(found, 1),
                             tree_from(element<TreeRows>(found, 2))});
  if (from.contains("counters")) take_counters(from, reply.counters);
  return reply;
}

}  // namespace exactree

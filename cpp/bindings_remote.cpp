// The Python face of searches whose pieces are answered elsewhere: questions and replies are plain
// dictionaries of numbers and lists.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bindings_search.hpp"
#include "search/remote/answerer.hpp"
#include "search/remote/facts.hpp"
#include "search/remote/helper.hpp"
#include "search/remote/session.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

using Integers = std::vector<std::int64_t>;
using Plain = nb::typed<nb::dict, nb::str, nb::any>;
using ClaimList = nb::typed<nb::list, nb::typed<nb::tuple, Plain, Plain>>;

nb::any any_of(const nb::object& object) {
  return nb::borrow<nb::any>(object);
}

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

nb::list path_list(const Path& path) {
  nb::list out;
  for (const Step& step : path)
    out.append(Integers{step.feature, step.position, step.left ? 1 : 0});
  return out;
}

Path path_from(const std::vector<std::vector<int>>& list) {
  Path path;
  for (const auto& step : list) {
    require(step.size() == 3, "a step of a path has a column, a position and a side");
    path.push_back({step[0], step[1], step[2] != 0});
  }
  return path;
}

nb::bytes facts_bytes(const SideFacts& facts) {
  const std::string bytes = packed(facts);
  return nb::bytes(bytes.data(), bytes.size());
}

nb::dict question_dict(const Question& question) {
  nb::dict out;
  if (question.feature >= 0) {
    out["path"] = path_list(question.path);
    out["feature"] = question.feature;
    out["position"] = question.position;
    out["goal"] = question.goal;
    out["best"] = question.best;
    out["lo"] = std::vector<Costs>{question.lo[0], question.lo[1]};
    out["hi"] = std::vector<Costs>{question.hi[0], question.hi[1]};
    if (question.shared) {
      nb::list near;
      for (const Neighbour& at : question.neighbours)
        near.append(nb::make_tuple(at.position, at.side, facts_bytes(at.facts)));
      out["neighbours"] = near;
    }
  } else {
    out["branch"] = std::vector<int>(question.branch.begin(), question.branch.end());
  }
  out["target"] = question.target;
  out["divisible"] = question.divisible;
  return out;
}

void take_pair(const nb::dict& from, const char* name, Costs out[2]) {
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

SideFacts facts_from(const nb::handle& bytes) {
  require(nb::isinstance<nb::bytes>(bytes), "facts are not as they should be");
  const auto found = nb::borrow<nb::bytes>(bytes);
  return unpacked(found.c_str(), found.size());
}

Question question_from(const nb::dict& from) {
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
  take_pair(from, "lo", question.lo);
  take_pair(from, "hi", question.hi);
  if (!from.contains("neighbours")) return question;
  question.shared = true;
  for (const nb::handle near : item<nb::list>(from, "neighbours"))
    question.neighbours.push_back(
        {element<int>(near, 0), element<int>(near, 1), facts_from(element<nb::object>(near, 2))});
  return question;
}

using TreeRows = std::vector<std::vector<int>>;

TreeRows rows_of_tree(const Tree& tree) {
  TreeRows out;
  for (const TreeNode& node : tree)
    out.push_back({node.feature, node.low, node.high, node.left, node.right, node.label});
  return out;
}

// In preorder, as the search writes it: the left child is the next node.
Tree tree_from(const TreeRows& rows) {
  Tree tree;
  const int size = static_cast<int>(rows.size());
  for (int i = 0; i < size; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    require(row.size() == 6, "a node of a tree has six numbers");
    tree.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
    const TreeNode& node = tree.back();
    require(node.feature < 0 || (node.left == i + 1 && node.right > node.left && node.right < size),
            "the nodes of a tree are not in order");
  }
  return tree;
}

nb::dict reply_dict(const Reply& reply) {
  nb::dict out;
  out["complete"] = reply.complete;
  if (!reply.lo[0].empty()) {
    out["lo"] = std::vector<Costs>{reply.lo[0], reply.lo[1]};
    out["hi"] = std::vector<Costs>{reply.hi[0], reply.hi[1]};
  }
  for (int s = 0; s < 2; ++s)
    if (!reply.facts[s].empty())
      out[s == 0 ? "left_facts" : "right_facts"] = facts_bytes(reply.facts[s]);
  if (!reply.best.empty()) out["best"] = reply.best;
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

void take_counters(const nb::dict& from, Counters& counters) {
  const auto numbers = item<Integers>(from, "counters");
  require(numbers.size() == 3 + counters.pruned.size(), "there are not as many counters");
  counters.nodes = numbers[0];
  counters.evaluations = numbers[1];
  counters.scans = numbers[2];
  std::copy(numbers.begin() + 3, numbers.end(), counters.pruned.begin());
}

Reply reply_from(const nb::dict& from) {
  Reply reply;
  reply.complete = item<bool>(from, "complete");
  if (from.contains("lo")) {
    take_pair(from, "lo", reply.lo);
    take_pair(from, "hi", reply.hi);
  }
  for (int s = 0; s < 2; ++s) {
    const char* name = s == 0 ? "left_facts" : "right_facts";
    if (!from.contains(name)) continue;
    reply.facts[s] = facts_from(from[name]);
  }
  if (from.contains("best")) reply.best = item<Costs>(from, "best");
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

Status status_from(const std::string& name) {
  if (name == "time_limit") return Status::kTimeLimit;
  if (name == "memory_limit") return Status::kMemoryLimit;
  require(name == "interrupted", "no such status: " + name);
  return Status::kInterrupted;
}

SearchRequest remote_request(const Posed& posed) {
  SearchRequest request = posed.request;
  request.remote = true;
  return request;
}

// A posing, its clock and its limits, for either role.
class Role {
 public:
  Role(const Posed& posed, std::int64_t memory_limit)
      : posed_(posed), posing_(posed_.data, remote_request(posed_)) {
    control_.memory_limit = memory_limit;
    control_.room = posing_.room(memory_limit);
  }

 protected:
  MakeRoot make_root() const { return kernels(posed_.isa).make_root; }

  Posed posed_;
  Posing posing_;
  Control control_;
};

class PySession : Role {
 public:
  PySession(const Posed& posed, double time_limit, std::int64_t memory_limit,
            std::optional<PollFunction> poll, bool keep)
      : Role(posed, memory_limit), watcher_(std::move(poll), progress_) {
    control_.time_limit = time_limit;
    control_.signal = [this](double seconds) { return watcher_(seconds); };
    nb::gil_scoped_release release;
    session_ = make_session(posing_, make_root(), control_, progress_, keep);
  }

  bool open() {
    bool ready = false;
    {
      nb::gil_scoped_release release;
      ready = session_->open();
    }
    watcher_.raise();
    return ready;
  }
  // A number and a question; none now (busy), or none at all.
  nb::any ask(bool shared) {
    Question question;
    int number = -1;
    switch (session_->ask(question, number, shared)) {
      case Asked::kPiece:
        return any_of(nb::make_tuple(number, question_dict(question)));
      case Asked::kBusy:
        return any_of(nb::bool_(true));
      default:
        return any_of(nb::bool_(false));
    }
  }
  void tell(int number, const Plain& reply) { session_->tell(number, reply_from(reply)); }
  bool divide(int number, const Plain& reply) {
    return session_->divide(number, reply_from(reply));
  }
  void restore(const Plain& question, const Plain& reply) {
    session_->restore({question_from(question), reply_from(reply)});
  }
  ClaimList take_claims() {
    ClaimList out;
    for (const Claim& claim : session_->take_claims())
      out.append(nb::make_tuple(question_dict(claim.question), reply_dict(claim.reply)));
    return out;
  }
  nb::any next_unwritten() {
    const TreeWanted wanted = session_->next_unwritten();
    if (wanted.budget < 0) return any_of(nb::none());
    nb::dict out;
    out["budget"] = wanted.budget;
    out["splits"] = wanted.splits;
    out["cost"] = wanted.cost;
    out["feature"] = wanted.feature;
    out["position"] = wanted.position;
    out["sides"] = std::vector<Costs>{wanted.side[0], wanted.side[1]};
    return any_of(out);
  }
  void written(int budget, Cost cost, const TreeRows& tree) {
    session_->written(budget, cost, tree_from(tree));
  }
  bool poll() {
    session_->poll();
    watcher_.raise();
    return session_->stopped();
  }
  void stop(const std::string& why) { session_->stop(status_from(why)); }
  bool stopped() const { return session_->stopped(); }
  AnySession& session() { return *session_; }
  Cost objective() const { return progress_.objective; }
  Cost lower_bound() const { return progress_.lower_bound; }
  std::int64_t room(std::int64_t memory_limit) const { return posing_.room(memory_limit); }
  SearchResult finish(int workers) {
    SearchResult result;
    {
      nb::gil_scoped_release release;
      result = session_->finish();
    }
    watcher_.raise();
    result.threads = workers;
    result.counters.pruned[static_cast<std::size_t>(Pruning::kConflict)] += posing_.conflicts();
    if (posed_.translate) posed_.translate(result);
    return result;
  }

 private:
  SearchProgress progress_;
  Watcher watcher_;
  std::unique_ptr<AnySession> session_;
};

// A thread of this process. It keeps a share of the memory that the session may use.
class PyHelper {
 public:
  PyHelper(PySession& session, std::int64_t memory_limit) {
    control_.memory_limit = memory_limit;
    control_.room = session.room(memory_limit);
    helper_ = session.session().helper(control_);
  }

  int take() { return static_cast<int>(helper_->take()); }
  bool divisible() const { return helper_->divisible(); }
  bool answer(double seconds) {
    nb::gil_scoped_release release;
    return helper_->answer(seconds);
  }
  bool give() { return helper_->give(); }
  std::int64_t evaluations() const { return helper_->evaluations(); }
  bool take_unwritten() { return helper_->take_unwritten(); }
  void write(double seconds) {
    nb::gil_scoped_release release;
    helper_->write(seconds);
  }
  nb::any give_written() {
    const FoundTree found = helper_->give_written();
    if (found.tree.empty()) return any_of(nb::none());
    return any_of(nb::make_tuple(found.budget, found.cost, rows_of_tree(found.tree)));
  }
  void stop() { control_.stop(Status::kInterrupted); }

 private:
  Control control_;
  std::unique_ptr<AnyHelper> helper_;
};

class PyAnswerer : Role {
 public:
  PyAnswerer(const Posed& posed, std::int64_t memory_limit) : Role(posed, memory_limit) {}

  Plain answer(const Plain& question, double seconds) {
    const Question asked = question_from(question);
    Reply reply;
    {
      nb::gil_scoped_release release;
      reply = ready().answer(asked, seconds);
    }
    Plain out(reply_dict(reply));
    if (!reply.complete)
      out["why"] = control_.status() == Status::kMemoryLimit ? "memory_limit" : "time_limit";
    return out;
  }
  TreeRows write(const Plain& wanted, double seconds) {
    TreeWanted tree;
    tree.budget = item<int>(wanted, "budget");
    tree.splits = item<int>(wanted, "splits");
    tree.cost = item<Cost>(wanted, "cost");
    tree.feature = item<int>(wanted, "feature");
    tree.position = item<int>(wanted, "position");
    take_pair(wanted, "sides", tree.side);
    nb::gil_scoped_release release;
    return rows_of_tree(ready().write(tree, seconds));
  }

 private:
  // Reads the rows when it is first asked.
  AnyAnswerer& ready() {
    if (!answerer_) answerer_ = make_answerer(posing_, make_root(), control_);
    return *answerer_;
  }
  std::unique_ptr<AnyAnswerer> answerer_;
};

}  // namespace

void bind_remote(nb::module_& m) {
  nb::class_<PySession>(m, "Session", "A search whose pieces are answered elsewhere.")
      .def(nb::init<const Posed&, double, std::int64_t, std::optional<PollFunction>, bool>(),
           "posed"_a, nb::kw_only(), "time_limit"_a = std::numeric_limits<double>::infinity(),
           "memory_limit"_a = 0, "poll"_a = nb::none(), "keep"_a = false)
      .def("open", &PySession::open, "Find first trees; False if it was stopped meanwhile.")
      .def(
          "ask", &PySession::ask, "shared"_a = false,
          "Give the next piece as (number, question); True if there may be more later, else False.")
      .def("tell", &PySession::tell, "number"_a, "reply"_a, "Take a complete reply over.")
      .def("divide", &PySession::divide, "number"_a, "reply"_a,
           "Take a partial reply over and ask for smaller pieces; False: there is no room for it.")
      .def("restore", &PySession::restore, "question"_a, "reply"_a,
           "Take a claim of an earlier run over, before anything is asked.")
      .def("take_claims", &PySession::take_claims, "Give what was proved since the last call.")
      .def("next_unwritten", &PySession::next_unwritten, "Name a split whose tree is wanted.")
      .def("written", &PySession::written, "budget"_a, "cost"_a, "tree"_a, "Take a tree over.")
      .def("poll", &PySession::poll, "Watch the clock and signals; True if it was stopped.")
      .def("stop", &PySession::stop, "why"_a)
      .def_prop_ro("stopped", &PySession::stopped)
      .def("finish", &PySession::finish, "workers"_a = 1, "Write the trees down and end it.")
      .def_prop_ro("objective", &PySession::objective)
      .def_prop_ro("lower_bound", &PySession::lower_bound);
  nb::class_<PyHelper>(m, "Helper", "A thread that answers the pieces of a session.")
      .def(nb::init<PySession&, std::int64_t>(), "session"_a, "memory_limit"_a = 0,
           nb::keep_alive<1, 2>())
      .def("take", &PyHelper::take,
           "Take the next piece: 0; 1: there may be one later; 2: nothing is open.")
      .def_prop_ro("divisible", &PyHelper::divisible)
      .def("answer", &PyHelper::answer, "seconds"_a, "Answer it; False: it is not done.")
      .def("give", &PyHelper::give, "Tell the session; False: answer it with more time.")
      .def("take_unwritten", &PyHelper::take_unwritten, "Take a split whose tree is wanted.")
      .def("write", &PyHelper::write, "seconds"_a, "Write its tree down.")
      .def("give_written", &PyHelper::give_written, "Tell the session, and give the tree.")
      .def_prop_ro("evaluations", &PyHelper::evaluations)
      .def("stop", &PyHelper::stop, "From any thread: end what it is at.");
  nb::class_<PyAnswerer>(m, "Answerer", "Answers the questions of a session.")
      .def(nb::init<const Posed&, std::int64_t>(), "posed"_a, "memory_limit"_a = 0)
      .def("answer", &PyAnswerer::answer, "question"_a,
           "seconds"_a = std::numeric_limits<double>::infinity(),
           "Answer a question within a time, completely or not.")
      .def("write", &PyAnswerer::write, "wanted"_a,
           "seconds"_a = std::numeric_limits<double>::infinity(),
           "Write the tree with a first split down; empty if time was too short.");
}

}  // namespace exactree

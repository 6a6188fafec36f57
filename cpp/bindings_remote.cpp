// The Python face of searches whose pieces are answered elsewhere: sessions that ask, threads and
// workers that answer. bindings_pieces.hpp has questions and replies as plain data.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bindings_pieces.hpp"
#include "bindings_search.hpp"
#include "search/remote/answerer.hpp"
#include "search/remote/helper.hpp"
#include "search/remote/session.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace exactree {

namespace {

using ClaimList = nb::typed<nb::list, nb::typed<nb::tuple, Plain, Plain>>;
using TreeList = nb::typed<nb::list, nb::typed<nb::tuple, int, Cost, Cost, TreeRows>>;

nb::any any_of(const nb::object& object) {
  return nb::borrow<nb::any>(object);
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
      : Role(posed, memory_limit), watcher_(std::move(poll), progress_, control_) {
    control_.time_limit = time_limit;
    nb::gil_scoped_release release;
    session_ = make_session(posing_, make_root(), control_, progress_, keep);
  }

  bool open(const std::optional<Plain>& known) {
    bool ready = false;
    if (known) plan_ = plan_from(*known);
    {
      nb::gil_scoped_release release;
      ready = session_->open(plan_);
    }
    watcher_.raise();
    return ready;
  }
  nb::any plan() const { return plan_.known ? any_of(plan_dict(plan_)) : any_of(nb::none()); }
  // A number and a question; none now (busy), or none at all.
  nb::any ask(bool shared, bool ahead, int lent_from) {
    Question question;
    int number = -1;
    switch (session_->ask(question, number, {shared, ahead, lent_from})) {
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
  // Budget, cost, what that is with what all trees cost besides, and the tree.
  TreeList trees() const {
    TreeList out;
    for (const FoundTree& found : session_->trees())
      out.append(nb::make_tuple(found.budget, found.cost, found.cost + posing_.request().offset,
                                rows_of_tree(found.tree)));
    return out;
  }
  bool poll() {
    session_->poll();
    watcher_.raise();
    return session_->stopped();
  }
  void stop(const std::string& why) { session_->stop(status_from(why)); }
  bool stopped() const { return session_->stopped(); }
  AnySession& session() { return *session_; }
  std::int64_t evaluations() const { return session_->evaluations(); }
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
  PlanFacts plan_;
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
  void want_part() { helper_->want_part(); }
  nb::any take_part(double seconds) {
    const Claim part = [&] {
      nb::gil_scoped_release release;
      return helper_->take_part(seconds);
    }();
    if (part.reply.lo[0].empty()) return any_of(nb::none());
    return any_of(nb::make_tuple(question_dict(part.question), reply_dict(part.reply)));
  }
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
  std::tuple<Cost, TreeRows> write(const Plain& wanted, double seconds) {
    TreeWanted tree;
    tree.budget = item<int>(wanted, "budget");
    tree.splits = item<int>(wanted, "splits");
    tree.cost = item<Cost>(wanted, "cost");
    tree.feature = item<int>(wanted, "feature");
    tree.position = item<int>(wanted, "position");
    take_pair(wanted, "sides", tree.side);
    nb::gil_scoped_release release;
    const FoundTree found = ready().write(tree, seconds);
    return {found.cost, rows_of_tree(found.tree)};
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
      .def("open", &PySession::open, "plan"_a = nb::none(),
           "Find first trees, or take those of an earlier run; False if it was stopped meanwhile.")
      .def_prop_ro("plan", &PySession::plan, "What was planned, once it is open.")
      .def(
          "ask", &PySession::ask, "shared"_a = false, "ahead"_a = false,
          "lent_from"_a = Asking{}.lent_from,
          "Give the next piece as (number, question); True if there may be more later, else False.")
      .def("tell", &PySession::tell, "number"_a, "reply"_a, "Take a complete reply over.")
      .def("divide", &PySession::divide, "number"_a, "reply"_a,
           "Take a partial reply over and ask for smaller pieces; False: there is no room for it.")
      .def("restore", &PySession::restore, "question"_a, "reply"_a,
           "Take a claim of an earlier run over, before anything is asked.")
      .def("take_claims", &PySession::take_claims, "Give what was proved since the last call.")
      .def("next_unwritten", &PySession::next_unwritten, "Name a split whose tree is wanted.")
      .def("written", &PySession::written, "budget"_a, "cost"_a, "tree"_a, "Take a tree over.")
      .def("trees", &PySession::trees,
           "Give the best trees so far: budget, cost, cost with what all trees cost, tree.")
      .def("poll", &PySession::poll, "Watch the clock and signals; True if it was stopped.")
      .def("stop", &PySession::stop, "why"_a)
      .def_prop_ro("stopped", &PySession::stopped)
      .def("finish", &PySession::finish, "workers"_a = 1, "Write the trees down and end it.")
      .def_prop_ro("evaluations", &PySession::evaluations, "Without those of helpers.")
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
      .def("want_part", &PyHelper::want_part, "From any thread: ask what is known of its piece.")
      .def("take_part", &PyHelper::take_part, "seconds"_a,
           "From any thread: take that, as a claim, once it is told; wait so long.")
      .def_prop_ro("evaluations", &PyHelper::evaluations)
      .def("stop", &PyHelper::stop, "From any thread: end what it is at.");
  nb::class_<PyAnswerer>(m, "Answerer", "Answers the questions of a session.")
      .def(nb::init<const Posed&, std::int64_t>(), "posed"_a, "memory_limit"_a = 0)
      .def("answer", &PyAnswerer::answer, "question"_a,
           "seconds"_a = std::numeric_limits<double>::infinity(),
           "Answer a question within a time, completely or not.")
      .def("write", &PyAnswerer::write, "wanted"_a,
           "seconds"_a = std::numeric_limits<double>::infinity(),
           "Write the tree with a first split down, with its cost; empty if time was too short.");
}

}  // namespace exactree

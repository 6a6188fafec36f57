#include "search/remote/session.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "search/binary/binary_node.hpp"
#include "search/remote/facts.hpp"
#include "search/remote/levels.hpp"

namespace exactree {

namespace {

// Bytes of solved sides that are kept at a time: more take longer than they spare.
constexpr std::int64_t kMostSides = 4 << 20;

}  // namespace

template <class V>
Session<V>::Session(const Posing& posing, MakeRoot make_root, Control& control,
                    SearchProgress& progress, std::unique_ptr<SearchResult> result, bool keep)
    : RootSearch<V>(posing.data(), posing.request(), make_root, control, progress, *result),
      own_result_(std::move(result)),
      keep_(keep) {
  Level<V>& all = levels_.emplace_back();
  all.node = root_.get();
  all.incumbents = &incumbents_;
  all.frontier = frontier_.get();
}

template <class V>
bool Session<V>::open(PlanFacts& plan) {
  incumbents_.start(root_->leaf(), root_->label());
  if (plan.known) take_trees(plan);
  incumbents_.report();
  const bool known = plan.known;
  try {
    if (!control_.stopped() && budget_.depth > 0 && root_->leaf() > 0) frontier_->open(&plan);
    if (plan.known && !known) note_trees(plan);
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  }
  return !control_.stopped();
}

template <class V>
void Session<V>::take_trees(const PlanFacts& plan) {
  for (const FoundTree& found : plan.trees) {
    const auto k = static_cast<std::size_t>(found.budget);
    if (found.budget < 0 || k >= incumbents_.size() || found.tree.empty())
      throw std::invalid_argument("a tree of a budget that there is not");
    if (incumbents_.improves(k, found.cost)) incumbents_.take_tree(k, found.cost, found.tree);
  }
}

template <class V>
void Session<V>::note_trees(PlanFacts& plan) const {
  for (std::size_t k = 0; k < incumbents_.size(); ++k) {
    const Incumbent& best = incumbents_[k];
    if (best.cost == best.value && best.tree.size() > 1)
      plan.trees.push_back({static_cast<int>(k), best.cost, best.tree});
  }
}

Earlier::Begun& Earlier::begun_at(int feature, int position) {
  for (Begun& at : begun)
    if (at.is(feature, position)) return at;
  Begun& at = begun.emplace_back();
  at.part.question.feature = feature;
  at.part.question.position = position;
  return at;
}

template <class V>
void Session<V>::restore(const Claim& claim) {
  const Question& question = claim.question;
  // A piece below another means that the other was divided.
  Path path;
  for (const Step& step : question.path) {
    earlier_[path].begun_at(step.feature, step.position).divided = true;
    path.push_back(step);
  }
  Earlier& here = earlier_[path];
  if (claim.reply.complete) {
    if (!path.empty())
      here.claims.push_back(claim);
    else if (!frontier_->restore(question, claim.reply))
      throw std::invalid_argument("there is no such piece");
    std::erase_if(here.begun, [&](const Earlier::Begun& at) {
      return at.is(question.feature, question.position);
    });
    return;
  }
  Claim& part = here.begun_at(question.feature, question.position).part;
  const Claim before = std::exchange(part, claim);
  for (int s = 0; s < 2; ++s) add_facts(part.reply.facts[s], before.reply.facts[s]);
}

template <class V>
void Session<V>::restore_here(Level<V>& level) {
  const auto at = earlier_.find(level.path);
  if (at == earlier_.end()) return;
  for (const Claim& claim : std::exchange(at->second.claims, {}))
    level.frontier->restore(claim.question, claim.reply);
}

template <class V>
Asked Session<V>::begin_again(Level<V>& level, AskedPiece& found) {
  const auto at = earlier_.find(level.path);
  if (at == earlier_.end()) return Asked::kNone;
  Earlier& earlier = at->second;
  while (!earlier.begun.empty()) {
    const Earlier::Begun begun = std::move(earlier.begun.back());
    const auto& [question, reply] = begun.part;
    earlier.begun.pop_back();
    std::unique_ptr<Piece> piece = level.frontier->piece();
    const bool known = !reply.lo[0].empty();
    if (begun.divided) {
      if (!has_room(level) || !level.frontier->take(question, *piece)) continue;
      if (known) level.frontier->accept(*piece, reply);
      go_down(level, std::move(piece));
      return Asked::kBusy;
    }
    if (!known || !level.frontier->resume(question, reply, *piece)) continue;
    found = {&level, std::move(piece)};
    return Asked::kPiece;
  }
  earlier_.erase(at);
  return Asked::kNone;
}

// The latest level first: what is below a piece has to be known before the piece is.
template <class V>
Asked Session<V>::next(AskedPiece& found) {
  for (auto at = levels_.end(); at != levels_.begin();) {
    --at;
    Level<V>& level = *at;
    if (level.parent != nullptr) limit(level);
    const Asked again = begin_again(level, found);
    if (again == Asked::kPiece) return again;
    if (again == Asked::kBusy) {
      at = levels_.end();
      continue;
    }
    std::unique_ptr<Piece> piece = level.frontier->piece();
    const Asked asked = level.frontier->ask(worker_, *piece);
    if (asked == Asked::kPiece) {
      found = {&level, std::move(piece)};
      return asked;
    }
    if (asked == Asked::kNone && level.parent != nullptr) {
      close_level(at);
      at = levels_.end();
    }
  }
  return Asked::kNone;
}

template <class V>
bool Session<V>::next_ahead(AskedPiece& found) {
  for (Level<V>& level : levels_) {
    std::unique_ptr<Piece> piece = level.frontier->piece();
    if (!level.frontier->ask_ahead(worker_, *piece)) continue;
    found = {&level, std::move(piece)};
    return true;
  }
  return false;
}

template <class V>
Asked Session<V>::ask(Question& question, int& number, const Asking& how) {
  AskedPiece at;
  if (next(at) != Asked::kPiece) {
    if (asked_.empty()) return Asked::kNone;
    if (!how.ahead || !next_ahead(at)) return Asked::kBusy;
  }
  question = {};
  question.path = at.level->path;
  at.level->frontier->describe(*at.piece, question);
  question.shared = how.shared;
  if (how.shared) at.level->frontier->add_neighbours(*at.piece, question);
  if (static_cast<int>(question.path.size()) >= how.lent_from)
    at.level->frontier->lend_run(*at.piece, question);
  number = next_number_++;
  asked_[number] = std::move(at);
  return Asked::kPiece;
}

template <class V>
typename Session<V>::AskedPiece& Session<V>::asked(int number) {
  const auto at = asked_.find(number);
  if (at == asked_.end()) throw std::invalid_argument("no such piece was asked for");
  return at->second;
}

template <class V>
void Session<V>::tell(int number, const Reply& reply) {
  AskedPiece& at = asked(number);
  if (!reply.complete) throw std::invalid_argument("the reply is not complete");
  at.level->frontier->accept(*at.piece, reply);
  result_.counters.add(reply.counters);
  control_.count_nodes(reply.counters.nodes);
  close_piece(*at.level, *at.piece, &reply);
  for (const SolvedThreshold& other : reply.others) {
    at.level->frontier->accept_other(*at.piece, other);
    claim_other(*at.level, *at.piece, other);
  }
  asked_.erase(number);
  for (const FoundTree& found : reply.trees) written(found.budget, found.cost, found.tree);
}

// What was solved of the sides of a root split is kept with the claim: the neighbours that are
// searched after a restart need it. Below, what is still needed is kept while the level is open.
template <class V>
void Session<V>::close_piece(Level<V>& level, Piece& piece, const Reply* reply) {
  if (keep_) {
    Claim& claim = claims_.emplace_back();
    claim.question.path = level.path;
    level.frontier->describe(piece, claim.question);
    if (reply != nullptr) claim.reply = *reply;
    claim.reply.complete = true;
    level.frontier->reply(piece, claim.reply);
    if (level.parent != nullptr) claim.reply.facts[0] = claim.reply.facts[1] = {};
    claim.reply.trees.clear();
    claim.reply.others.clear();  // which are claims of their own
  }
  level.frontier->tell(worker_, piece, true);
}

template <class V>
void Session<V>::claim_other(const Level<V>& level, const Piece& piece,
                             const SolvedThreshold& other) {
  if (!keep_) return;
  Claim& claim = claims_.emplace_back();
  claim.question.path = level.path;
  level.frontier->describe(piece, claim.question);
  claim.question.position = other.position;
  claim.reply.complete = true;
  for (int s = 0; s < 2; ++s) {
    claim.reply.lo[s] = other.lo[s];
    claim.reply.hi[s] = other.hi[s];
    if (level.parent == nullptr) claim.reply.facts[s] = other.facts[s];
  }
}

template <class V>
bool Session<V>::divide(int number, const Reply& reply) {
  AskedPiece& at = asked(number);
  at.level->frontier->accept(*at.piece, reply);
  result_.counters.add(reply.counters);
  control_.count_nodes(reply.counters.nodes);
  if (!has_room(*at.level)) return false;
  Level<V>& level = *at.level;
  claim_part(level, *at.piece, reply);
  std::unique_ptr<Piece> piece = std::move(at.piece);
  asked_.erase(number);
  go_down(level, std::move(piece));
  return true;
}

template <class V>
void Session<V>::claim_part(Level<V>& level, const Piece& piece, Reply reply) {
  if (!keep_) return;
  Claim& claim = claims_.emplace_back();
  claim.question.path = level.path;
  level.frontier->describe(piece, claim.question);
  claim.reply = std::move(reply);
  claim.reply.complete = false;
  claim.reply.others.clear();  // of a reply that is not complete they are not taken over
}

// Solved sides next to what is open in a level are a part of the piece that was divided.
template <class V>
void Session<V>::claim_sides() {
  for (Level<V>& level : levels_) {
    Solution<V> solved;
    if (level.parent == nullptr || !level.frontier->list_sides(solved)) continue;
    Reply part;
    level.parent->frontier->reply(*level.piece, part);
    part.facts[level.side.step.left ? 1 : 0] = {};  // that was told before
    part.facts[level.side.step.left ? 0 : 1] = facts_of(solved, kMostSides);
    claim_part(*level.parent, *level.piece, std::move(part));
  }
}

template <class V>
std::vector<Claim> Session<V>::take_claims() {
  if (keep_) claim_sides();
  return std::exchange(claims_, {});
}

template <class V>
bool Session<V>::has_room(const Level<V>& level) const {
  // Not the room for what only makes the search faster, which solved sides may have filled.
  const std::int64_t limit = control_.memory_limit;
  return limit <= 0 || control_.peak_bytes() + 2 * level.node->bytes() <= limit;
}

template <class V>
void Session<V>::go_down(Level<V>& level, std::unique_ptr<Piece> piece) {
  OpenSide<V> side;
  if (!level.frontier->open_side(*piece, side)) {
    close_piece(level, *piece, nullptr);
    return;
  }
  try {
    open_level(level, std::move(piece), side);
    return;
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  }
  // The search is over: what is known of the piece was told before, and it stays open.
  piece = std::move(levels_.back().piece);
  levels_.pop_back();
  level.frontier->tell(worker_, *piece, false);
}

// No plan is made for a side: the cap is as good as the best tree.
template <class V>
void Session<V>::open_level(Level<V>& parent, std::unique_ptr<Piece> piece,
                            const OpenSide<V>& side) {
  Level<V>& level = levels_.emplace_back();
  level.parent = &parent;
  level.piece = std::move(piece);
  level.side = side;
  level.path = parent.path;
  level.path.push_back(side.step);
  level.own_node = parent.node->make_empty();
  level.node = level.own_node.get();
  parent.node->make_child(side.step.feature, side.step.position, side.step.left, *level.node,
                          worker_.work());
  if (level.node->kind() == SplitKind::kBinary) static_cast<BinaryNode&>(*level.node).open();
  control_.use_memory(level.node->bytes());
  Budget budget = budget_;
  for (std::size_t i = 0; i < level.path.size(); ++i) budget = budget.child();
  level.request = request_;
  level.request.sizes = V::kSizes;
  level.request.max_splits = budget.splits;
  level.request.max_depth = budget.depth;
  level.request.lower_bound = std::max<Cost>(0, side.lo.most());
  level.request.upper_bound = kInfinite;
  level.request.switches.off |= 1u << static_cast<int>(Pruning::kIncumbent);
  level.own_incumbents = std::make_unique<Incumbents<V>>(level.request, budget, control_,
                                                         level.progress, level.result);
  level.incumbents = level.own_incumbents.get();
  level.incumbents->start(level.node->leaf(), level.node->label());
  level.own_frontier = worker_.source().frontier(
      {data_, level.request, *level.node, budget, worker_, *level.incumbents, side.relatives});
  level.frontier = level.own_frontier.get();
  level.frontier->open(nullptr);
  level.found = side.hi;
  note_found(level);
  level.incumbents->limit(side.cap);
  restore_here(level);
}

// A better tree elsewhere leaves less to be found here.
template <class V>
void Session<V>::limit(Level<V>& level) {
  note_found(level);
  OpenSide<V> now;
  const bool wanted =
      level.parent->frontier->open_side(*level.piece, now) && now.step == level.side.step;
  level.incumbents->limit(wanted ? now.cap : level.side.lo);
}

template <class V>
void Session<V>::note_found(Level<V>& level) {
  for (std::size_t k = 0; k < level.incumbents->size(); ++k) {
    const Incumbent& best = (*level.incumbents)[k];
    Cost cost = best.cost;
    if (best.place != kKnownBefore) cost = std::min(cost, best.value);
    const int at = static_cast<int>(k);
    if (cost < level.found[at]) level.found.set(at, cost);
  }
}

// Nothing below the value of the incumbents is open, so the optimum is not below it either.
template <class V>
void Session<V>::close_level(typename std::list<Level<V>>::iterator at) {
  Level<V>& level = *at;
  note_found(level);
  auto solution = std::make_unique<Solution<V>>();
  solution->lower = level.side.lo;
  for (std::size_t k = 0; k < level.incumbents->size(); ++k) {
    const int i = static_cast<int>(k);
    solution->lower.set(i, std::max(solution->lower[i], (*level.incumbents)[k].value));
  }
  solution->upper = level.found;
  solution->depth = level.request.max_depth;
  level.frontier->store(*solution);
  Level<V>& parent = *level.parent;
  parent.frontier->close_side(*level.piece, level.side, std::move(solution));
  std::unique_ptr<Piece> piece = std::move(level.piece);
  control_.use_memory(-level.node->bytes() - level.frontier->bytes());
  levels_.erase(at);
  go_down(parent, std::move(piece));
}

template <class V>
TreeWanted Session<V>::next_unwritten() {
  for (;;) {
    const auto at = incumbents_.next_unwritten();
    if (at.split.feature < 0) return {};
    if (!incumbents_.lacks_tree(at.k) || incumbents_[at.k].value < at.cost) continue;
    TreeWanted wanted{static_cast<int>(at.k), incumbents_.splits_of(at.k), at.cost,
                      at.split.feature,       at.split.position,           {}};
    for (int s = 0; s < 2; ++s) wanted.side[s] = costs_of(at.split.hi[s]);
    return wanted;
  }
}

template <class V>
void Session<V>::written(int budget, Cost cost, const Tree& tree) {
  if (budget < 0 || static_cast<std::size_t>(budget) >= incumbents_.size() || tree.empty())
    throw std::invalid_argument("a tree of a budget that there is not");
  incumbents_.written(static_cast<std::size_t>(budget), cost, tree);
}

template <class V>
std::vector<FoundTree> Session<V>::trees() const {
  std::vector<FoundTree> out;
  for (std::size_t k = 0; k < incumbents_.size(); ++k) {
    const Incumbent& best = incumbents_[k];
    if (best.wanted && best.tree.size() > 1)
      out.push_back({static_cast<int>(k), best.cost, best.tree});
  }
  return out;
}

template <class V>
void Session<V>::poll() {
  control_.poll();
  this->note_bound();
}

template <class V>
SearchResult Session<V>::finish() {
  asked_.clear();
  this->conclude();
  result_.seconds = control_.seconds();
  result_.peak_bytes = control_.peak_bytes();
  return std::move(result_);
}

template class Session<One>;
template class Session<Curve<8>>;
template class Session<Curve<32>>;

std::unique_ptr<AnySession> make_session(const Posing& posing, MakeRoot make_root, Control& control,
                                         SearchProgress& progress, bool keep) {
  return posing.with_value([&]<class V>() -> std::unique_ptr<AnySession> {
    return std::make_unique<Session<V>>(posing, make_root, control, progress,
                                        std::make_unique<SearchResult>(), keep);
  });
}

}  // namespace exactree

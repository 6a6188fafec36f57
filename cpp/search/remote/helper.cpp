#include "search/remote/helper.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "search/driver/extract.hpp"
#include "search/remote/levels.hpp"
#include "search/remote/stations.hpp"

namespace exactree {

template <class V>
class Helper final : public AnyHelper {
 public:
  Helper(Session<V>& session, Control& control)
      : session_(session),
        control_(control),
        worker_(session.data_, control, session.request_.switches, false) {
    if (session.keep_) worker_.on_part = [this](const Solution<V>& side) { note_part(side); };
  }

  Asked take() override;
  bool divisible() const override { return divisible_; }
  bool answer(double seconds) override;
  bool give() override;
  void want_part() override;
  Claim take_part(double seconds) override;
  std::int64_t evaluations() const override { return given_ + worker_.work().counters.evaluations; }
  bool take_unwritten() override;
  void write(double seconds) override;
  FoundTree give_written() override;

 private:
  Stations<V>& stations();
  void drop();
  void give_counters();
  void note_part(const Solution<V>& side);

  Session<V>& session_;
  Control& control_;
  Worker<V> worker_;
  std::unique_ptr<Stations<V>> stations_;
  typename Session<V>::AskedPiece at_{};
  Question question_;
  std::mutex part_mutex_;
  std::condition_variable part_told_;
  Claim part_;
  const Solution<V>* side_told_ = nullptr;  // of the piece, solved before the other
  bool part_awaited_ = false;
  bool divisible_ = false, complete_ = false;
  typename Incumbents<V>::Unwritten unwritten_;
  Tree tree_;
  std::int64_t given_ = 0;  // evaluations
};

template <class V>
Asked Helper<V>::take() {
  const Asked asked = session_.next(at_);
  if (asked != Asked::kPiece) return session_.helping_ > 0 ? Asked::kBusy : Asked::kNone;
  ++session_.helping_;
  question_ = {};
  question_.path = at_.level->path;
  at_.level->frontier->describe(*at_.piece, question_);
  divisible_ = question_.divisible;
  return asked;
}

// Reads the rows when they are first needed, not while the session waits.
template <class V>
Stations<V>& Helper<V>::stations() {
  if (!stations_)
    stations_ = std::make_unique<Stations<V>>(session_.data_, session_.make_root_, session_.budget_,
                                              worker_);
  return *stations_;
}

template <class V>
bool Helper<V>::answer(double seconds) {
  control_.go_on(seconds);
  complete_ = false;
  side_told_ = nullptr;
  try {
    Station<V>& here = stations().go_to(at_.level->path);
    at_.level->frontier->answer(worker_, *here.node, *at_.piece);
    complete_ = !control_.stopped();
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
    control_.stop(Status::kMemoryLimit);
  }
  if (!complete_ && stations_) at_.level->frontier->keep_part(worker_, *at_.piece);
  return complete_;
}

template <class V>
bool Helper<V>::give() {
  give_counters();
  Level<V>& level = *at_.level;
  if (complete_) {
    session_.close_piece(level, *at_.piece, nullptr);
    drop();
    return true;
  }
  Reply part;
  if (divisible_) level.frontier->reply(*at_.piece, part);
  if (session_.stopped()) {
    if (divisible_) session_.claim_part(level, *at_.piece, std::move(part));
    level.frontier->tell(session_.worker_, *at_.piece, false);
    drop();
    return true;
  }
  if (!divisible_ || !session_.has_room(level)) {
    if (control_.status() == Status::kMemoryLimit) session_.stop(Status::kMemoryLimit);
    return false;
  }
  session_.claim_part(level, *at_.piece, std::move(part));
  session_.go_down(level, std::move(at_.piece));
  drop();
  return true;
}

template <class V>
void Helper<V>::give_counters() {
  given_ += worker_.work().counters.evaluations;
  session_.result_.counters.add(std::exchange(worker_.work().counters, {}));
}

template <class V>
void Helper<V>::note_part(const Solution<V>& side) {
  Claim claim{question_, {}};
  at_.level->frontier->reply_part(*at_.piece, side, side_told_, claim.reply);
  const std::lock_guard lock(part_mutex_);
  part_ = std::move(claim);
  part_awaited_ = false;
  part_told_.notify_all();
}

// What was told and not taken has sides that are not told again.
template <class V>
void Helper<V>::want_part() {
  const std::lock_guard lock(part_mutex_);
  if (!part_.reply.lo[0].empty()) return;
  part_awaited_ = true;
  worker_.want_part();
}

template <class V>
Claim Helper<V>::take_part(double seconds) {
  std::unique_lock lock(part_mutex_);
  part_told_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !part_awaited_; });
  return std::exchange(part_, {});
}

// What was known of a piece is of no use once the piece is given back.
template <class V>
void Helper<V>::drop() {
  at_ = {};
  {
    const std::lock_guard lock(part_mutex_);
    part_ = {};
    part_awaited_ = false;
    part_told_.notify_all();
  }
  --session_.helping_;
}

template <class V>
bool Helper<V>::take_unwritten() {
  do {
    unwritten_ = session_.incumbents_.next_unwritten();
    if (unwritten_.split.feature < 0) return false;
  } while (!session_.incumbents_.lacks_tree(unwritten_.k));
  return true;
}

template <class V>
void Helper<V>::write(double seconds) {
  control_.go_on(seconds);
  tree_.clear();
  try {
    Node& all = *stations().all().node;
    const int splits = session_.incumbents_.splits_of(unwritten_.k);
    unwritten_.cost = Extractor<V>(worker_).extract_at(all, session_.budget_, splits,
                                                       unwritten_.cost, unwritten_.split, tree_);
  } catch (const Stopped&) {
  } catch (const std::bad_alloc&) {
  }
  if (control_.stopped()) tree_.clear();
}

template <class V>
FoundTree Helper<V>::give_written() {
  give_counters();
  FoundTree found{static_cast<int>(unwritten_.k), unwritten_.cost, std::move(tree_)};
  unwritten_.split = {};
  if (!found.tree.empty()) session_.incumbents_.written(unwritten_.k, unwritten_.cost, found.tree);
  return found;
}

template <class V>
std::unique_ptr<AnyHelper> Session<V>::helper(Control& control) {
  return std::make_unique<Helper<V>>(*this, control);
}

template std::unique_ptr<AnyHelper> Session<One>::helper(Control&);
template std::unique_ptr<AnyHelper> Session<Curve<8>>::helper(Control&);
template std::unique_ptr<AnyHelper> Session<Curve<32>>::helper(Control&);

}  // namespace exactree

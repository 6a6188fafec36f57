// Compiled per instruction set.
#include "search/columns/rank_table.hpp"

#include "search/columns/rank_table_of.hpp"

namespace exactree::EXACTREE_ISA {

std::size_t rank_bytes(const Problem& data) {
  // Ranks in 16 bits where they fit: twice as many in a vector.
  // Few rows do not mean low ranks: those of some rows of a table are what they are among all.
  return !kSpare && data.max_rank < 65535 ? sizeof(std::int16_t) : sizeof(std::int32_t);
}

std::unique_ptr<RankTable> make_rank_table(int features, std::shared_ptr<const RankTools> tools) {
  if constexpr (!kSpare)
    if (rank_bytes(*tools->data) == sizeof(std::int16_t))
      return std::make_unique<RankTableOf<std::int16_t>>(features, std::move(tools));
  return std::make_unique<RankTableOf<std::int32_t>>(features, std::move(tools));
}

std::shared_ptr<const RankTools> make_rank_tools(const Problem& data, Control* control,
                                                 bool find_twins) {
  return std::make_shared<RankTools>(data, control,
                                     find_twins ? Twins::find(data) : Twins(data.features));
}

}  // namespace exactree::EXACTREE_ISA

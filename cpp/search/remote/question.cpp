#include "search/remote/question.hpp"

#include <stdexcept>
#include <string>

namespace exactree {

template <class V>
V value_of(const Costs& costs, int budgets) {
  if (static_cast<int>(costs.size()) != budgets)
    throw std::invalid_argument(std::to_string(costs.size()) + " costs where there should be " +
                                std::to_string(budgets));
  V v = V::constant(0, budgets);
  for (int k = 0; k < budgets; ++k) {
    const Cost cost = costs[static_cast<std::size_t>(k)];
    if (cost < -kInfinite || cost > kInfinite)
      throw std::invalid_argument("a cost is out of range: " + std::to_string(cost));
    v.set(k, cost);
  }
  return v;
}

template One value_of<One>(const Costs&, int);
template Curve<8> value_of<Curve<8>>(const Costs&, int);
template Curve<32> value_of<Curve<32>>(const Costs&, int);

}  // namespace exactree

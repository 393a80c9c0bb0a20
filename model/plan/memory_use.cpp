#include "model/plan/memory_use.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace paceline {
namespace {

constexpr double kNormal95 = 1.645;  // standard deviations from the median to the 95 % quantile

}  // namespace

std::string_view to_string(MemoryFit fit) {
  switch (fit) {
    case MemoryFit::kCertain:
      return "certain";
    case MemoryFit::kLikely:
      return "likely";
    case MemoryFit::kPossible:
      return "possible";
    case MemoryFit::kUnlikely:
      return "unlikely";
    case MemoryFit::kImpossible:
      return "impossible";
  }
  PACELINE_ASSERT(false, "every fit has a name");
  return "";
}

MemoryFit MemoryUse::fit() const {
  if (p95() <= capacity) return MemoryFit::kCertain;
  const double deviation = static_cast<double>(above) / kNormal95;
  if (static_cast<double>(margin()) >= deviation) return MemoryFit::kLikely;
  if (fits()) return MemoryFit::kPossible;
  return p05() <= capacity ? MemoryFit::kUnlikely : MemoryFit::kImpossible;
}

nlohmann::ordered_json to_json(const MemoryUse& memory) {
  return {{"weights", memory.weights},
          {"weight_gradients", memory.weight_gradients},
          {"optimizer_state", memory.optimizer_state},
          {"feature_maps", memory.feature_maps},
          {"workspace", memory.workspace},
          {"communication", memory.communication},
          {"input", memory.input},
          {"context", memory.context},
          {"slack", memory.slack},
          {"peak", memory.peak()},
          {"p05", memory.p05()},
          {"p95", memory.p95()},
          {"capacity", memory.capacity},
          {"fits", memory.fits()},
          {"fit", to_string(memory.fit())},
          {"margin", memory.margin()},
          {"context_source", memory.context_source},
          {"origins", to_json(memory.origins)}};
}

}  // namespace paceline

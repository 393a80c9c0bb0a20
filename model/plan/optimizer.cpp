#include "model/plan/optimizer.h"

#include "core/error.h"
#include "core/names.h"

namespace paceline {

const std::vector<OptimizerInfo>& optimizers() {
  static const std::vector<OptimizerInfo> all = {
      {"sgd", "plain gradient descent", 0},   {"momentum", "gradient descent with momentum", 1},
      {"adam", "first and second moment", 2}, {"adamw", "Adam with decoupled weight decay", 2},
      {"rmsprop", "second moment", 1},        {"adagrad", "sum of squares", 1}};
  return all;
}

const OptimizerInfo& optimizer_named(std::string_view name) {
  const std::string wanted = normalized_name(name);
  std::vector<std::string> names;
  for (const OptimizerInfo& info : optimizers()) {
    if (normalized_name(info.name) == wanted) return info;
    names.push_back(info.name);
  }
  throw UsageError(unknown_name_message("optimizer", name, names));
}

}  // namespace paceline

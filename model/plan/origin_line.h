// Where one part of a predicted number comes from: one element of `origins`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/cost/cost_model.h"

namespace paceline {

struct OriginLine {
  std::string what;
  OriginKind kind = OriginKind::kFitted;
  std::string source;
  double share = 0;  // of the number
};

// [{"what", "kind", "source", "share"}, ...].
nlohmann::ordered_json to_json(const std::vector<OriginLine>& origins);

}  // namespace paceline

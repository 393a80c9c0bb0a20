#include "model/plan/origin_line.h"

#include <nlohmann/json.hpp>

namespace paceline {

nlohmann::ordered_json to_json(const std::vector<OriginLine>& origins) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const OriginLine& line : origins) {
    out.push_back({{"what", line.what},
                   {"kind", to_string(line.kind)},
                   {"source", line.source},
                   {"share", line.share}});
  }
  return out;
}

}  // namespace paceline

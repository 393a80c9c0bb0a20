// Points of a sweep that cannot be answered, said on stderr: each reason once, with the number of
// points that have it.
//
//   paceline: skipped: --global-batch 64 cannot be divided over --gpus 3
//   paceline: 4 points skipped: a100-sxm-80g has no fp8 arithmetic; it has fp32, tf32, fp16, bf16
#pragma once

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace paceline {

class SkippedPoints {
 public:
  // Why one more point was left out.
  void add(const Error& error);

  bool empty() const { return reasons_.empty(); }
  // What a command throws if no point is left; absent if none was skipped.
  const std::optional<Error>& first() const { return first_; }
  // A line for each reason, in the order in which they came.
  void print(std::ostream& errors) const;

 private:
  std::vector<std::pair<std::string, std::size_t>> reasons_;  // with the number of points
  std::map<std::string, std::size_t> place_;                  // in reasons_
  std::optional<Error> first_;
};

}  // namespace paceline

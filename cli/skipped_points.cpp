#include "cli/skipped_points.h"

#include "core/one_line.h"

namespace paceline {

void SkippedPoints::add(const Error& error) {
  if (!first_) first_ = error;
  const auto [known, is_new] = place_.emplace(error.what(), reasons_.size());
  if (is_new) reasons_.emplace_back(error.what(), 0);
  ++reasons_[known->second].second;
}

void SkippedPoints::print(std::ostream& errors) const {
  for (const auto& [reason, points] : reasons_) {
    errors << "paceline: " << (points > 1 ? std::to_string(points) + " points " : "")
           << "skipped: " << one_line(reason) << "\n";
  }
}

}  // namespace paceline

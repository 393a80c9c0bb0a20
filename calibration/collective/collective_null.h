// The null model of collective times: one start-up and one rate per operation, t = a + b steps +
// V/rate, fitted by least squares on relative errors (a linear problem). What any collective model
// must beat.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "calibration/collective/collective.h"

namespace paceline {

struct AlphaBetaPoint {
  CollectivePoint point;
  formula::CollectiveProtocol::Input input;
};

class AlphaBetaModel {
 public:
  explicit AlphaBetaModel(const std::vector<AlphaBetaPoint>& points);
  bool knows(CollectiveOp op) const { return coefficients_.contains(op); }
  // Throws Error (internal) for an operation without points.
  double time(CollectiveOp op, const formula::CollectiveProtocol::Input& input) const;

 private:
  std::map<CollectiveOp, std::array<double, 3>> coefficients_;
};

}  // namespace paceline

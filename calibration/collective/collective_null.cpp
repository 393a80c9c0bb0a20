#include "calibration/collective/collective_null.h"

#include <Eigen/Dense>
#include <algorithm>

#include "core/error.h"

namespace paceline {

AlphaBetaModel::AlphaBetaModel(const std::vector<AlphaBetaPoint>& points) {
  std::map<CollectiveOp, std::vector<const AlphaBetaPoint*>> by_operation;
  for (const AlphaBetaPoint& point : points) by_operation[point.point.op].push_back(&point);
  for (const auto& [op, of_op] : by_operation) {
    const auto rows = static_cast<Eigen::Index>(of_op.size());
    Eigen::MatrixXd a(rows, 3);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const AlphaBetaPoint& p = *of_op[static_cast<std::size_t>(i)];
      const double measured = p.point.measured.si();
      a.row(i) << 1 / measured, p.input.steps / measured, p.input.volume / measured;
    }
    const Eigen::Vector3d solution =
        a.completeOrthogonalDecomposition().solve(Eigen::VectorXd::Ones(rows));
    coefficients_[op] = {solution[0], solution[1], solution[2]};
  }
}

double AlphaBetaModel::time(CollectiveOp op,
                            const formula::CollectiveProtocol::Input& input) const {
  const auto found = coefficients_.find(op);
  PACELINE_ASSERT(found != coefficients_.end(), "the null model has seen this operation");
  const auto& [start, step, byte] = found->second;
  // A least-squares line may cross zero; a time cannot.
  constexpr double kShortest = 1e-9;
  return std::max(kShortest, start + step * input.steps + byte * input.volume);
}

}  // namespace paceline

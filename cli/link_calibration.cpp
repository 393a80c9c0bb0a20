#include "cli/link_calibration.h"

#include <algorithm>

#include "calibration/plugin.h"
#include "cli/cluster_flags.h"
#include "core/error.h"
#include "model/hardware/copy_model.h"

namespace paceline {
namespace {

bool is_collective(const Measurement& measurement) {
  const std::string& name = measurement.benchmark;
  if (measurement.skipped) return false;
  return std::ranges::any_of(std::vector<std::string>{"nccl.", "mpi.", "gloo."},
                             [&](const std::string& library) { return name.starts_with(library); });
}

bool has_machine(const Arguments& arguments) {
  for (const char* flag : {"cluster", "topo", "intra", "net"}) {
    if (arguments.has(flag)) return true;
  }
  return false;
}

// Points of the class that the largest group runs over; groups of fewer devices may use other
// links.
std::vector<CollectivePoint> of_one_class(const std::vector<CollectivePoint>& points,
                                          const ClusterChoice& choice, const NcclTuning& tuning,
                                          CollectiveProblem& problem,
                                          std::vector<std::string>& remarks) {
  const auto class_of = [&](const CollectivePoint& point) {
    return fabric_group(choice.cluster, point.group, problem.staging, tuning, choice.generation,
                        choice.connections)
        .fabric_class;
  };
  const auto largest = std::ranges::max_element(
      points, {}, [](const CollectivePoint& point) { return point.group.ranks(); });
  problem.fabric_class = class_of(*largest);
  std::vector<CollectivePoint> kept;
  for (const CollectivePoint& point : points) {
    if (class_of(point) == problem.fabric_class) kept.push_back(point);
  }
  if (kept.size() < points.size()) {
    remarks.push_back(std::to_string(points.size() - kept.size()) +
                      " messages of smaller groups left out: they do not run over " +
                      problem.fabric_class);
  }
  return kept;
}

}  // namespace

bool holds_collectives(const MeasurementSet& measurements) {
  return std::ranges::any_of(measurements.results, is_collective);
}

LinkCalibration calibrate_links(const Arguments& arguments, const MeasurementSet& measurements) {
  if (!has_machine(arguments)) {
    throw UsageError(
        "the file holds times of collectives: describe the machine with --cluster, --topo, or "
        "--gpus, --gpus-per-node, --intra and --net");
  }
  std::vector<Measurement> collectives;
  std::ranges::copy_if(measurements.results, std::back_inserter(collectives), is_collective);
  const CalibrationPlugin& plugin = calibration_plugin();
  const ClusterChoice choice = read_cluster_choice(arguments);
  const NcclTuning tuning = NcclTuning::shipped();
  CollectiveProblem problem;
  problem.cluster = choice.cluster;
  problem.generation = choice.generation;
  problem.staging = CopyModel::shipped().staging();
  problem.connections = choice.connections;
  LinkCalibration out;
  const std::vector<CollectivePoint> points =
      of_one_class(plugin.collective_points(collectives), choice, tuning, problem, out.remarks);
  CollectiveFitResult result =
      plugin.fit_collectives(problem, points, tuning, HostTuning::shipped());
  out.report = plugin.collective_report(result);
  out.remarks.insert(out.remarks.end(), result.refused.begin(), result.refused.end());
  out.parameters = std::move(result.parameters);
  out.parameters.provenance = make_provenance("paceline calibrate", arguments.argv());
  return out;
}

}  // namespace paceline

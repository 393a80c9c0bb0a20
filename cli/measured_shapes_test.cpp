// What is measured for the fits must not contain what is validated on: no matrix or convolution of
// a recorded network is a benchmark shape.
#include <gtest/gtest.h>

#include <set>

#include "microbench/measure.h"
#include "model/graph/workload.h"
#include "model/parameters/parameter_set.h"
#include "simulator/device/kernel_of.h"
#include "simulator/frameworks/framework.h"

namespace paceline {
namespace {

struct Network {
  const char* name;
  std::vector<std::int64_t> batches;
};
// The plan "validation" of validation/recorders/plan.py.
const Network kValidated[] = {{"fcn-r", {64, 256, 1024}}, {"fcn-s", {16, 64, 256}},
                              {"alexnet", {8, 16, 32}},   {"resnet50", {4, 8, 16}},
                              {"lstm-ptb", {16, 32, 64}}, {"transformer-tiny", {4, 8, 16}}};

std::set<std::string> validated_shapes() {
  std::set<std::string> shapes;
  const auto framework = framework_registry().make("pytorch");
  for (const Network& network : kValidated) {
    for (const std::int64_t batch : network.batches) {
      for (const int threads : {1, 2}) {
        ExecutionContext context;
        context.threads = threads;
        const WorkloadGraph graph =
            build_workload(workload_registry(), network.name, {.batch = batch});
        for (const IssuedCall& call : framework->issue(graph, context, {}).micro_batch) {
          const bool counts =
              call.kernel && !std::holds_alternative<StreamShape>(call.kernel->shape);
          if (counts) shapes.insert(fitted_shape_text(*call.kernel));
        }
      }
    }
  }
  return shapes;
}

TEST(MeasuredShapes, AreNoneOfTheShapesThatAreValidatedOn) {
  const std::set<std::string> validated = validated_shapes();
  EXPECT_GT(validated.size(), 100U);
  std::size_t checked = 0;
  for (const bool quick : {false, true}) {
    for (const DesignPoint& point : measurement_design(quick)) {
      Measurement measurement;
      measurement.benchmark = point.benchmark;
      measurement.axes = point.axes;
      const std::optional<Kernel> kernel = kernel_of(measurement);
      if (!kernel || std::holds_alternative<StreamShape>(kernel->shape)) continue;
      const std::string text = fitted_shape_text(*kernel);
      EXPECT_FALSE(validated.contains(text)) << text;
      ++checked;
    }
  }
  if (checked == 0) GTEST_SKIP() << "built without the kernels that are measured";
}

}  // namespace
}  // namespace paceline

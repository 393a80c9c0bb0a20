#include "simulator/report/memory_request.h"

#include <algorithm>
#include <memory>

#include "model/cost/gpu.h"

namespace paceline {
namespace {

// The choice for a shape does not change within a request; asking for it again costs nothing.
std::function<Bytes(const Kernel&)> workspace_of(const GpuCostModel& costs,
                                                 const ExecutionContext& context) {
  auto known = std::make_shared<std::map<std::string, Bytes>>();
  return [&costs, context, known](const Kernel& kernel) {
    const auto [found, is_new] = known->try_emplace(to_string(kernel.shape), Bytes(0));
    if (is_new) found->second = costs.choice(kernel, context).workspace;
    return found->second;
  };
}

TracedPhases phases_of(const FrameworkSettings& settings) {
  const auto found = settings.find("phases");
  if (found == settings.end() || found->second == "training") return TracedPhases::kTraining;
  return found->second == "forward" ? TracedPhases::kForward : TracedPhases::kForwardBackward;
}

}  // namespace

MemoryRequest memory_request(const Experiment& e, const TrainingDevice& device,
                             const FrameworkSettings& settings, Bytes workspace_limit) {
  MemoryRequest request;
  request.framework = e.framework;
  request.capacity = device.memory();
  const auto mixed = settings.find("mixed");
  const bool uniform = mixed != settings.end() && mixed->second == "uniform";
  request.setting.state = model_state(e.optimizer, e.precision, uniform);
  request.setting.device = device.kind();
  request.setting.phases = phases_of(settings);
  request.setting.threads = std::max(1, e.threads);
  if (device.kind() == DeviceKind::kCpu) return request;
  request.architecture = device.spec()->architecture;
  request.capacity_source = device.spec()->memory.capacity->source;
  if (const auto* costs = dynamic_cast<const GpuCostModel*>(&device.costs())) {
    ExecutionContext context;
    context.workspace_limit = workspace_limit;
    request.setting.workspace = workspace_of(*costs, context);
  }
  return request;
}

}  // namespace paceline

#include "simulator/frameworks/gpu/gpu_framework.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/error.h"
#include "simulator/frameworks/cpu/cpu_threads.h"
#include "simulator/frameworks/gpu/gpu_iteration.h"
#include "simulator/frameworks/gpu/gpu_settings.h"
#include "simulator/frameworks/pytorch/cpu_iteration.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline {
namespace {

class GpuFramework : public Framework {
 public:
  explicit GpuFramework(const std::string& name)
      : record_(read_framework_record(data_directory() / "model/catalog/frameworks" /
                                      (name + ".json"))) {
    if (!record_.gpu) throw InputError("the record of " + name + " has no \"gpu\"");
    if (record_.cpu) on_cpu_ = cpu_record(*record_.cpu);
  }

  FrameworkInfo info() const override {
    return {.version = record_.version,
            .devices = record_.devices,
            .default_strategy = record_.default_strategy,
            .host_fit = on_cpu_ ? on_cpu_->host_fit : record_.host_fit,
            .sources = record_.sources,
            .composition_sd = on_cpu_ ? on_cpu_->composition_sd : record_.composition_sd,
            .gpu_host = record_.gpu->host,
            .gpu_composition_sd = record_.gpu->composition_sd};
  }

  std::vector<FrameworkOption> options(DeviceKind kind) const override {
    if (kind == DeviceKind::kCpu && !on_cpu_) return {};
    if (kind == DeviceKind::kCpu) return {phases_option()};
    return gpu::common_options(*record_.gpu);
  }

  WorkloadGraph prepare(WorkloadGraph graph, Precision precision, const DeviceSpec* device,
                        const FrameworkSettings& settings) const override {
    if (device == nullptr && on_cpu_) {
      if (record_.gpu->execution.recurrence == "none") refuse_recurrence(graph);
      if (precision == Precision::kFp32) return graph;
      throw UsageError("--precision " + std::string(to_string(precision)) +
                       " is not supported yet on a CPU; use fp32");
    }
    require_gpu(device);
    return gpu::prepare_graph(std::move(graph), precision, *device, *record_.gpu, settings);
  }

  IssuedIteration issue(const WorkloadGraph& graph, const ExecutionContext& context,
                        const FrameworkSettings& settings) const override {
    if (context.device == nullptr && on_cpu_) {
      IssuedIteration out = pytorch::issue_cpu_iteration(graph, *on_cpu_, context, settings);
      use_threads(*record_.cpu, context.threads, out);
      return out;
    }
    require_gpu(context.device);
    return gpu::issue_iteration(graph, *record_.gpu, settings);
  }

 private:
  // On a CPU nothing can be set of recurrent layers.
  void refuse_recurrence(const WorkloadGraph& graph) const {
    for (const Op& op : graph.ops()) {
      if (!std::holds_alternative<Rnn>(op.attributes)) continue;
      throw UsageError(graph.name() + ": layer " + op.name + " is recurrent, which " +
                       record_.name + " has no layer for; --framework pytorch has");
    }
  }
  void require_gpu(const DeviceSpec* device) const {
    if (device != nullptr) return;
    throw UsageError("--framework " + record_.name + " is modelled on GPUs; use one of those");
  }

  FrameworkRecord record_;
  std::optional<FrameworkRecord> on_cpu_;  // what it is priced as there
};

}  // namespace

std::unique_ptr<const Framework> make_gpu_framework(const std::string& name) {
  return std::make_unique<const GpuFramework>(name);
}

}  // namespace paceline

// PyTorch, eager execution. On a CPU version 1.13 with plain SGD: zero_grad(set_to_none=False),
// forward, backward in reverse order, one update per parameter tensor. The thread that dispatches
// also computes (and OpenMP helps it inside a kernel), so nothing overlaps:
// docs/models/pytorch-cpu.md. On a GPU version 2.1 as its record says:
// docs/models/gpu-execution.md.
#include "core/data_directory.h"
#include "core/error.h"
#include "model/graph/rewrite/recomputation.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/gpu/gpu_iteration.h"
#include "simulator/frameworks/gpu/gpu_settings.h"
#include "simulator/frameworks/pytorch/cpu_iteration.h"

namespace paceline {
namespace {

constexpr const char* kRecord = "model/catalog/frameworks/pytorch.json";

class PyTorch : public Framework {
 public:
  PyTorch() : record_(read_framework_record(data_directory() / kRecord)) {
    if (!record_.gpu) throw InputError("the record of pytorch has no \"gpu\"");
  }

  FrameworkInfo info() const override {
    return {.version = record_.version,
            .devices = record_.devices,
            .default_strategy = record_.default_strategy,
            .host_fit = record_.host_fit,
            .sources = record_.sources,
            .composition_sd = record_.composition_sd,
            .gpu_host = record_.gpu->host,
            .gpu_composition_sd = record_.gpu->composition_sd};
  }

  std::vector<FrameworkOption> options(DeviceKind kind) const override {
    if (kind == DeviceKind::kCpu) return {recomputation_option(), phases_option()};
    return gpu::common_options(*record_.gpu);
  }

  WorkloadGraph prepare(WorkloadGraph graph, Precision precision, const DeviceSpec* device,
                        const FrameworkSettings& settings) const override {
    if (device != nullptr) {
      return gpu::prepare_graph(std::move(graph), precision, *device, *record_.gpu, settings);
    }
    if (precision != Precision::kFp32) {
      throw UsageError("--precision " + std::string(to_string(precision)) +
                       " is not supported yet on a CPU; use fp32");
    }
    return with_recomputation(std::move(graph), parse_recomputation(settings.at("recompute")));
  }

  IssuedIteration issue(const WorkloadGraph& graph, const ExecutionContext& context,
                        const FrameworkSettings& settings) const override {
    if (context.device != nullptr) return gpu::issue_iteration(graph, *record_.gpu, settings);
    return pytorch::issue_cpu_iteration(graph, record_, context, settings);
  }

 private:
  FrameworkRecord record_;
};

}  // namespace

void register_pytorch(FrameworkRegistry& registry) {
  registry.add("pytorch", "PyTorch, eager execution, plain SGD",
               [] { return std::make_unique<const PyTorch>(); });
}

}  // namespace paceline

// PyTorch, eager execution. On a CPU version 1.13 with plain SGD: zero_grad(set_to_none=False),
// forward, backward in reverse order, one update per parameter tensor. The thread that dispatches
// also computes (and OpenMP helps it inside a kernel), so nothing overlaps:
// docs/models/pytorch-cpu.md. On a GPU version 2.1 as its record says:
// docs/models/gpu-execution.md.
#include <algorithm>

#include "core/data_directory.h"
#include "core/error.h"
#include "model/graph/rewrite/recomputation.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/gpu/gpu_issuer.h"
#include "simulator/frameworks/pytorch/issuer.h"

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
    if (kind == DeviceKind::kCpu) return {recomputation_option()};
    return gpu::common_options(*record_.gpu);
  }

  WorkloadGraph prepare(WorkloadGraph graph, Precision precision, const DeviceSpec* device,
                        const FrameworkSettings& settings) const override {
    if (device != nullptr) {
      return gpu::prepare_graph(std::move(graph), precision, *device, settings);
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
    pytorch::Issuer issuer(graph, record_, context);
    issue_once(issuer);  // what an iteration finds in the caches, the one before has left there
    return issue_once(issuer);
  }

 private:
  IssuedIteration issue_once(pytorch::Issuer& issuer) const {
    IssuedIteration out;
    const std::vector<Op>& ops = issuer.graph().ops();
    const RecomputationSchedule schedule = recomputation_schedule(issuer.graph());
    issuer.begin_iteration();
    for (const Op& op : ops) out.layers.push_back(op.name);
    out.gradients = gradient_tensors(issuer.graph());
    for (std::size_t layer = 0; layer < ops.size(); ++layer) {
      issuer.enter(out.begin, Phase::kOptimizer, layer);
      for_each_parameter(ops[layer], [&](std::size_t index, std::int64_t size) {
        issuer.host_calls(record_.zero_grad_calls);
        issuer.touching({issuer.parameter_gradient(index, size)});
        issuer.stream("aten.fill", size, 0, 1);
      });
    }
    for (std::size_t layer = 0; layer < ops.size(); ++layer) {
      issuer.enter(out.micro_batch, Phase::kForward, layer);
      issue_forward(issuer, ops[layer]);
    }
    for (std::size_t layer = ops.size(); layer-- > 0;) {
      issuer.enter(out.micro_batch, Phase::kBackward, layer);
      if (layer + 1 == ops.size()) issuer.host("iteration");
      for (const std::size_t again : schedule.before_backward[layer]) {
        issuer.enter(out.micro_batch, Phase::kForward, again);
        issue_forward(issuer, ops[again]);
      }
      issuer.enter(out.micro_batch, Phase::kBackward, layer);
      issue_backward(issuer, ops[layer]);
    }
    for (std::size_t layer = 0; layer < ops.size(); ++layer) {
      issuer.enter(out.update, Phase::kOptimizer, layer);
      for_each_parameter(ops[layer], [&](std::size_t index, std::int64_t size) {
        issuer.host_calls(record_.update_calls);
        issuer.touching({issuer.parameter(index, size), issuer.parameter_gradient(index, size)});
        issuer.stream("aten.add_", size, 2, 1);
      });
    }
    return out;
  }

  template <typename Visit>
  static void for_each_parameter(const Op& op, Visit visit) {
    if (!op.trainable) return;
    const std::vector<std::int64_t> sizes = parameter_sizes(op);
    for (std::size_t index = 0; index < sizes.size(); ++index) visit(index, sizes[index]);
  }

  FrameworkRecord record_;
};

}  // namespace

void register_pytorch(FrameworkRegistry& registry) {
  registry.add("pytorch", "PyTorch, eager execution, plain SGD",
               [] { return std::make_unique<const PyTorch>(); });
}

}  // namespace paceline

// PyTorch, eager execution. On a CPU version 1.13 with plain SGD: zero_grad(set_to_none=False),
// forward, backward in reverse order, one update per parameter tensor. The thread that dispatches
// also computes (and OpenMP helps it inside a kernel), so nothing overlaps:
// docs/models/pytorch-cpu.md. On a GPU version 2.1 as its record says:
// docs/models/gpu-execution.md.
#include <algorithm>

#include "core/data_directory.h"
#include "core/error.h"
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
    if (kind == DeviceKind::kCpu) return {};
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
    return graph;
  }

  IssuedIteration issue(const WorkloadGraph& graph, const ExecutionContext& context,
                        const FrameworkSettings& settings) const override {
    if (context.device != nullptr) return gpu::issue_iteration(graph, *record_.gpu, settings);
    pytorch::Issuer issuer(graph, record_, context);
    issue_once(issuer);  // what an iteration finds in the caches, the one before has left there
    return issue_once(issuer);
  }

  MemoryUse memory(const WorkloadGraph& graph, const ExecutionContext& context,
                   const FrameworkSettings& settings) const override {
    MemoryUse use;
    use.weights = 4 * graph.all_parameters();
    use.weight_gradients = 4 * graph.parameters();
    for (const TensorId input : graph.inputs()) use.input += whole(graph.tensor(input).bytes());
    // Kept activations and, at the worst layer, the gradients of its output and inputs.
    std::int64_t gradients = 0;
    for (const Op& op : graph.ops()) {
      gradients = std::max(gradients, gradient_bytes(graph, op));
      if (context.device == nullptr) {
        use.workspace = std::max(use.workspace, convolution_workspace(graph, op));
      }
    }
    use.optimizer_state = state_tensors(settings) * 4 * graph.parameters();
    use.feature_maps = whole(graph.saved_bytes()) + gradients;
    return use;
  }

 private:
  IssuedIteration issue_once(pytorch::Issuer& issuer) const {
    IssuedIteration out;
    const std::vector<Op>& ops = issuer.graph().ops();
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

  // Values that the optimizer keeps for every parameter.
  static std::int64_t state_tensors(const FrameworkSettings& settings) {
    const auto optimizer = settings.find("optimizer");
    if (optimizer == settings.end() || optimizer->second == "sgd") return 0;
    return optimizer->second == "adam" ? 2 : 1;
  }

  static std::int64_t whole(Bytes bytes) { return static_cast<std::int64_t>(bytes.si()); }

  template <typename Visit>
  static void for_each_parameter(const Op& op, Visit visit) {
    if (!op.trainable) return;
    const std::vector<std::int64_t> sizes = parameter_sizes(op);
    for (std::size_t index = 0; index < sizes.size(); ++index) visit(index, sizes[index]);
  }

  static std::int64_t gradient_bytes(const WorkloadGraph& graph, const Op& op) {
    std::int64_t sum = 0;
    const auto add = [&](TensorId id) {
      if (graph.tensor(id).needs_gradient) sum += whole(graph.tensor(id).bytes());
    };
    add(op.output);
    for (const TensorId input : op.inputs) add(input);
    return sum;
  }

  // Blocked copies of input, output and weights of a direct convolution.
  static std::int64_t convolution_workspace(const WorkloadGraph& graph, const Op& op) {
    if (!std::holds_alternative<Conv2d>(op.attributes)) return 0;
    std::int64_t weights = 0;
    for (const std::int64_t size : parameter_sizes(op)) weights += 4 * size;
    return whole(graph.tensor(op.inputs[0]).bytes() + graph.tensor(op.output).bytes()) + weights;
  }

  FrameworkRecord record_;
};

}  // namespace

void register_pytorch(FrameworkRegistry& registry) {
  registry.add("pytorch", "PyTorch, eager execution, plain SGD",
               [] { return std::make_unique<const PyTorch>(); });
}

}  // namespace paceline

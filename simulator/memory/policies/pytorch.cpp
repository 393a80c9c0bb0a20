// PyTorch 1.13: tensors are counted by references, backward frees what forward kept node by node
// (torch/csrc/autograd), gradients of weights are computed beside the stored ones and added, and a
// CUDA device is cut up by the caching allocator. docs/models/memory.md.
#include <algorithm>

#include "core/data_directory.h"
#include "simulator/frameworks/pytorch/issuer.h"
#include "simulator/memory/fused_memory.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/memory_policy.h"

namespace paceline {
namespace {

constexpr std::int64_t kFloat = 4;

// What Megatron-LM does otherwise on the same library: wgrad products add into the stored
// gradients, and the loss turns its softmax into its gradient in place.
struct Style {
  bool fused_weight_gradients = false;
  bool loss_in_place = false;
};

class Rules : public MemoryRules {
 public:
  Rules(const WorkloadGraph& graph, const MemorySetting& setting, const FrameworkRecord& record,
        Style style)
      : MemoryRules(graph, setting), record_(record), style_(style), groups_(graph) {}

  std::vector<SavedBuffer> kept(const Op& op) const override {
    if (op.fusion_group != 0) return groups_.kept(op);
    std::vector<SavedBuffer> kept = saved_buffers(graph(), op);
    if (on_cpu()) adapt_to_cpu(op, kept);
    return kept;
  }
  Place output(const Op& op) const override {
    if (op.fusion_group != 0) return groups_.output(op);
    if (const auto* dropout = std::get_if<Dropout>(&op.attributes)) {
      if (dropout->probability <= 0) return Place::kSame;
    }
    return graph().tensor(op.output).alias_of ? Place::kSame : Place::kNew;
  }
  Place input_gradient(const Op& op, std::size_t input) const override {
    if (op.fusion_group != 0 && groups_.is_inside(op.inputs[input])) return Place::kSame;
    return std::visit(GradientOf{elements(op.inputs[input]) == elements(op.output)}, op.attributes);
  }
  bool separate_weight_gradients() const override { return !style_.fused_weight_gradients; }

  Scratch forward_scratch(const Op& op) const override {
    if (on_cpu()) return std::visit(CpuScratch{*this, op, Pass::kForward}, op.attributes);
    return {.before = 0, .beside = library_workspace(op, Pass::kForward)};
  }
  Scratch backward_scratch(const Op& op, Pass pass) const override {
    // The loss: gradient of the negative log-likelihood, then that of the logarithm of softmax.
    if (std::holds_alternative<CrossEntropy>(op.attributes)) {
      const bool in_place = style_.loss_in_place || pass != Pass::kDgrad;
      return {.before = 0, .beside = in_place ? 0 : kFloat * elements(op.inputs[0])};
    }
    if (on_cpu()) return std::visit(CpuScratch{*this, op, pass}, op.attributes);
    return {.before = 0, .beside = library_workspace(op, pass)};
  }
  // Adam, one tensor at a time: the square root of the second moment, and the quotient.
  std::int64_t update_scratch() const override {
    if (setting().state.optimizer < 2 * kFloat) return 0;
    std::int64_t largest = 0;
    for (const Op& op : graph().ops()) {
      for (const std::int64_t size : parameter_sizes(op)) largest = std::max(largest, size);
    }
    return 2 * kFloat * largest;
  }

 private:
  struct GradientOf {
    bool same_size;
    Place passed() const { return same_size ? Place::kSame : Place::kNew; }
    Place operator()(const Add&) const { return passed(); }
    Place operator()(const Reshape&) const { return Place::kSame; }
    Place operator()(const Permute&) const { return Place::kSame; }
    Place operator()(const Concat&) const { return Place::kSame; }  // views of one gradient
    Place operator()(const Dropout& dropout) const {
      return dropout.probability > 0 ? Place::kNew : Place::kSame;
    }
    template <typename Other>
    Place operator()(const Other&) const {
      return Place::kNew;
    }
  };

  // oneDNN's blocked copies, or the columns of one matrix product per image; what PyTorch's own
  // LSTM holds besides what it keeps.
  struct CpuScratch {
    const Rules& rules;
    const Op& op;
    Pass pass;

    std::int64_t in() const { return rules.bytes(op.inputs[0]); }
    std::int64_t out() const { return rules.bytes(op.output); }

    Scratch operator()(const Conv2d& conv) const {
      const auto& y = rules.graph().shape(op.output).dims;
      const ConvShape shape = convolution_shape(rules.graph(), op, conv, Pass::kForward);
      const std::int64_t weights = kFloat * used_parameter_sizes(op)[0];
      if (pytorch::runs_as_gemm_per_image(shape, rules.record_, rules.setting().threads)) {
        const bool pointwise = conv.kernel_h == 1 && conv.kernel_w == 1 && conv.stride_h == 1 &&
                               conv.stride_w == 1 && conv.pad_h == 0 && conv.pad_w == 0;
        const std::int64_t columns =
            kFloat * shape.n * shape.c * conv.kernel_h * conv.kernel_w * y[2] * y[3];
        return {.before = 0, .beside = pointwise && pass != Pass::kDgrad ? 0 : columns};
      }
      const bool plain_input = conv.in_channels < rules.record_.plain_input_channels;
      const std::int64_t blocked_input = plain_input ? 0 : in();
      switch (pass) {
        case Pass::kForward:
          return {.before = blocked_input + weights, .beside = out()};
        case Pass::kDgrad:
          return {.before = out() + weights, .beside = in()};
        case Pass::kWgrad:
          return {.before = out() + blocked_input, .beside = weights};
      }
      return {};
    }
    // The input product of all steps (forward); gradients of all steps' gates, gathered (backward).
    Scratch operator()(const Rnn& rnn) const {
      const auto& x = rules.graph().shape(op.inputs[0]).dims;
      const std::int64_t gates = kFloat * x[0] * x[1] * gate_count(rnn.cell) * rnn.hidden;
      if (pass == Pass::kForward) return {.before = gates, .beside = 0};
      return pass == Pass::kDgrad ? Scratch{.before = 2 * gates, .beside = 0} : Scratch{};
    }
    template <typename Other>
    Scratch operator()(const Other&) const {
      return {};
    }
  };

  bool on_cpu() const { return setting().device == DeviceKind::kCpu; }

  // The mask of dropout is a tensor of the input's type, and recurrent layers keep, per step and
  // layer, four gates, the cell, its tanh and the state, and between layers the joined states.
  void adapt_to_cpu(const Op& op, std::vector<SavedBuffer>& kept) const {
    if (const auto* rnn = std::get_if<Rnn>(&op.attributes)) {
      const double gates = rnn->cell == RnnCell::kLstm ? 7 : rnn->cell == RnnCell::kGru ? 6 : 1;
      const double layers = static_cast<double>(rnn->layers);
      kept = {{op.inputs[0], graph().tensor(op.inputs[0]).bytes()},
              {std::nullopt, (gates * layers + layers - 1) * graph().tensor(op.output).bytes()}};
    } else if (std::holds_alternative<Dropout>(op.attributes)) {
      for (SavedBuffer& buffer : kept) buffer.bytes = graph().tensor(op.inputs[0]).bytes();
    }
  }

  const FrameworkRecord& record_;
  Style style_;
  FusedMemory groups_;
};

class PyTorchMemory : public MemoryPolicy {
 public:
  explicit PyTorchMemory(Style style)
      : style_(style),
        record_(read_framework_record(data_directory() / "model/catalog/frameworks/pytorch.json")) {
  }

  MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const override {
    return trace_liveness(Rules(graph, setting, record_, style_));
  }
  MemoryUse use(const MemoryTape& tape, const MemorySetting& setting) const override {
    // malloc of a CPU gives what is asked for, in units of 64 B.
    const auto allocator = setting.device == DeviceKind::kGpu
                               ? make_caching_allocator(setting.allocator_limit)
                               : make_rounding_allocator(64, 0, false);
    return use_at_peak(tape, *allocator);
  }
  std::string family() const override { return "pytorch"; }
  std::vector<std::string> sources() const override {
    return {
        "PyTorch 1.13.1 source: torch/csrc/autograd/engine.cpp (order, input buffers), "
        "tools/autograd/derivatives.yaml (what is kept), c10/cuda/CUDACachingAllocator.cpp"};
  }

 private:
  Style style_;
  FrameworkRecord record_;
};

}  // namespace

void register_pytorch(MemoryPolicyRegistry& registry) {
  registry.add("pytorch", "reference counting, caching allocator",
               [] { return std::make_unique<const PyTorchMemory>(Style{}); });
  registry.add("megatron", "PyTorch with fused gradient accumulation and loss", [] {
    return std::make_unique<const PyTorchMemory>(
        Style{.fused_weight_gradients = true, .loss_in_place = true});
  });
}

}  // namespace paceline

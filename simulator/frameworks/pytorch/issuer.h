// Writes down the calls of one PyTorch iteration on a CPU, layer by layer.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/graph/work.h"
#include "model/graph/workload_graph.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/pytorch/reuse_clock.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline::pytorch {

// Where the next calls belong, and the state of the gradients that backward has produced so far.
class Issuer {
 public:
  Issuer(const WorkloadGraph& graph, const FrameworkRecord& record,
         const ExecutionContext& context);

  const WorkloadGraph& graph() const { return graph_; }
  const FrameworkRecord& record() const { return record_; }
  const ExecutionContext& context() const { return context_; }

  // The following calls go to this layer and phase.
  void enter(std::vector<IssuedCall>& calls, Phase phase, std::size_t layer);
  Phase phase() const { return phase_; }

  // Starts another iteration: what the last one touched is remembered.
  void begin_iteration();

  // Host cost of a module of this kind in the present pass, `times` over.
  void host(std::string_view layer_kind, double times = 1);
  void host_calls(double calls);
  void kernel(std::string implementation, const KernelShape& shape, std::int64_t repeat = 1);
  // A stream kernel on fp32 tensors: `read` and `written` tensors' worth of elements.
  void stream(std::string implementation, std::int64_t elements, double read, double written,
              std::int64_t row = 0, std::int64_t repeat = 1);

  // Names for `touching`: what the next kernel reads or writes. Without it, all its operands count
  // as just touched.
  Operand activation(TensorId tensor) const;
  Operand gradient(TensorId tensor) const;
  Operand parameter(std::size_t index, std::int64_t elements) const;  // of the present layer
  Operand parameter_gradient(std::size_t index, std::int64_t elements) const;
  void touching(std::vector<Operand> operands) { operands_ = std::move(operands); }
  // A pass that computes nothing: the gradients are the same memory.
  void pass_gradient(TensorId from, TensorId to) { reuse_.alias(gradient(from), gradient(to)); }

  // Copies the operands of a product that BLAS cannot read where they lie.
  void copy_operands(const Op& op);
  // Batched products: the library is called once per matrix.
  void matrix_products(const std::vector<KernelShape>& products);

  // Backward has computed a gradient of `tensor`. The engine adds it to one that another consumer
  // of the tensor has delivered before; `contiguous` is how it lies in memory.
  void deliver_gradient(TensorId tensor, bool contiguous = true);
  bool gradient_is_contiguous(TensorId tensor) const {
    return !strided_gradients_.contains(tensor);
  }
  // `.grad += gradient` for each of these parameter tensors, which are those of the present layer
  // from `first` on.
  void accumulate(const std::vector<std::int64_t>& parameter_sizes, std::size_t first = 0);

  bool needs_gradient(TensorId tensor) const { return graph_.tensor(tensor).needs_gradient; }
  std::int64_t elements(TensorId tensor) const { return graph_.shape(tensor).elements(); }
  std::int64_t last_dimension(TensorId tensor) const { return graph_.shape(tensor).dims.back(); }
  // Length of the contiguous elements of one channel, of a tensor batch x channels x ...
  std::int64_t row_of_channel(TensorId tensor) const;
  // The first of all slices taken from the same tensor, which backward reaches last.
  bool is_first_slice(const Op& op) const;

 private:
  const WorkloadGraph& graph_;
  const FrameworkRecord& record_;
  const ExecutionContext& context_;
  std::vector<IssuedCall>* calls_ = nullptr;
  Phase phase_ = Phase::kForward;
  std::uint32_t layer_ = 0;
  Operand of_layer(Operand::Kind kind, std::size_t index, std::int64_t elements) const;

  std::vector<std::uint32_t> first_gradient_;  // by layer; none where nothing is trained
  ReuseClock reuse_;
  std::vector<Operand> operands_;
  std::set<TensorId> delivered_;
  std::set<TensorId> strided_gradients_;
};

// The calls of one operation. Throw UsageError naming it if there is no implementation.
void issue_forward(Issuer& issuer, const Op& op);
void issue_backward(Issuer& issuer, const Op& op);

// Parts that have a file of their own.
void convolution_forward(Issuer& issuer, const Op& op, const Conv2d& conv);
void convolution_backward(Issuer& issuer, const Op& op, const Conv2d& conv);
void lstm_forward(Issuer& issuer, const Op& op, const Rnn& rnn);
void lstm_backward(Issuer& issuer, const Op& op, const Rnn& rnn);

// Whether this convolution runs as one matrix product per image (ConvParams::use_mkldnn).
bool runs_as_gemm_per_image(const ConvShape& shape, const FrameworkRecord& record, int threads);

[[noreturn]] void refuse(const Issuer& issuer, const Op& op, const std::string& what);

}  // namespace paceline::pytorch

#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline::pytorch {

Issuer::Issuer(const WorkloadGraph& graph, const FrameworkRecord& record,
               const ExecutionContext& context)
    : graph_(graph), record_(record), context_(context), first_gradient_(first_gradients(graph)) {}

void Issuer::enter(std::vector<IssuedCall>& calls, Phase phase, std::size_t layer) {
  calls_ = &calls;
  phase_ = phase;
  layer_ = static_cast<std::uint32_t>(layer);
}

void Issuer::host_calls(double calls) {
  calls_->push_back({.phase = phase_, .layer = layer_, .kernel = {}, .host_calls = calls});
}

void Issuer::host(std::string_view layer_kind, double times) {
  const LayerCalls& calls = record_.calls(layer_kind);
  host_calls(times * (phase_ == Phase::kBackward ? calls.backward : calls.forward));
}

void Issuer::kernel(std::string implementation, const KernelShape& shape, std::int64_t repeat) {
  const Bytes traffic = static_cast<double>(repeat) * kernel_bytes(shape, Precision::kFp32);
  const Reuse reuse = reuse_.touch(operands_, traffic);
  operands_.clear();
  calls_->push_back({.phase = phase_,
                     .layer = layer_,
                     .kernel = Kernel{std::move(implementation), shape, Precision::kFp32},
                     .host_calls = 0,
                     .repeat = repeat,
                     .far_share = reuse.far_share,
                     .reuse_distance = reuse.distance});
}

void Issuer::begin_iteration() {
  delivered_.clear();
  strided_gradients_.clear();
}

Operand Issuer::activation(TensorId tensor) const {
  const TensorId storage = graph_.storage(tensor);
  return {Operand::Kind::kActivation, static_cast<std::uint64_t>(storage),
          graph_.tensor(tensor).bytes()};
}

Operand Issuer::gradient(TensorId tensor) const {
  return {Operand::Kind::kGradient, static_cast<std::uint64_t>(tensor),
          graph_.tensor(tensor).bytes()};
}

Operand Issuer::of_layer(Operand::Kind kind, std::size_t index, std::int64_t elements) const {
  constexpr std::uint64_t kMostParametersOfALayer = 1U << 16;
  return {kind, layer_ * kMostParametersOfALayer + index,
          static_cast<double>(elements) * element_size(Precision::kFp32)};
}

Operand Issuer::parameter(std::size_t index, std::int64_t elements) const {
  return of_layer(Operand::Kind::kParameter, index, elements);
}

Operand Issuer::parameter_gradient(std::size_t index, std::int64_t elements) const {
  return of_layer(Operand::Kind::kParameterGradient, index, elements);
}

void Issuer::stream(std::string implementation, std::int64_t elements, double read, double written,
                    std::int64_t row, std::int64_t repeat) {
  const Bytes tensor = static_cast<double>(elements) * element_size(Precision::kFp32);
  kernel(std::move(implementation),
         StreamShape{
             .elements = elements, .read = read * tensor, .written = written * tensor, .row = row},
         repeat);
}

void Issuer::copy_operands(const Op& op) {
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    if (!copies_operand(graph_, op, k)) continue;
    // Slower when the fastest dimension of the copy is not that of the original.
    const bool transposed = graph_.tensor(op.inputs[k]).strides.back() != 1;
    stream(transposed ? "aten.copy_transposed" : "aten.copy", elements(op.inputs[k]), 1, 1);
  }
}

void Issuer::matrix_products(const std::vector<KernelShape>& products) {
  for (const KernelShape& shape : products) {
    GemmShape matrix = std::get<GemmShape>(shape);
    const std::int64_t count = matrix.batch;
    matrix.batch = 1;
    kernel("openblas.sgemm", matrix, count);
    host("matmul_per_matrix", static_cast<double>(count));
  }
}

bool Issuer::is_first_slice(const Op& op) const {
  for (const Op& other : graph_.ops()) {
    if (std::holds_alternative<Slice>(other.attributes) && other.inputs[0] == op.inputs[0]) {
      return &other == &op;
    }
  }
  return false;
}

std::int64_t Issuer::row_of_channel(TensorId tensor) const {
  const auto& dims = graph_.shape(tensor).dims;
  std::int64_t row = 1;
  for (std::size_t i = 2; i < dims.size(); ++i) row *= dims[i];
  return row;
}

void Issuer::deliver_gradient(TensorId tensor, bool contiguous) {
  if (!needs_gradient(tensor)) return;
  if (!delivered_.insert(tensor).second) {
    touching({gradient(tensor)});
    stream("aten.add", elements(tensor), 2, 1);
    strided_gradients_.erase(tensor);  // the sum is a new tensor
  } else if (!contiguous) {
    strided_gradients_.insert(tensor);
  }
}

void Issuer::accumulate(const std::vector<std::int64_t>& parameter_sizes, std::size_t first) {
  const std::uint32_t base = first_gradient_[layer_];
  for (std::size_t i = 0; i < parameter_sizes.size(); ++i) {
    touching({parameter_gradient(i, parameter_sizes[i])});
    stream("aten.add_", parameter_sizes[i], 2, 1);
    if (base == PlannedCall::kNoGradient) continue;
    calls_->back().gradient = base + static_cast<std::uint32_t>(first + i);
  }
}

void refuse(const Issuer& issuer, const Op& op, const std::string& what) {
  throw UsageError("framework " + issuer.record().name + " on a CPU: layer " + op.name + " is " +
                   what + ", which has no implementation yet");
}

}  // namespace paceline::pytorch

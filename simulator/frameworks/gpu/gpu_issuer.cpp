#include "simulator/frameworks/gpu/gpu_issuer.h"

namespace paceline::gpu {
namespace {

constexpr Bytes kFp32 = Bytes(4);

bool is_wide(Precision precision) {
  return precision == Precision::kFp32 || precision == Precision::kTf32;
}

double as_number(std::int64_t value) { return static_cast<double>(value); }

// Whether autocast converts the operands of this operation: those with products of weights.
bool has_narrow_weights(const Op& op) {
  return std::holds_alternative<Linear>(op.attributes) ||
         std::holds_alternative<ExpertLinear>(op.attributes) ||
         std::holds_alternative<Conv2d>(op.attributes) ||
         std::holds_alternative<ConvTranspose2d>(op.attributes) ||
         std::holds_alternative<Rnn>(op.attributes);
}

}  // namespace

Issuer::Issuer(const WorkloadGraph& graph, const GpuRecord& record,
               const FrameworkSettings& settings)
    : graph_(graph),
      record_(record),
      settings_(settings),
      first_gradient_(first_gradients(graph)) {}

void Issuer::enter(std::vector<IssuedCall>& calls, Phase phase, std::size_t layer) {
  calls_ = &calls;
  phase_ = phase;
  layer_ = static_cast<std::uint32_t>(layer);
}

void Issuer::begin_iteration() { delivered_.clear(); }

void Issuer::host_calls(double calls) {
  calls_->push_back({.phase = phase_,
                     .layer = layer_,
                     .kernel = {},
                     .host_calls = calls,
                     .synchronizes = waits_});
  waits_ = false;
}

void Issuer::host(std::string_view layer_kind, double times) {
  if (record_.execution.waits_for_each_operation && setting("operations") == "waited-for") {
    wait_for_device();
  }
  if (record_.layer_calls.empty()) return;  // charged by the kernel
  const LayerCalls& calls = record_.calls(layer_kind);
  host_calls(times * (is_backward() ? calls.backward : calls.forward));
}

void Issuer::host_copy(const InputCopy& copy, Bytes bytes) {
  calls_->push_back({.phase = phase_,
                     .layer = layer_,
                     .kernel = {},
                     .host_time = copy.call + bytes / copy.rate,
                     .synchronizes = waits_});
  waits_ = false;
}

void Issuer::wait_for_device() { waits_ = true; }

void Issuer::kernel(std::string implementation, const KernelShape& shape, Precision precision,
                    std::vector<Operand> operands, std::int64_t repeat) {
  const pytorch::Reuse reuse =
      reuse_.touch(operands, as_number(repeat) * kernel_bytes(shape, precision));
  calls_->push_back({.phase = phase_,
                     .layer = layer_,
                     .kernel = Kernel{std::move(implementation), shape, precision},
                     .host_calls = record_.execution.calls_per_kernel,
                     .repeat = repeat,
                     .far_share = reuse.far_share,
                     .reuse_distance = reuse.distance,
                     .synchronizes = waits_});
  waits_ = false;
}

void Issuer::stream(std::string implementation, std::int64_t elements, Traffic traffic,
                    std::vector<Operand> operands, StreamKind kind, std::int64_t row) {
  kernel(std::move(implementation),
         StreamShape{.elements = elements,
                     .read = traffic.read,
                     .written = traffic.written,
                     .row = row,
                     .kind = kind},
         Precision::kFp32, std::move(operands));
}

Operand Issuer::activation(TensorId tensor) const {
  const TensorId storage = graph_.storage(tensor);
  return {Operand::Kind::kActivation, static_cast<std::uint64_t>(storage), bytes(tensor)};
}

Operand Issuer::gradient(TensorId tensor) const {
  return {Operand::Kind::kGradient, static_cast<std::uint64_t>(graph_.storage(tensor)),
          bytes(tensor)};
}

Operand Issuer::of_layer(Operand::Kind kind, std::size_t index, std::int64_t elements) const {
  constexpr std::uint64_t kMostParametersOfALayer = 1U << 16;
  return {kind, layer_ * kMostParametersOfALayer + index, as_number(elements) * kFp32};
}

Operand Issuer::parameter(std::size_t index, std::int64_t elements) const {
  return of_layer(Operand::Kind::kParameter, index, elements);
}

Operand Issuer::parameter_gradient(std::size_t index, std::int64_t elements) const {
  return of_layer(Operand::Kind::kParameterGradient, index, elements);
}

Precision Issuer::matrix_precision(bool in_fp8) const {
  return uses_fp8() && !in_fp8 ? Precision::kBf16 : graph_.matrix_precision();
}

bool Issuer::runs_in_fp8(const Op& op) const {
  if (!uses_fp8()) return false;
  const auto is_taken = [](std::int64_t rows, std::int64_t columns) {
    return rows % 8 == 0 && columns % 16 == 0;
  };
  if (const auto* linear = std::get_if<Linear>(&op.attributes)) {
    return is_taken(elements(op.inputs[0]) / linear->in_features, linear->in_features) &&
           is_taken(linear->out_features, linear->in_features);
  }
  if (const auto* expert = std::get_if<ExpertLinear>(&op.attributes)) {
    const std::int64_t rows = elements(op.inputs[0]) / expert->in_features / expert->experts;
    return is_taken(rows, expert->in_features) &&
           is_taken(expert->out_features, expert->in_features);
  }
  return false;
}

bool Issuer::casts_weights() const {
  return !is_wide(graph_.matrix_precision()) && setting("mixed") == "autocast";
}

void Issuer::cast_parameters(const Op& op) {
  if (!casts_weights() || !has_narrow_weights(op)) return;
  if (is_backward() && !op.trainable) return;
  const std::vector<std::int64_t> sizes = used_parameter_sizes(op);
  const std::size_t first = is_backward() ? 0 : weights_in_fp8(op);  // those go there at once
  for (std::size_t index = first; index < sizes.size(); ++index) {
    const Bytes wide = as_number(sizes[index]) * kFp32;
    const Bytes narrow = wide / 2;
    host("cast");
    if (is_backward()) {
      stream("cast", sizes[index], {narrow, wide}, {parameter_gradient(index, sizes[index])});
    } else {
      stream("cast", sizes[index], {wide, narrow}, {parameter(index, sizes[index])});
    }
  }
}

void Issuer::write_in_fp8(std::int64_t elements, Bytes read, const Operand& operand) {
  const double copies = setting("phases") == "forward" ? 1 : 2;
  stream("quantize", elements, {read, copies * as_number(elements) * Bytes(1)}, {operand});
}

void Issuer::quantize(const Op& op, TensorId tensor, const Operand& operand) {
  if (runs_in_fp8(op)) write_in_fp8(elements(tensor), bytes(tensor), operand);
}

// A bias stays in 16 bits; the weights come before it.
std::size_t Issuer::weights_in_fp8(const Op& op) const {
  if (!runs_in_fp8(op)) return 0;
  return std::holds_alternative<Linear>(op.attributes) ? 1 : used_parameter_sizes(op).size();
}

void Issuer::quantize_weights(const Op& op) {
  const std::vector<std::int64_t> sizes = used_parameter_sizes(op);
  const Bytes kept = casts_weights() ? kFp32 : Bytes(2);
  for (std::size_t index = 0; index < weights_in_fp8(op); ++index) {
    write_in_fp8(sizes[index], as_number(sizes[index]) * kept, parameter(index, sizes[index]));
  }
}

void Issuer::deliver_gradient(TensorId tensor) {
  if (!needs_gradient(tensor)) return;
  if (delivered_.insert(tensor).second || record_.execution.sums_in_kernels) return;
  stream("add", elements(tensor), {2 * bytes(tensor), bytes(tensor)}, {gradient(tensor)});
}

void Issuer::add_to_gradients(const Op& op) {
  if (record_.execution.accumulates_gradients) return;  // the products did
  // A gradient is stored where it arrives first and added where there is one already: of an
  // earlier use of the same weights, or zeros.
  if (!record_.clears_gradients && op.sharing == Sharing::kNone) return;
  const std::vector<std::int64_t> sizes = used_parameter_sizes(op);
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    const Bytes size = as_number(sizes[index]) * kFp32;
    stream("add", sizes[index], {2 * size, size}, {parameter_gradient(index, sizes[index])});
  }
}

void Issuer::deliver_parameters(const Op& op) {
  if (!op.trainable) return;
  cast_parameters(op);
  add_to_gradients(op);
  // One kernel may compute several gradients, so calls that do nothing say that they are final.
  const std::uint32_t first = first_gradient_[layer_];
  const std::size_t count = parameter_sizes(op).size();
  for (std::size_t index = 0; index < count; ++index) {
    calls_->push_back({.phase = phase_,
                       .layer = layer_,
                       .kernel = {},
                       .gradient = first + static_cast<std::uint32_t>(index)});
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

}  // namespace paceline::gpu

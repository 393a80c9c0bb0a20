// The inputs of the GPU formulas: shapes as plain numbers, and the facts of the device.
#include "model/cost/batched_tiles.h"
#include "model/cost/formula_inputs.h"
#include "model/hardware/device_spec.h"

namespace paceline {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

const DeviceSpec& device_of(const Kernel& kernel, const ExecutionContext& context) {
  if (context.device != nullptr) return *context.device;
  throw InputError("kernel " + kernel.implementation +
                   ": its formula is in shares of a device's peaks, but no device is given");
}

formula::GpuDevice facts(const DeviceSpec& device) {
  return {.multiprocessors = real(device.multiprocessors.value),
          .matrix_peak = 0,
          .vector_peak = device.vector_peak.value.si(),
          .bandwidth = device.memory.bandwidth.value.si(),
          .cache = device.last_level_cache.value.si(),
          .clock = device.vector_peak.value.si() /
                   real(device.multiprocessors.value * device.vector_flop_per_clock.value)};
}

// With the peak of the kernel's precision.
formula::GpuDevice facts(const DeviceSpec& device, Precision precision) {
  formula::GpuDevice out = facts(device);
  out.matrix_peak = device.peak(precision).si();
  if (device.matrix_rate_share && device.uses_matrix_units(precision)) {
    out.rate_share = device.matrix_rate_share->value;
  }
  return out;
}

}  // namespace

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuGemm::Input& input) {
  const GemmShape& s = shape_of<GemmShape>(kernel, "gemm");
  const DeviceSpec& device = device_of(kernel, context);
  input = {.m = real(s.m),
           .n = real(s.n),
           .k = real(s.k),
           .batch = real(s.batch),
           .trans_a = s.trans_a,
           .trans_b = s.trans_b,
           .element_bytes = element_size(kernel.precision).si(),
           .reuse_distance = context.reuse_distance.si(),
           .on_matrix_units = device.uses_matrix_units(kernel.precision),
           .device = facts(device, kernel.precision)};
  if (!input.on_matrix_units) input.own_tiles = batched_tiles(device.architecture, s);
}

formula::ConvolutionInput convolution_input(const ConvShape& s) {
  formula::ConvolutionInput out;
  out.pass = static_cast<formula::ConvolutionPass>(s.pass);
  out.n = real(s.n);
  out.c = real(s.c);
  out.h = real(s.h);
  out.w = real(s.w);
  out.k = real(s.k);
  out.r = real(s.r);
  out.s = real(s.s);
  out.p = real(s.output_h());
  out.q = real(s.output_w());
  out.stride_h = real(s.stride_h);
  out.stride_w = real(s.stride_w);
  out.groups = real(s.groups);
  out.channels_last = s.channels_last;
  return out;
}

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuConvolution::Input& input) {
  input = convolution_input(shape_of<ConvShape>(kernel, "convolution"));
  const DeviceSpec& device = device_of(kernel, context);
  input.element_bytes = element_size(kernel.precision).si();
  input.on_matrix_units = device.uses_matrix_units(kernel.precision);
  input.reuse_distance = context.reuse_distance.si();
  input.workspace_limit = context.workspace_limit.si();
  input.device = facts(device, kernel.precision);
}

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuAttention::Input& input) {
  const AttentionShape& s = shape_of<AttentionShape>(kernel, "attention");
  input = {.batch = real(s.batch),
           .seq = real(s.seq),
           .heads = real(s.heads),
           .kv_heads = real(s.kv_heads),
           .head_dim = real(s.head_dim),
           .causal = s.causal,
           .backward = s.pass != Pass::kForward,
           .element_bytes = element_size(kernel.precision).si(),
           .device = facts(device_of(kernel, context), kernel.precision)};
}

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuRnn::Input& input) {
  const RnnShape& s = shape_of<RnnShape>(kernel, "recurrent");
  input = {.gates = real(s.gates),
           .input = real(s.input),
           .hidden = real(s.hidden),
           .batch = real(s.batch),
           .steps = real(s.steps),
           .layers = real(s.layers),
           .directions = s.bidirectional ? 2.0 : 1.0,
           .weight_gradient = s.pass == Pass::kWgrad,
           .persistent = s.persistent,
           .element_bytes = element_size(kernel.precision).si(),
           .device = facts(device_of(kernel, context), kernel.precision)};
}

void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuStream::Input& input) {
  const StreamShape& s = shape_of<StreamShape>(kernel, "stream");
  // Mean and variance first, then the values: one of both readings is counted, or both are.
  const bool is_counted_once = s.read.si() < 1.5 * s.written.si();
  const bool is_read_again = s.kind == StreamKind::kNormalization && is_counted_once;
  input = {.elements = real(s.elements),
           .bytes = s.read.si() + s.written.si(),
           .rows = s.row > 0 ? real(s.elements) / real(s.row) : 0,
           .again = is_read_again ? s.read.si() : 0,
           .reuse_distance = context.reuse_distance.si(),
           .device = facts(device_of(kernel, context))};
}

}  // namespace paceline

#include "simulator/device/kernel_of.h"

#include <array>
#include <string>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

bool has(const Measurement& m, const std::string& axis) { return m.axes.contains(axis); }

std::int64_t integer_or(const Measurement& m, const std::string& axis, std::int64_t fallback) {
  return has(m, axis) ? m.integer(axis) : fallback;
}

bool is_transposed(const Measurement& m, const std::string& axis) {
  const std::string text = m.text(axis);
  if (text != "N" && text != "T") {
    throw InputError("measurement of " + m.benchmark + ": axis " + axis + " is \"" + text +
                     "\"; allowed: N, T");
  }
  return text == "T";
}

GemmShape gemm_of(const Measurement& m) {
  return {.m = m.integer("m"),
          .n = m.integer("n"),
          .k = m.integer("k"),
          .trans_a = is_transposed(m, "trans_a"),
          .trans_b = is_transposed(m, "trans_b"),
          .batch = integer_or(m, "batch", 1)};
}

Pass pass_of(const Measurement& m) {
  const std::array<std::string, 3> names = {"forward", "dgrad", "wgrad"};
  const std::string text = m.text("pass");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Pass>(i);
  }
  throw InputError("measurement of " + m.benchmark + ": " +
                   unknown_name_message("pass", text, names));
}

ConvShape convolution_of(const Measurement& m) {
  return {.pass = pass_of(m),
          .n = m.integer("n"),
          .c = m.integer("c"),
          .h = m.integer("h"),
          .w = m.integer("w"),
          .k = m.integer("k"),
          .r = m.integer("r"),
          .s = m.integer("s"),
          .pad_h = integer_or(m, "pad_h", 0),
          .pad_w = integer_or(m, "pad_w", 0),
          .stride_h = integer_or(m, "stride_h", 1),
          .stride_w = integer_or(m, "stride_w", 1),
          .groups = integer_or(m, "groups", 1),
          .channels_last = integer_or(m, "channels_last", 0) != 0};
}

RnnShape rnn_of(const Measurement& m) {
  return {.pass = pass_of(m),
          .gates = m.integer("gates"),
          .input = m.integer("input"),
          .hidden = m.integer("hidden"),
          .batch = m.integer("batch"),
          .steps = m.integer("steps"),
          .layers = integer_or(m, "layers", 1)};
}

AttentionShape attention_of(const Measurement& m) {
  return {.pass = m.text("attention") == "forward" ? Pass::kForward : Pass::kDgrad,
          .batch = m.integer("batch"),
          .seq = m.integer("seq"),
          .heads = m.integer("heads"),
          .kv_heads = m.integer("kv_heads"),
          .head_dim = m.integer("head_dim"),
          .causal = m.integer("causal") != 0};
}

StreamKind stream_kind_of(const Measurement& m) {
  if (!has(m, "kind")) return StreamKind::kElementwise;
  try {
    return parse_stream_kind(m.text("kind"));
  } catch (const UsageError& error) {
    throw InputError("measurement of " + m.benchmark + ": axis kind: " + error.what());
  }
}

Bytes traffic(const Measurement& m, const std::string& axis) {
  const double bytes = m.number(axis);
  if (bytes < 0) {
    throw InputError("measurement of " + m.benchmark + " (" + to_string(m.axes) + "): axis " +
                     axis + " is negative");
  }
  return Bytes(bytes);
}

StreamShape stream_of(const Measurement& m) {
  return {.elements = m.integer("elements"),
          .read = traffic(m, "read_bytes"),
          .written = traffic(m, "written_bytes"),
          .row = integer_or(m, "row", 0),
          .kind = stream_kind_of(m)};
}

}  // namespace

std::optional<Kernel> kernel_of(const Measurement& measurement) {
  Kernel kernel;
  kernel.implementation = measurement.benchmark;
  if (has(measurement, "precision")) {
    kernel.precision = parse_precision(measurement.text("precision"));
  }
  if (has(measurement, "trans_a")) {
    kernel.shape = gemm_of(measurement);
  } else if (has(measurement, "gates")) {
    kernel.shape = rnn_of(measurement);
  } else if (has(measurement, "attention")) {
    kernel.shape = attention_of(measurement);
  } else if (has(measurement, "pass")) {
    kernel.shape = convolution_of(measurement);
  } else if (has(measurement, "elements")) {
    kernel.shape = stream_of(measurement);
  } else {
    return std::nullopt;
  }
  return kernel;
}

ExecutionContext context_of(const Measurement& measurement) {
  ExecutionContext context;
  context.threads = measurement.count("threads");
  return context;
}

}  // namespace paceline

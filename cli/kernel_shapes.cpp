#include "cli/kernel_shapes.h"

#include "core/error.h"
#include "core/names.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;
// A petabyte is beyond the memory of any device; below it no product of extents leaves 64 bits.
constexpr Bytes kMostBytes{1e15};

std::int64_t size(const Arguments& a, std::string_view flag) {
  return parse_count(flag_text(flag), a.text(flag), 1, kLargest);
}
std::int64_t size_or(const Arguments& a, std::string_view flag, std::int64_t fallback) {
  return a.count_or(flag, fallback, kLargest);
}
std::int64_t padding(const Arguments& a, std::string_view flag) {
  return parse_count(flag_text(flag), a.text_or(flag, "0"), 0, kLargest);
}

// One of `allowed`; the first is the default.
std::string choice(const Arguments& a, std::string_view flag,
                   const std::vector<std::string>& allowed) {
  const std::string text = a.text_or(flag, allowed.front());
  for (const std::string& name : allowed) {
    if (same_name(name, text)) return name;
  }
  throw UsageError(unknown_name_message(flag_text(flag), text, allowed));
}

bool is_backward(const Arguments& a) {
  return choice(a, "pass", {"forward", "backward"}) == "backward";
}

using Shapes = std::vector<KernelShape>;

Shapes gemm(const Arguments& a, Precision) {
  return {GemmShape{.m = size(a, "m"),
                    .n = size(a, "n"),
                    .k = size(a, "k"),
                    .trans_a = choice(a, "trans-a", {"N", "T"}) == "T",
                    .trans_b = choice(a, "trans-b", {"N", "T"}) == "T",
                    .batch = size_or(a, "batch-count", 1)}};
}

Shapes convolution(const Arguments& a, Precision) {
  const std::string pass = choice(a, "pass", {"forward", "dgrad", "wgrad"});
  ConvShape s{.pass = pass == "forward" ? Pass::kForward
                      : pass == "dgrad" ? Pass::kDgrad
                                        : Pass::kWgrad,
              .n = size(a, "n"),
              .c = size(a, "c"),
              .h = size(a, "h"),
              .w = size(a, "w"),
              .k = size(a, "k"),
              .r = size(a, "r"),
              .s = size(a, "s"),
              .pad_h = padding(a, "pad-h"),
              .pad_w = padding(a, "pad-w"),
              .stride_h = size_or(a, "stride-h", 1),
              .stride_w = size_or(a, "stride-w", 1),
              .groups = size_or(a, "groups", 1),
              .channels_last = a.has("channels-last")};
  if (s.h + 2 * s.pad_h < s.r || s.w + 2 * s.pad_w < s.s) {
    throw UsageError("the filter is larger than the padded input");
  }
  if (s.c % s.groups != 0 || s.k % s.groups != 0) {
    throw UsageError("--groups " + std::to_string(s.groups) + " does not divide --c and --k");
  }
  return {s};
}

Shapes recurrent(const Arguments& a, std::int64_t gates) {
  RnnShape s{.gates = gates,
             .input = 0,
             .hidden = size(a, "hidden"),
             .batch = size(a, "batch"),
             .steps = size(a, "steps"),
             .layers = size_or(a, "layers", 1),
             .bidirectional = a.has("bidirectional"),
             .persistent = a.has("persistent")};
  if (a.has("skip-input") && a.has("input")) {
    throw UsageError("--skip-input and --input exclude each other");
  }
  if (!a.has("skip-input")) s.input = size_or(a, "input", s.hidden);
  if (!is_backward(a)) return {s};
  RnnShape weights = s;
  weights.persistent = false;
  s.pass = Pass::kDgrad;
  weights.pass = Pass::kWgrad;
  return {s, weights};
}
Shapes rnn(const Arguments& a, Precision) { return recurrent(a, 1); }
Shapes gru(const Arguments& a, Precision) { return recurrent(a, 3); }
Shapes lstm(const Arguments& a, Precision) { return recurrent(a, 4); }

Shapes attention(const Arguments& a, Precision) {
  AttentionShape s{.pass = is_backward(a) ? Pass::kDgrad : Pass::kForward,
                   .batch = size(a, "batch"),
                   .seq = size(a, "seq"),
                   .heads = size(a, "heads"),
                   .kv_heads = size_or(a, "kv-heads", size(a, "heads")),
                   .head_dim = size(a, "head-dim"),
                   .causal = a.has("causal")};
  if (s.heads % s.kv_heads != 0) throw UsageError("--kv-heads does not divide --heads");
  return {s};
}

// Tensors read and written by a pass, in sizes of the input (docs/models/gpu-memory.md).
struct Traffic {
  double reads, writes, backward_reads, backward_writes;
  StreamKind kind = StreamKind::kElementwise;
  StreamKind backward_kind = StreamKind::kElementwise;
};

Shapes stream(const Arguments& a, Precision precision, const Traffic& traffic, bool has_rows) {
  const double reads = is_backward(a) ? traffic.backward_reads : traffic.reads;
  const double writes = is_backward(a) ? traffic.backward_writes : traffic.writes;
  StreamShape s;
  if (a.has("bytes")) {
    for (const char* other : {"elements", "rows"}) {
      if (a.has(other))
        throw UsageError("--bytes and --" + std::string(other) + " exclude each other");
    }
    const Bytes bytes = parse_bytes(a.text("bytes"));
    const Bytes least = (reads + writes) * element_size(precision);
    const Bytes most = static_cast<double>(kLargest) * least;
    if (bytes < least || bytes > most) {
      throw UsageError("--bytes " + a.text("bytes") + " is not between one element, " +
                       to_text(least) + ", and " + to_text(most));
    }
    s.read = bytes * (reads / (reads + writes));
    s.written = bytes * (writes / (reads + writes));
    s.elements = static_cast<std::int64_t>(bytes / element_size(precision) / (reads + writes));
  } else {
    if (a.has("elements") && a.has("rows")) {
      throw UsageError("--elements and --rows exclude each other");
    }
    const bool in_rows = has_rows && !a.has("elements");
    const double elements =
        in_rows ? static_cast<double>(size(a, "rows")) * static_cast<double>(size(a, "row"))
                : static_cast<double>(size(a, "elements"));
    s.read = elements * reads * element_size(precision);
    s.written = elements * writes * element_size(precision);
    check_kernel_bytes(a.text("op"), s.read + s.written);
    s.elements = static_cast<std::int64_t>(elements);
  }
  if (has_rows) s.row = size_or(a, "row", 0);
  s.kind = is_backward(a) ? traffic.backward_kind : traffic.kind;
  return {s};
}
Shapes elementwise(const Arguments& a, Precision p) { return stream(a, p, {1, 1, 2, 1}, false); }
Shapes layer_norm(const Arguments& a, Precision p) {
  return stream(a, p, {1, 1, 2, 1, StreamKind::kNormalization, StreamKind::kNormalizationBackward},
                true);
}
Shapes softmax(const Arguments& a, Precision p) {
  return stream(a, p, {1, 1, 2, 1, StreamKind::kSoftmax, StreamKind::kSoftmax}, true);
}
Shapes batch_norm(const Arguments& a, Precision p) { return stream(a, p, {2, 1, 4, 1}, false); }
Shapes pool(const Arguments& a, Precision p) { return stream(a, p, {1, 0.25, 0.5, 1}, false); }
Shapes embedding(const Arguments& a, Precision p) {
  return stream(a, p, {1, 1, 1, 1, StreamKind::kGather, StreamKind::kGather}, true);
}

// Reads gradient and weight and keeps the state, all fp32: SGD, with momentum, Adam.
Shapes optimizer(const Arguments& a, Precision) {
  const std::string kind = choice(a, "optimizer", {"adam", "momentum", "sgd"});
  const double reads = kind == "adam" ? 4 : kind == "momentum" ? 3 : 2;
  const double writes = kind == "adam" ? 3 : kind == "momentum" ? 2 : 1;
  return stream(a, Precision::kFp32,
                {reads, writes, reads, writes, StreamKind::kOptimizer, StreamKind::kOptimizer},
                false);
}

}  // namespace

void check_kernel_bytes(const std::string& op, Bytes bytes) {
  if (bytes > kMostBytes) {
    throw UsageError("--op " + op + ": operands of " + to_text(bytes) + "; at most " +
                     to_text(kMostBytes) + " are possible");
  }
}

const std::map<std::string, KernelOperation>& kernel_operations() {
  static const std::vector<std::string> kStream = {"bytes", "elements", "pass"};
  static const std::vector<std::string> kRows = {"bytes", "elements", "pass", "rows", "row"};
  static const std::vector<std::string> kRnn = {"pass",   "hidden",        "batch",
                                                "steps",  "input",         "skip-input",
                                                "layers", "bidirectional", "persistent"};
  static const std::map<std::string, KernelOperation> kAll = {
      {"gemm", {"gemm", gemm, {"m", "n", "k", "trans-a", "trans-b", "batch-count"}}},
      {"conv",
       {"conv",
        convolution,
        {"pass", "n", "c", "h", "w", "k", "r", "s", "pad-h", "pad-w", "stride-h", "stride-w",
         "groups", "channels-last", "workspace"}}},
      {"rnn", {"rnn", rnn, kRnn}},
      {"gru", {"gru", gru, kRnn}},
      {"lstm", {"lstm", lstm, kRnn}},
      {"attention",
       {"attention",
        attention,
        {"pass", "batch", "seq", "heads", "kv-heads", "head-dim", "causal"}}},
      {"elementwise", {"elementwise", elementwise, kStream}},
      {"layernorm", {"layer_norm", layer_norm, kRows}},
      {"softmax", {"softmax", softmax, kRows}},
      {"batchnorm", {"batch_norm", batch_norm, kStream}},
      {"pool", {"pool", pool, kStream}},
      {"embedding", {"embedding", embedding, kRows}},
      {"optimizer", {"optimizer", optimizer, {"bytes", "elements", "optimizer"}}}};
  return kAll;
}

}  // namespace paceline

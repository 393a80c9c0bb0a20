#include "model/kernel/kernel.h"

#include <array>
#include <vector>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

constexpr std::array<std::string_view, 5> kPrecisionNames = {"fp32", "tf32", "fp16", "bf16", "fp8"};
constexpr std::array<double, 5> kElementBytes = {4, 4, 2, 2, 1};
constexpr std::array<std::string_view, 3> kPassNames = {"forward", "dgrad", "wgrad"};
constexpr std::array<std::string_view, 6> kStreamKindNames = {
    "elementwise", "normalization", "normalization_backward", "softmax", "optimizer", "gather"};

std::string pair_text(std::int64_t a, std::int64_t b) {
  return a == b ? std::to_string(a) : std::to_string(a) + "x" + std::to_string(b);
}

// Of extents; a product of four may not fit 64 bits. Exact up to 2^53.
template <typename... Extents>
double product(Extents... extents) {
  return (static_cast<double>(extents) * ...);
}

double rnn_directions(const RnnShape& s) { return s.bidirectional ? 2 : 1; }

// Elements of all weight matrices; later layers read the outputs of both directions.
double rnn_matrix_elements(const RnnShape& s) {
  const double hidden = static_cast<double>(s.hidden);
  const double first = static_cast<double>(s.input) + hidden;
  const double later = (1 + rnn_directions(s)) * hidden;
  return static_cast<double>(s.gates) * hidden * rnn_directions(s) *
         (first + static_cast<double>(s.layers - 1) * later);
}

// Query-key pairs of one head.
double attended_pairs(const AttentionShape& s) {
  const double seq = static_cast<double>(s.seq);
  return s.causal ? seq * (seq + 1) / 2 : seq * seq;
}

struct FlopsOf {
  double operator()(const GemmShape& s) const {
    return 2.0 * static_cast<double>(s.batch) * static_cast<double>(s.m) *
           static_cast<double>(s.n) * static_cast<double>(s.k);
  }
  double operator()(const ConvShape& s) const {
    return 2.0 * product(s.n, s.output_h(), s.output_w()) * static_cast<double>(s.k) *
           product(s.c / s.groups, s.r, s.s);
  }
  double operator()(const StreamShape&) const { return 0; }
  double operator()(const RnnShape& s) const {
    return 2.0 * product(s.batch, s.steps) * rnn_matrix_elements(s);
  }
  double operator()(const AttentionShape& s) const {
    // Two products of seq x seq x head_dim forward; five backward, one of them a repeated forward.
    const double products = s.pass == Pass::kForward ? 2.0 : 5.0;
    return products * 2.0 * product(s.batch, s.heads) * attended_pairs(s) *
           static_cast<double>(s.head_dim);
  }
};

struct ElementsOf {
  double operator()(const GemmShape& s) const {
    return static_cast<double>(s.batch) *
           (product(s.m, s.k) + product(s.k, s.n) + product(s.m, s.n));
  }
  double operator()(const ConvShape& s) const {
    return product(s.n, s.c, s.h, s.w) + product(s.n, s.k, s.output_h(), s.output_w()) +
           product(s.k, s.c / s.groups, s.r, s.s);
  }
  // Weights once, inputs and outputs of every layer once.
  double operator()(const RnnShape& s) const {
    const double outputs = rnn_directions(s) * product(s.hidden, s.layers);
    return rnn_matrix_elements(s) +
           product(s.batch, s.steps) * (static_cast<double>(s.input) + outputs);
  }
  // Query, key, value and output; backward also their gradients.
  double operator()(const AttentionShape& s) const {
    const double tensors =
        product(s.batch, s.seq, s.head_dim) *
        (2.0 * static_cast<double>(s.heads) + 2.0 * static_cast<double>(s.kv_heads));
    return s.pass == Pass::kForward ? tensors : 2.0 * tensors;
  }
  double operator()(const StreamShape&) const { return 0; }  // has its own bytes
};

struct TextOf {
  std::string operator()(const GemmShape& s) const {
    const std::string batch = s.batch > 1 ? std::to_string(s.batch) + "x " : "";
    return std::string("gemm ") + (s.trans_a ? "T" : "N") + (s.trans_b ? "T" : "N") + " " + batch +
           std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
  }
  std::string operator()(const ConvShape& s) const {
    return "conv " + std::string(to_string(s.pass)) + " " + std::to_string(s.n) + "x" +
           std::to_string(s.c) + "x" + std::to_string(s.h) + "x" + std::to_string(s.w) + " k" +
           std::to_string(s.k) + " " + std::to_string(s.r) + "x" + std::to_string(s.s) + " s" +
           pair_text(s.stride_h, s.stride_w) + " p" + pair_text(s.pad_h, s.pad_w) +
           (s.groups > 1 ? " g" + std::to_string(s.groups) : "") + (s.channels_last ? " nhwc" : "");
  }
  std::string operator()(const StreamShape& s) const {
    return "stream " + std::to_string(s.elements) +
           (s.row > 0 ? " rows of " + std::to_string(s.row) : "");
  }
  std::string operator()(const RnnShape& s) const {
    return "rnn " + std::string(to_string(s.pass)) + " g" + std::to_string(s.gates) + " i" +
           std::to_string(s.input) + " h" + std::to_string(s.hidden) + " b" +
           std::to_string(s.batch) + " t" + std::to_string(s.steps) + " l" +
           std::to_string(s.layers) + (s.bidirectional ? " both ways" : "") +
           (s.persistent ? " persistent" : "");
  }
  std::string operator()(const AttentionShape& s) const {
    return "attention " + std::string(to_string(s.pass)) + " b" + std::to_string(s.batch) + " l" +
           std::to_string(s.seq) + " h" + pair_text(s.heads, s.kv_heads) + " d" +
           std::to_string(s.head_dim) + (s.causal ? " causal" : "");
  }
};

}  // namespace

std::string_view to_string(Precision precision) {
  return kPrecisionNames[static_cast<std::size_t>(precision)];
}

Precision parse_precision(std::string_view text) {
  for (std::size_t i = 0; i < kPrecisionNames.size(); ++i) {
    if (same_name(kPrecisionNames[i], text)) return static_cast<Precision>(i);
  }
  const std::vector<std::string> names(kPrecisionNames.begin(), kPrecisionNames.end());
  throw UsageError(unknown_name_message("precision", text, names));
}

std::string_view to_string(StreamKind kind) {
  return kStreamKindNames[static_cast<std::size_t>(kind)];
}

StreamKind parse_stream_kind(std::string_view text) {
  for (std::size_t i = 0; i < kStreamKindNames.size(); ++i) {
    if (kStreamKindNames[i] == text) return static_cast<StreamKind>(i);
  }
  const std::vector<std::string> names(kStreamKindNames.begin(), kStreamKindNames.end());
  throw UsageError(unknown_name_message("kind of stream kernel", text, names));
}

Bytes element_size(Precision precision) {
  return Bytes(kElementBytes[static_cast<std::size_t>(precision)]);
}

std::string_view to_string(Pass pass) { return kPassNames[static_cast<std::size_t>(pass)]; }

Flops kernel_flops(const KernelShape& shape) { return Flops(std::visit(FlopsOf{}, shape)); }

Bytes kernel_bytes(const KernelShape& shape, Precision precision) {
  if (const auto* stream = std::get_if<StreamShape>(&shape)) return stream->read + stream->written;
  return std::visit(ElementsOf{}, shape) * element_size(precision);
}

std::string to_string(const KernelShape& shape) { return std::visit(TextOf{}, shape); }

}  // namespace paceline

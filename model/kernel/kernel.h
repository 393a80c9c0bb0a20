// A kernel: one call into a compute library with its shape, the unit that is measured, fitted and
// costed. What a framework makes of a layer is a list of kernels (simulator/frameworks).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "core/units.h"

namespace paceline {

// Arithmetic of a matrix operation. 16-bit ones imply fp32 accumulation.
enum class Precision { kFp32, kTf32, kFp16, kBf16, kFp8 };

std::string_view to_string(Precision precision);
// Throws UsageError with the allowed names.
Precision parse_precision(std::string_view text);
// Bytes of one stored element (tf32 is stored as fp32).
Bytes element_size(Precision precision);

// Which derivative a kernel computes.
enum class Pass { kForward, kDgrad, kWgrad };
std::string_view to_string(Pass pass);

// C[m x n] (+)= op(A)[m x k] op(B)[k x n], BLAS convention, repeated `batch` times.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool trans_a = false;
  bool trans_b = false;
  std::int64_t batch = 1;
  bool operator==(const GemmShape&) const = default;
};

// Input n x c x h x w, filter k x c/groups x r x s. The shape is that of the forward convolution
// for every pass.
struct ConvShape {
  Pass pass = Pass::kForward;
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  std::int64_t k = 0, r = 0, s = 0;
  std::int64_t pad_h = 0, pad_w = 0;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t groups = 1;
  // Images lie in memory with the channels of a place together (NHWC), as matrix units read them.
  bool channels_last = false;
  std::int64_t output_h() const { return (h + 2 * pad_h - r) / stride_h + 1; }
  std::int64_t output_w() const { return (w + 2 * pad_w - s) / stride_w + 1; }
  bool operator==(const ConvShape&) const = default;
};

// What a stream kernel does, where that decides how fast it streams: a GPU's kernels of one kind
// share their parameters. A reduction over channels (batch normalisation) counts as elementwise:
// its passes over the tensor are in its traffic. Gathers read rows chosen by indices.
enum class StreamKind {
  kElementwise,
  kNormalization,
  kNormalizationBackward,
  kSoftmax,
  kOptimizer,
  kGather
};
// "elementwise", "normalization", "normalization_backward", ...
std::string_view to_string(StreamKind kind);
// Throws UsageError with the allowed names.
StreamKind parse_stream_kind(std::string_view text);

// A kernel limited by memory traffic or by a fixed cost per element: elementwise, normalisation,
// pooling, softmax, copies, reorders, optimizer updates. `read`/`written` are compulsory traffic.
struct StreamShape {
  std::int64_t elements = 0;  // of the largest tensor touched
  Bytes read;
  Bytes written;
  std::int64_t row = 0;  // length of a reduced or normalised row, 0 if there is none
  StreamKind kind = StreamKind::kElementwise;
  bool operator==(const StreamShape&) const = default;
};

// A recurrent layer run by one library call over all steps and layers. `gates` is the number of
// gate matrices: 1 plain, 3 GRU, 4 LSTM; `input` 0 when the input is added without a matrix.
struct RnnShape {
  Pass pass = Pass::kForward;
  std::int64_t gates = 4;
  std::int64_t input = 0, hidden = 0;
  std::int64_t batch = 0, steps = 0;
  std::int64_t layers = 1;
  bool bidirectional = false;
  bool persistent = false;  // one kernel for all steps, its weights kept on chip
  bool operator==(const RnnShape&) const = default;
};

// Fused attention that never stores the `seq` x `seq` scores. kDgrad is the gradient of query, key
// and value together; there is no kWgrad.
struct AttentionShape {
  Pass pass = Pass::kForward;
  std::int64_t batch = 0, seq = 0;
  std::int64_t heads = 0, kv_heads = 0;
  std::int64_t head_dim = 0;
  bool causal = false;
  bool operator==(const AttentionShape&) const = default;
};

using KernelShape = std::variant<GemmShape, ConvShape, StreamShape, RnnShape, AttentionShape>;

// `implementation` names the code that runs, "openblas.sgemm", "onednn.conv", "aten.relu": the key
// under which it is measured and its parameters are fitted.
struct Kernel {
  std::string implementation;
  KernelShape shape;
  Precision precision = Precision::kFp32;
};

// Arithmetic work, 1 multiply-add = 2 FLOP; 0 for stream kernels.
Flops kernel_flops(const KernelShape& shape);
// Compulsory memory traffic: every operand once.
Bytes kernel_bytes(const KernelShape& shape, Precision precision);
// Short and unique: "gemm NT 512x1024x256", "conv dgrad 16x64x56x56 k64 3x3 s1 p1".
std::string to_string(const KernelShape& shape);

}  // namespace paceline

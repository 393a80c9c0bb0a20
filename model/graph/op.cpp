#include "model/graph/op.h"

#include <array>

namespace paceline {
namespace {

struct KindName {
  std::string_view operator()(const Linear&) const { return "linear"; }
  std::string_view operator()(const ExpertLinear&) const { return "expert_linear"; }
  std::string_view operator()(const Matmul&) const { return "matmul"; }
  std::string_view operator()(const Attention&) const { return "attention"; }
  std::string_view operator()(const Conv2d&) const { return "conv2d"; }
  std::string_view operator()(const ConvTranspose2d&) const { return "conv_transpose2d"; }
  std::string_view operator()(const Norm& op) const {
    constexpr std::array<std::string_view, 4> kNames = {"batch_norm", "layer_norm", "rms_norm",
                                                        "group_norm"};
    return kNames[static_cast<std::size_t>(op.kind)];
  }
  std::string_view operator()(const LocalResponseNorm&) const { return "local_response_norm"; }
  std::string_view operator()(const Activate& op) const {
    constexpr std::array<std::string_view, 8> kNames = {
        "relu", "sigmoid", "tanh", "gelu", "silu", "relu6", "leaky_relu", "clipped_relu"};
    return kNames[static_cast<std::size_t>(op.kind)];
  }
  std::string_view operator()(const Pool2d& op) const {
    return op.kind == Pooling::kMax ? "max_pool2d" : "average_pool2d";
  }
  std::string_view operator()(const Upsample2d&) const { return "upsample2d"; }
  std::string_view operator()(const Softmax&) const { return "softmax"; }
  std::string_view operator()(const Dropout&) const { return "dropout"; }
  std::string_view operator()(const Add&) const { return "add"; }
  std::string_view operator()(const Multiply&) const { return "multiply"; }
  std::string_view operator()(const Scale&) const { return "scale"; }
  std::string_view operator()(const CausalMask&) const { return "causal_mask"; }
  std::string_view operator()(const Rotary&) const { return "rotary"; }
  std::string_view operator()(const Cast&) const { return "cast"; }
  std::string_view operator()(const Concat&) const { return "concat"; }
  std::string_view operator()(const Reshape&) const { return "reshape"; }
  std::string_view operator()(const Permute&) const { return "permute"; }
  std::string_view operator()(const Slice&) const { return "slice"; }
  std::string_view operator()(const Expand&) const { return "expand"; }
  std::string_view operator()(const Gather&) const { return "gather"; }
  std::string_view operator()(const ScatterAdd&) const { return "scatter_add"; }
  std::string_view operator()(const TopK&) const { return "top_k"; }
  std::string_view operator()(const Mean&) const { return "mean"; }
  std::string_view operator()(const RoiAlign&) const { return "roi_align"; }
  std::string_view operator()(const Embedding&) const { return "embedding"; }
  std::string_view operator()(const TrainableTensor&) const { return "parameter"; }
  std::string_view operator()(const Rnn& op) const {
    constexpr std::array<std::string_view, 3> kNames = {"rnn", "gru", "lstm"};
    return kNames[static_cast<std::size_t>(op.cell)];
  }
  std::string_view operator()(const CrossEntropy&) const { return "cross_entropy"; }
  std::string_view operator()(const Loss& op) const {
    constexpr std::array<std::string_view, 5> kNames = {
        "mean_squared_error", "binary_cross_entropy", "smooth_l1", "ctc", "mean_loss"};
    return kNames[static_cast<std::size_t>(op.kind)];
  }
};

}  // namespace

std::string_view kind_name(const OpAttributes& attributes) {
  return std::visit(KindName{}, attributes);
}

std::int64_t gate_count(RnnCell cell) {
  constexpr std::array<std::int64_t, 3> kCounts = {1, 3, 4};
  return kCounts[static_cast<std::size_t>(cell)];
}

std::string to_string(const TensorShape& shape) {
  std::string text;
  for (const std::int64_t dim : shape.dims) text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text.empty() ? "scalar" : text;
}

}  // namespace paceline

// Attributes of every kind of operation; the layers with weights, the arithmetic and the losses are
// here, those that only move data in data_movement.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "model/graph/data_movement.h"

namespace paceline {

enum class Activation { kRelu, kSigmoid, kTanh, kGelu, kSilu, kRelu6, kLeakyRelu, kClippedRelu };
enum class Pooling { kMax, kAverage };
enum class Normalization { kBatch, kLayer, kRms, kGroup };

// y = x W^T + b over the last dimension.
struct Linear {
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  bool bias = true;
};
// One Linear per expert; the rows are spread evenly over the experts. x is rows x in_features.
struct ExpertLinear {
  std::int64_t experts = 0;
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
};
// y = op(a) op(b) of two activations, over the last two dimensions, batched over the others.
struct Matmul {
  bool trans_a = false;
  bool trans_b = false;
};
// softmax(q k^T) v in one operation that never stores the scores. Inputs batch x heads x seq x
// head_dim; keys and values may have fewer heads.
struct Attention {
  bool causal = false;
};

struct Conv2d {
  std::int64_t in_channels = 0, out_channels = 0;
  std::int64_t kernel_h = 0, kernel_w = 0;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;
  std::int64_t groups = 1;
  bool bias = true;
};
// The gradient of a Conv2d used as a forward operation: it enlarges by the stride.
struct ConvTranspose2d {
  std::int64_t in_channels = 0, out_channels = 0;
  std::int64_t kernel = 0, stride = 1, pad = 0, output_pad = 0;
  bool bias = true;
};

struct Norm {
  Normalization kind = Normalization::kBatch;
  std::int64_t features = 0;
  std::int64_t groups = 1;  // kGroup only
  bool scale = true;        // trainable scale of each feature
  bool shift = true;        // trainable shift; RMS normalisation has none
};
// Across `size` neighbouring channels (AlexNet, GoogLeNet).
struct LocalResponseNorm {
  std::int64_t size = 5;
};

struct Activate {
  Activation kind = Activation::kRelu;
  bool in_place = false;
};
struct Pool2d {
  Pooling kind = Pooling::kMax;
  std::int64_t kernel_h = 0, kernel_w = 0;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;
  bool ceil_mode = false;
  bool global = false;  // over the whole map: frameworks run it as a mean
};
struct Upsample2d {  // nearest neighbour
  std::int64_t factor = 2;
};

struct Softmax {};  // over the last dimension
struct Dropout {
  double probability = 0.5;
  bool in_place = false;
};
struct Add {  // the second tensor may be broadcast to the shape of the first
  bool in_place = false;
};
struct Multiply {};    // likewise
struct Scale {};       // by a constant
struct CausalMask {};  // sets the scores of later positions to minus infinity
struct Rotary {};      // rotates pairs of elements by an angle that depends on the position
struct Embedding {
  std::int64_t rows = 0;
  std::int64_t width = 0;
};
struct TrainableTensor {  // a trainable tensor used directly, such as learned positions; no inputs
  TensorShape shape;
};

enum class RnnCell { kRnn, kGru, kLstm };
std::int64_t gate_count(RnnCell cell);  // 1, 3, 4
// Input steps x batch x input, then optionally the initial state; one or more stacked layers.
struct Rnn {
  RnnCell cell = RnnCell::kLstm;
  std::int64_t input = 0, hidden = 0;
  std::int64_t layers = 1;
  bool bidirectional = false;
  int bias_sets = 2;  // cuDNN and PyTorch keep two per gate; the published count uses one
};

// Softmax and negative log-likelihood over the last dimension against class indices.
struct CrossEntropy {};
// Other losses; the output is a scalar. kMean is that of the input itself (a critic's loss).
enum class LossKind { kMeanSquaredError, kBinaryCrossEntropy, kSmoothL1, kCtc, kMean };
struct Loss {
  LossKind kind = LossKind::kMeanSquaredError;
};

using OpAttributes = std::variant<Linear, ExpertLinear, Matmul, Attention, Conv2d, ConvTranspose2d,
                                  Norm, LocalResponseNorm, Activate, Pool2d, Upsample2d, Softmax,
                                  Dropout, Add, Multiply, Scale, CausalMask, Rotary, Cast, Concat,
                                  Reshape, Permute, Slice, Expand, Gather, ScatterAdd, TopK, Mean,
                                  RoiAlign, Embedding, TrainableTensor, Rnn, CrossEntropy, Loss>;

// "conv2d", "batch_norm", "lstm", ...: the kind as reports print it.
std::string_view kind_name(const OpAttributes& attributes);

}  // namespace paceline

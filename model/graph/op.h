// One operation of a network, as a person would name it: a convolution, a normalisation, an LSTM
// layer. Its attributes and the shapes of its tensors determine everything else: output shape,
// parameters, FLOP, bytes and what it keeps for the backward pass (work.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/graph/tensor.h"

namespace paceline {

enum class Activation { kRelu, kSigmoid, kTanh, kGelu, kSilu };
enum class Pooling { kMax, kAverage };
enum class Normalization { kBatch, kLayer, kRms };

// y = x W^T + b over the last dimension.
struct Linear {
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  bool bias = true;
};

// y = op(a) op(b) of two activations, over the last two dimensions, batched over the others.
struct Matmul {
  bool trans_a = false;
  bool trans_b = false;
};

struct Conv2d {
  std::int64_t in_channels = 0, out_channels = 0;
  std::int64_t kernel_h = 0, kernel_w = 0;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_h = 0, pad_w = 0;
  std::int64_t groups = 1;
  bool bias = true;
};

struct Norm {
  Normalization kind = Normalization::kBatch;
  std::int64_t features = 0;
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
};

struct Softmax {};  // over the last dimension
struct Dropout {
  double probability = 0.5;
};
struct Add {  // two tensors of one shape
  bool in_place = false;
};
struct Multiply {};  // two tensors of one shape
struct Scale {};     // by a constant
struct Concat {
  int axis = 1;
};
struct Reshape {};  // no data moves
struct Permute {    // a transposed view; frameworks may copy when it is consumed
  std::vector<int> axes;
};
struct Embedding {
  std::int64_t rows = 0;
  std::int64_t width = 0;
};

enum class RnnCell { kRnn, kGru, kLstm };
// Input steps x batch x input; one or more stacked layers.
struct Rnn {
  RnnCell cell = RnnCell::kLstm;
  std::int64_t input = 0, hidden = 0;
  std::int64_t layers = 1;
  bool bidirectional = false;
  int bias_sets = 2;  // cuDNN and PyTorch keep two per gate; the published count uses one
};

// Softmax and negative log-likelihood over the last dimension against class indices.
struct CrossEntropy {};

using OpAttributes =
    std::variant<Linear, Matmul, Conv2d, Norm, Activate, Pool2d, Softmax, Dropout, Add, Multiply,
                 Scale, Concat, Reshape, Permute, Embedding, Rnn, CrossEntropy>;

struct Op {
  std::string name;  // unique in its graph: "layer1.0.conv2"
  OpAttributes attributes;
  std::vector<TensorId> inputs;
  TensorId output{};
};

}  // namespace paceline

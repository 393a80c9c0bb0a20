#include "model/graph/shape_inference.h"

#include "core/error.h"

namespace paceline {
namespace {

std::size_t position(int axis, const TensorShape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.dims.size()) : axis);
}

// Number of places a window of `kernel` takes on a padded line of `size`.
std::int64_t window_count(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                          std::int64_t pad, bool ceil_mode) {
  const std::int64_t room = size + 2 * pad - kernel;
  if (room < 0) return 0;
  std::int64_t count = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  // The last window must start inside the input or its left padding.
  if (ceil_mode && (count - 1) * stride >= size + pad) --count;
  return count;
}

struct Inference {
  std::string_view network, name;
  std::span<const TensorShape* const> inputs;

  [[noreturn]] void fail(const std::string& what) const {
    std::string found;
    for (const TensorShape* shape : inputs) {
      found += (found.empty() ? "" : ", ") + to_string(*shape);
    }
    throw InputError(std::string(network) + ": " + std::string(name) + ": " + what +
                     "; inputs are " + (found.empty() ? "none" : found));
  }
  // Building a graph checks far more than fails, so messages are put together only then.
  void require(bool condition, const char* what) const {
    if (!condition) fail(what);
  }
  const TensorShape& input(std::size_t i = 0) const {
    if (i >= inputs.size()) fail("needs " + std::to_string(i + 1) + " inputs");
    return *inputs[i];
  }
  const TensorShape& images(std::int64_t channels) const {
    const TensorShape& x = input();
    require(x.dims.size() == 4, "needs an input of 4 dimensions (batch, channels, height, width)");
    if (channels != 0 && x.dims[1] != channels) {
      fail("needs " + std::to_string(channels) + " channels");
    }
    return x;
  }
  TensorShape last_dimension(std::int64_t in, std::int64_t out) const {
    TensorShape y = input();
    if (y.dims.empty() || y.dims.back() != in) {
      fail("needs a last dimension of " + std::to_string(in));
    }
    y.dims.back() = out;
    return y;
  }
  TensorShape axis_set(int axis, std::int64_t length) const {
    TensorShape y = input();
    const std::size_t at = position(axis, y);
    if (at >= y.dims.size()) fail("has no axis " + std::to_string(axis));
    y.dims[at] = length;
    return y;
  }
  std::int64_t axis_length(int axis) const {
    const std::size_t at = position(axis, input());
    if (at >= input().dims.size()) fail("has no axis " + std::to_string(axis));
    return input().dims[at];
  }
  // Whether `from`, aligned at the last dimension, repeats to `to`.
  static bool broadcasts(const TensorShape& from, const TensorShape& to) {
    if (from.dims.size() > to.dims.size()) return false;
    for (std::size_t i = 1; i <= from.dims.size(); ++i) {
      const std::int64_t dim = from.dims[from.dims.size() - i];
      if (dim != 1 && dim != to.dims[to.dims.size() - i]) return false;
    }
    return true;
  }
  TensorShape binary() const {
    require(broadcasts(input(1), input(0)), "needs a second tensor that repeats to the first");
    return input(0);
  }
  TensorShape windows(std::int64_t channels, std::int64_t h, std::int64_t w) const {
    require(h > 0 && w > 0, "the window does not fit into the image");
    return {{input().dims[0], channels, h, w}};
  }

  TensorShape operator()(const Linear& op) const {
    return last_dimension(op.in_features, op.out_features);
  }
  TensorShape operator()(const ExpertLinear& op) const {
    return last_dimension(op.in_features, op.out_features);
  }
  TensorShape operator()(const Matmul& op) const {
    const TensorShape& a = input(0);
    const TensorShape& b = input(1);
    const std::size_t rank = a.dims.size();
    require(rank >= 2 && b.dims.size() == rank, "needs two tensors of the same rank, at least 2");
    for (std::size_t i = 0; i + 2 < rank; ++i) {
      require(a.dims[i] == b.dims[i], "needs equal outer dimensions");
    }
    const auto inner_a = a.dims[op.trans_a ? rank - 2 : rank - 1];
    require(inner_a == b.dims[op.trans_b ? rank - 1 : rank - 2], "needs equal inner dimensions");
    TensorShape y = a;
    y.dims[rank - 2] = a.dims[op.trans_a ? rank - 1 : rank - 2];
    y.dims[rank - 1] = b.dims[op.trans_b ? rank - 2 : rank - 1];
    return y;
  }
  TensorShape operator()(const Attention&) const {
    const TensorShape &q = input(0), &k = input(1), &v = input(2);
    require(q.dims.size() == 4 && k.dims.size() == 4 && k.dims[3] == q.dims[3] &&
                k.dims[0] == q.dims[0] && q.dims[1] % k.dims[1] == 0 && v.dims[2] == k.dims[2] &&
                v.dims.size() == 4 && v.dims[1] == k.dims[1],
            "needs queries, keys and values of batch x heads x seq x head_dim");
    return {{q.dims[0], q.dims[1], q.dims[2], v.dims[3]}};
  }
  TensorShape operator()(const Conv2d& op) const {
    const TensorShape& x = images(op.in_channels);
    require(op.groups > 0 && op.in_channels % op.groups == 0 && op.out_channels % op.groups == 0,
            "needs channels that are a multiple of its groups");
    return windows(op.out_channels,
                   window_count(x.dims[2], op.kernel_h, op.stride_h, op.pad_h, false),
                   window_count(x.dims[3], op.kernel_w, op.stride_w, op.pad_w, false));
  }
  TensorShape operator()(const ConvTranspose2d& op) const {
    const TensorShape& x = images(op.in_channels);
    const auto enlarged = [&](std::int64_t size) {
      return (size - 1) * op.stride - 2 * op.pad + op.kernel + op.output_pad;
    };
    return windows(op.out_channels, enlarged(x.dims[2]), enlarged(x.dims[3]));
  }
  TensorShape operator()(const Norm& op) const {
    const TensorShape& x = input();
    const bool channels = op.kind == Normalization::kBatch || op.kind == Normalization::kGroup;
    require(x.dims.size() >= (channels ? 2 : 1), "needs a batch and a feature dimension");
    if ((channels ? x.dims[1] : x.dims.back()) != op.features) {
      fail("needs " + std::to_string(op.features) + " features");
    }
    require(op.groups > 0 && op.features % op.groups == 0, "needs features divisible by groups");
    return x;
  }
  TensorShape operator()(const LocalResponseNorm&) const { return images(0); }
  TensorShape operator()(const Activate&) const { return input(); }
  TensorShape operator()(const Pool2d& op) const {
    const TensorShape& x = images(0);
    return windows(x.dims[1],
                   window_count(x.dims[2], op.kernel_h, op.stride_h, op.pad_h, op.ceil_mode),
                   window_count(x.dims[3], op.kernel_w, op.stride_w, op.pad_w, op.ceil_mode));
  }
  TensorShape operator()(const Upsample2d& op) const {
    const TensorShape& x = images(0);
    return {{x.dims[0], x.dims[1], x.dims[2] * op.factor, x.dims[3] * op.factor}};
  }
  TensorShape operator()(const Softmax&) const { return input(); }
  TensorShape operator()(const Dropout&) const { return input(); }
  TensorShape operator()(const Add&) const { return binary(); }
  TensorShape operator()(const Multiply&) const { return binary(); }
  TensorShape operator()(const Scale&) const { return input(); }
  TensorShape operator()(const CausalMask&) const { return input(); }
  TensorShape operator()(const Rotary&) const { return input(); }
  TensorShape operator()(const Cast&) const { return input(); }
  TensorShape operator()(const Concat& op) const {
    std::int64_t total = 0;
    const std::size_t at = position(op.axis, input());
    for (const TensorShape* shape : inputs) {
      require(shape->dims.size() == input().dims.size() && at < shape->dims.size(),
              "needs tensors of the same rank");
      for (std::size_t i = 0; i < shape->dims.size(); ++i) {
        require(i == at || shape->dims[i] == input().dims[i],
                "needs tensors that differ along the joined axis only");
      }
      total += shape->dims[at];
    }
    return axis_set(op.axis, total);
  }
  TensorShape operator()(const Reshape& op) const {
    if (op.shape.elements() != input().elements()) {
      fail("cannot become " + to_string(op.shape) + ": the number of elements differs");
    }
    return op.shape;
  }
  TensorShape operator()(const Permute& op) const {
    const TensorShape& x = input();
    TensorShape y = x;
    require(op.axes.size() == x.dims.size(), "needs one axis per dimension");
    std::vector<bool> used(x.dims.size(), false);
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
      const std::size_t from = position(op.axes[i], x);
      require(from < x.dims.size() && !used[from], "needs each axis once");
      used[from] = true;
      y.dims[i] = x.dims[from];
    }
    return y;
  }
  TensorShape operator()(const Slice& op) const {
    if (op.start < 0 || op.length <= 0 || op.start + op.length > axis_length(op.axis)) {
      fail("the slice " + std::to_string(op.start) + ".." + std::to_string(op.start + op.length) +
           " does not fit axis " + std::to_string(op.axis));
    }
    TensorShape y = axis_set(op.axis, op.length);
    if (op.squeeze) {
      require(op.length == 1, "only an axis of one index can be dropped");
      y.dims.erase(y.dims.begin() + static_cast<std::ptrdiff_t>(position(op.axis, input())));
    }
    return y;
  }
  TensorShape operator()(const Expand& op) const {
    if (!broadcasts(input(), op.shape)) fail("does not repeat to " + to_string(op.shape));
    return op.shape;
  }
  TensorShape operator()(const Gather& op) const { return axis_set(op.axis, op.count); }
  TensorShape operator()(const ScatterAdd& op) const { return axis_set(op.axis, op.count); }
  TensorShape operator()(const TopK& op) const {
    require(op.count > 0 && op.count <= axis_length(-1), "does not have that many elements");
    return axis_set(-1, op.count);
  }
  TensorShape operator()(const Mean& op) const {
    axis_length(op.axis);
    TensorShape y = input();
    y.dims.erase(y.dims.begin() + static_cast<std::ptrdiff_t>(position(op.axis, y)));
    return y;
  }
  TensorShape operator()(const RoiAlign& op) const {
    return {{op.regions, images(0).dims[1], op.size, op.size}};
  }
  TensorShape operator()(const Embedding& op) const {
    TensorShape y = input();
    y.dims.push_back(op.width);
    return y;
  }
  TensorShape operator()(const TrainableTensor& op) const { return op.shape; }
  TensorShape operator()(const Rnn& op) const {
    require(input().dims.size() == 3, "needs an input of steps x batch x features");
    return last_dimension(op.input, op.hidden * (op.bidirectional ? 2 : 1));
  }
  TensorShape operator()(const CrossEntropy&) const {
    TensorShape rows = input(0);
    require(!rows.dims.empty(), "needs logits");
    rows.dims.pop_back();
    require(input(1).elements() == rows.elements(), "needs one class index per row of logits");
    return {};
  }
  TensorShape operator()(const Loss& op) const {
    if (op.kind == LossKind::kMeanSquaredError || op.kind == LossKind::kBinaryCrossEntropy ||
        op.kind == LossKind::kSmoothL1) {
      require(input(0).elements() == input(1).elements(), "needs one target per prediction");
    }
    return {};
  }
};

}  // namespace

TensorShape infer_shape(std::string_view network, std::string_view op,
                        const OpAttributes& attributes,
                        std::span<const TensorShape* const> inputs) {
  return std::visit(Inference{network, op, inputs}, attributes);
}

}  // namespace paceline

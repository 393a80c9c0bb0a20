// Writes down a network in forward order, inferring every shape:
//
//   WorkloadBuilder b("tiny", 32);
//   TensorId x = b.input("images", {32, 3, 32, 32});
//   x = b.relu("relu1", b.conv("conv1", x, {.out_channels = 16, .kernel = 3, .pad = 1}));
//   x = b.linear("fc", b.flatten("flatten", x, 1), 10);
//   b.cross_entropy("loss", x, b.integer_input("labels", {32}));
//   WorkloadGraph graph = std::move(b).build();
//
// Shapes that do not fit throw InputError, which opens with the network's and operation's names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/graph/workload_graph.h"

namespace paceline {

// A square convolution or pooling window; the builder fills in the input channels.
struct ConvOptions {
  std::int64_t out_channels = 0;
  std::int64_t kernel = 1, stride = 1, pad = 0;
  std::int64_t groups = 1;
  bool bias = true;
};
struct PoolOptions {
  std::int64_t kernel = 2, stride = 2, pad = 0;
  bool ceil_mode = false;
};

class WorkloadBuilder {
 public:
  using Dims = std::vector<std::int64_t>;

  WorkloadBuilder(std::string name, std::int64_t batch);

  std::int64_t batch() const { return graph_.batch_; }
  const TensorShape& shape(TensorId id) const { return graph_.shape(id); }
  std::int64_t dim(TensorId id, int axis) const;  // negative axes count from the last
  const WorkloadGraph& graph() const { return graph_; }
  void set_tokens_per_sample(std::int64_t tokens) { graph_.tokens_per_sample_ = tokens; }

  TensorId input(const std::string& name, Dims dims);
  TensorId integer_input(const std::string& name, Dims dims);

  // Any operation; the functions below only fill in attributes from the shapes.
  TensorId add_op(std::string name, OpAttributes attributes, std::vector<TensorId> inputs);

  TensorId linear(const std::string& name, TensorId x, std::int64_t out, bool bias = true);
  TensorId matmul(const std::string& name, TensorId a, TensorId b, bool trans_a = false,
                  bool trans_b = false);
  TensorId conv(const std::string& name, TensorId x, const ConvOptions& options);
  // A window of unequal sides: pad_h, pad_w and the rest as given; in_channels is filled in.
  TensorId conv_window(const std::string& name, TensorId x, Conv2d attributes);
  TensorId batch_norm(const std::string& name, TensorId x);
  TensorId layer_norm(const std::string& name, TensorId x);
  TensorId rms_norm(const std::string& name, TensorId x);
  TensorId activate(const std::string& name, TensorId x, Activation kind, bool in_place = false);
  TensorId relu(const std::string& name, TensorId x, bool in_place = true);
  TensorId max_pool(const std::string& name, TensorId x, const PoolOptions& options);
  TensorId average_pool(const std::string& name, TensorId x, const PoolOptions& options);
  TensorId global_average_pool(const std::string& name, TensorId x);
  TensorId softmax(const std::string& name, TensorId x);
  TensorId dropout(const std::string& name, TensorId x, double probability);
  TensorId add(const std::string& name, TensorId a, TensorId b, bool in_place = false);
  TensorId multiply(const std::string& name, TensorId a, TensorId b);
  TensorId concat(const std::string& name, std::vector<TensorId> parts, int axis = 1);
  TensorId reshape(const std::string& name, TensorId x, Dims dims);
  // Joins all dimensions from `first` to the last, or to `last`.
  TensorId flatten(const std::string& name, TensorId x, std::size_t first);
  TensorId flatten(const std::string& name, TensorId x, std::size_t first, std::size_t last);
  TensorId permute(const std::string& name, TensorId x, std::vector<int> axes);
  TensorId slice(const std::string& name, TensorId x, int axis, std::int64_t start,
                 std::int64_t length);
  // One index of an axis, which disappears.
  TensorId select(const std::string& name, TensorId x, int axis, std::int64_t index);
  TensorId embedding(const std::string& name, TensorId indices, std::int64_t rows,
                     std::int64_t width);
  TensorId parameter(const std::string& name, Dims dims);
  TensorId rnn(const std::string& name, TensorId x, Rnn attributes);  // fills in `input`
  TensorId cross_entropy(const std::string& name, TensorId logits, TensorId classes);
  TensorId loss(const std::string& name, LossKind kind, std::vector<TensorId> inputs);

  // The operation added last takes its weight, or all its parameters, from an earlier one with
  // weights of the same size (tied embeddings, a network applied twice).
  void share_weight_with(const std::string& earlier);
  void share_parameters_with(const std::string& earlier);
  // The operation added last is not trained; gradients still flow through it where needed.
  void freeze();
  // The same in this step, while other steps of the job train it: its optimizer state stays.
  void rest();
  // As `other` is trained.
  void train_as(const Op& other);

  WorkloadGraph build() &&;

 private:
  std::string where(const std::string& op) const { return graph_.name_ + ": " + op; }
  // Throws InputError if products of its extents would leave 64 bits.
  void check_size(const std::string& name, const TensorShape& shape) const;
  TensorId new_tensor(Tensor tensor);
  TensorId new_input(const std::string& name, Dims dims, bool integer);
  void share(Sharing sharing, const std::string& earlier);
  void place_in_memory(Tensor& output, const OpAttributes& attributes,
                       const std::vector<TensorId>& inputs) const;
  void refresh_gradient(const Op& op);

  // Where the name is, or would be put.
  std::size_t name_slot(std::string_view name) const;
  void spread_names();  // over more slots

  WorkloadGraph graph_;
  // Names of operations, hashed with open addressing: 1 + index of the operation, 0 if empty.
  std::vector<std::uint32_t> name_slots_;
  std::vector<const TensorShape*> shapes_;  // inputs of the operation being added
};

}  // namespace paceline

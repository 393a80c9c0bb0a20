// One conversion of an ONNX graph into operations of a WorkloadBuilder; used by import_onnx.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/graph/workload_builder.h"
#include "model/import/onnx_file.h"
#include "model/import/onnx_value.h"

namespace paceline {

class OnnxLowering {
 public:
  // The builder's batch may differ from the file's: every input's first dimension is the batch
  // then.
  OnnxLowering(WorkloadBuilder& builder, const OnnxGraph& graph, std::string file);

  void run();

 private:
  using Ints = std::vector<std::int64_t>;
  using Value = OnnxValue;
  // Returns false if it does not know the operator or this use of it.
  using Handler = bool (OnnxLowering::*)(const OnnxNode&);

  [[noreturn]] void fail(const OnnxNode& node, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
  static const std::map<std::string, Handler>& handlers();
  void check_operators() const;
  void check_order() const;
  void count_uses();
  void add_inputs();
  void add_losses();
  void lower(const OnnxNode& node);

  // onnx_layers.cpp
  bool convolution(const OnnxNode& node);
  bool transposed_convolution(const OnnxNode& node);
  bool pooling(const OnnxNode& node);
  bool global_pooling(const OnnxNode& node);
  bool normalization(const OnnxNode& node);
  bool response_normalization(const OnnxNode& node);
  bool gemm(const OnnxNode& node);
  bool matmul(const OnnxNode& node);
  bool recurrent(const OnnxNode& node);
  bool activation(const OnnxNode& node);
  bool softmax(const OnnxNode& node);
  bool dropout(const OnnxNode& node);
  // onnx_movement.cpp
  bool arithmetic(const OnnxNode& node);
  bool gelu(const OnnxNode& node);
  bool scalar_function(const OnnxNode& node);
  bool constant(const OnnxNode& node);
  bool shape_of(const OnnxNode& node);
  bool identity(const OnnxNode& node);
  bool concat(const OnnxNode& node);
  bool reshape(const OnnxNode& node);
  bool squeeze(const OnnxNode& node);
  bool transpose(const OnnxNode& node);
  bool split(const OnnxNode& node);
  bool slice(const OnnxNode& node);
  bool gather(const OnnxNode& node);
  bool expand(const OnnxNode& node);
  bool pad(const OnnxNode& node);
  bool reduce_mean(const OnnxNode& node);
  bool layer_normalization(const OnnxNode& node);

  // onnx_values.cpp
  std::string unique(const OnnxNode& node) const;
  bool has_input(const OnnxNode& node, std::size_t input) const;
  const OnnxTensor* weight(const OnnxNode& node, std::size_t input) const;
  const OnnxTensor& required_weight(const OnnxNode& node, std::size_t input) const;
  const Value* value(const OnnxNode& node, std::size_t input) const;
  bool is_constant(const OnnxNode& node, std::size_t input) const;
  bool is_scalar(const OnnxNode& node, std::size_t input) const;
  std::optional<double> real(const OnnxNode& node, std::size_t input) const;
  TensorId tensor(const OnnxNode& node, std::size_t input);
  std::optional<Ints> known_integers(const OnnxNode& node, std::size_t input) const;
  Ints integers(const OnnxNode& node, std::size_t input) const;
  Ints axes(const OnnxNode& node, std::size_t rank) const;
  static std::int64_t integer(const OnnxNode& node, const std::string& name, std::int64_t fallback);
  static Ints integers_of(const OnnxNode& node, const std::string& name, Ints fallback);
  Ints pair_of(const OnnxNode& node, const std::string& name, std::int64_t fallback) const;
  Ints symmetric_pads(const OnnxNode& node) const;
  void require_default(const OnnxNode& node, const std::string& name, const Ints& allowed) const;
  const OnnxNode* only_consumer(const std::string& name) const;
  bool give(const OnnxNode& node, TensorId tensor);
  bool give_integers(const OnnxNode& node, Ints values, bool scalar = false);
  bool give_constant(const OnnxNode& node);
  // Slices, joins and reorderings of stored weights, as exporters write the gates of an LSTM: the
  // result is a stored weight of another shape. False if the node is none of these.
  bool derive_weight(const OnnxNode& node);
  bool give_weight(const OnnxNode& node, OnnxTensor stored);
  TensorId layer(const OnnxNode& node, OpAttributes attributes, TensorId x,
                 std::size_t weight_input);
  bool can_work_in_place(const OnnxNode& node, TensorId x) const;
  Ints rescaled(Ints dims, std::int64_t elements) const;

  WorkloadBuilder& b_;
  const OnnxGraph& graph_;
  std::string file_;
  std::int64_t file_batch_ = 1;
  std::map<std::string, OnnxTensor> weights_;        // of the graph, and transposed ones
  std::map<std::string, std::string> weight_root_;   // transposed weight -> the stored one
  std::map<std::string, std::string> weight_owner_;  // stored weight -> operation that has it
  std::map<std::string, double> reals_;              // constants of one element
  std::map<std::string, Value> values_;
  std::map<std::string, std::vector<const OnnxNode*>> consumers_;
  std::set<const OnnxNode*> joined_;  // nodes that became part of an earlier operation
};

}  // namespace paceline

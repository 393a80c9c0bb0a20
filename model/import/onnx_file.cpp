#include "model/import/onnx_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "core/error.h"

namespace paceline {
namespace {

constexpr std::size_t kSmall = 64;  // constants up to this many values are read

std::size_t count_of(const std::vector<std::int64_t>& dims) {
  std::size_t count = 1;
  for (const std::int64_t dim : dims) {
    count *= static_cast<std::size_t>(dim);
  }
  return count;
}

// Values stored as raw little-endian bytes.
template <typename T, typename Out>
void read_raw(const std::string& raw, std::size_t count, std::vector<Out>& out) {
  if (raw.size() != count * sizeof(T)) return;
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    out.push_back(static_cast<Out>(value));
  }
}

OnnxTensor tensor_of(const onnx::TensorProto& proto, const std::string& file) {
  OnnxTensor tensor;
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  constexpr double kMostWeights = 1e15;  // no product of two extents leaves 64 bits
  double weights = 1;
  for (const std::int64_t dim : tensor.dims) {
    if (dim < 0) throw InputError(file + ": weight " + proto.name() + " has a negative dimension");
    weights *= static_cast<double>(dim);
    if (weights > kMostWeights || static_cast<double>(dim) > kMostWeights) {
      throw InputError(file + ": weight " + proto.name() + " is larger than any memory");
    }
  }
  const int type = proto.data_type();
  tensor.integer = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32 ||
                   type == onnx::TensorProto::BOOL;
  const std::size_t count = count_of(tensor.dims);
  if (count > kSmall) return tensor;
  if (type == onnx::TensorProto::INT64) {
    tensor.integers.assign(proto.int64_data().begin(), proto.int64_data().end());
    if (tensor.integers.empty()) read_raw<std::int64_t>(proto.raw_data(), count, tensor.integers);
  } else if (type == onnx::TensorProto::INT32) {
    tensor.integers.assign(proto.int32_data().begin(), proto.int32_data().end());
    if (tensor.integers.empty()) read_raw<std::int32_t>(proto.raw_data(), count, tensor.integers);
  } else if (type == onnx::TensorProto::FLOAT) {
    tensor.reals.assign(proto.float_data().begin(), proto.float_data().end());
    if (tensor.reals.empty()) read_raw<float>(proto.raw_data(), count, tensor.reals);
  } else if (type == onnx::TensorProto::DOUBLE) {
    tensor.reals.assign(proto.double_data().begin(), proto.double_data().end());
    if (tensor.reals.empty()) read_raw<double>(proto.raw_data(), count, tensor.reals);
  }
  return tensor;
}

OnnxNode node_of(const onnx::NodeProto& proto, const std::string& file) {
  OnnxNode node{
      .op = proto.op_type(), .name = proto.name(), .inputs = {}, .outputs = {}, .attributes = {}};
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& from : proto.attribute()) {
    OnnxAttribute& attribute = node.attributes[from.name()];
    attribute.integer = from.i();
    attribute.real = static_cast<double>(from.f());
    attribute.text = from.s();
    attribute.integers.assign(from.ints().begin(), from.ints().end());
    if (from.has_t()) attribute.tensor = tensor_of(from.t(), file);
  }
  return node;
}

OnnxInput input_of(const onnx::ValueInfoProto& proto, const std::string& file) {
  const std::string where = file + ": input " + proto.name();
  if (!proto.type().has_tensor_type() || !proto.type().tensor_type().has_shape()) {
    throw InputError(where + " has no shape; export with fixed shapes");
  }
  const auto& type = proto.type().tensor_type();
  OnnxInput input{.name = proto.name(),
                  .integer = type.elem_type() == onnx::TensorProto::INT64 ||
                             type.elem_type() == onnx::TensorProto::INT32 ||
                             type.elem_type() == onnx::TensorProto::BOOL,
                  .dims = {}};
  for (const auto& dim : type.shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 1) {
      const std::string found = dim.has_dim_param() ? "\"" + dim.dim_param() + "\"" : "unknown";
      throw InputError(where + ": dimension " + std::to_string(input.dims.size()) + " is " + found +
                       "; export with fixed shapes (no dynamic_axes)");
    }
    input.dims.push_back(dim.dim_value());
  }
  return input;
}

}  // namespace

OnnxGraph read_onnx(std::string_view bytes, const std::string& file) {
  namespace io = google::protobuf::io;
  onnx::ModelProto model;
  io::ArrayInputStream stream(bytes.data(), static_cast<int>(std::min<std::size_t>(
                                                bytes.size(), std::numeric_limits<int>::max())));
  io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  if (!model.ParsePartialFromCodedStream(&coded) || !coded.ConsumedEntireMessage() ||
      !model.IsInitialized() || !model.has_graph() || model.graph().node_size() == 0) {
    throw InputError(file + ": is not a complete ONNX model (truncated, or another format)");
  }
  OnnxGraph graph;
  graph.name = std::filesystem::path(file).stem().string();
  graph.producer = model.producer_name() + " " + model.producer_version();
  for (const auto& opset : model.opset_import()) {
    if (opset.domain().empty() || opset.domain() == "ai.onnx") graph.opset = opset.version();
  }
  for (const auto& weight : model.graph().initializer()) {
    graph.weights[weight.name()] = tensor_of(weight, file);
  }
  for (const auto& input : model.graph().input()) {
    if (!graph.weights.contains(input.name())) graph.inputs.push_back(input_of(input, file));
  }
  for (const auto& output : model.graph().output()) graph.outputs.push_back(output.name());
  for (const auto& node : model.graph().node()) graph.nodes.push_back(node_of(node, file));
  return graph;
}

}  // namespace paceline

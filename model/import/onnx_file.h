// The parts of an ONNX file that determine shapes and work, as plain values: nodes, attributes,
// shapes of inputs and weights. Weights themselves are never read, only small integer constants
// (the target of a reshape).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

struct OnnxTensor {
  std::vector<std::int64_t> dims;
  bool integer = false;
  std::vector<std::int64_t> integers;  // the values, if integer and at most 64 of them
  std::vector<double> reals;           // the values, if real and at most 64 of them
};

struct OnnxAttribute {
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  OnnxTensor tensor;
};

struct OnnxNode {
  std::string op, name;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, OnnxAttribute> attributes;
};

struct OnnxInput {
  std::string name;
  bool integer = false;
  std::vector<std::int64_t> dims;
};

struct OnnxGraph {
  std::string name;  // of the file, without folder and extension
  std::string producer;
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxInput> inputs;  // without the weights
  std::map<std::string, OnnxTensor> weights;
  std::vector<std::string> outputs;
};

// Throws InputError if the bytes are not an ONNX model, or an input has no shape or a dimension
// that is not a number. `file` stands for the file in messages.
OnnxGraph read_onnx(std::string_view bytes, const std::string& file);

}  // namespace paceline

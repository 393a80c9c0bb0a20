#include "model/import/onnx.h"

#include <memory>

#include "core/error.h"
#include "model/import/onnx_file.h"
#include "model/import/onnx_lowering.h"

namespace paceline {
namespace {

std::string shape_text(const OnnxInput& input) {
  return to_string(TensorShape{input.dims}) + (input.integer ? " indices" : " values");
}

}  // namespace

ImportedModel import_onnx(std::string_view bytes, const std::string& file) {
  const auto graph = std::make_shared<const OnnxGraph>(read_onnx(bytes, file));
  ImportedModel model;
  model.name = graph->name;
  model.summary = "ONNX graph of " + std::to_string(graph->nodes.size()) + " nodes";
  model.workload.source = file + ", " + graph->producer;
  model.workload.input = graph->inputs.empty() ? "none" : shape_text(graph->inputs[0]);
  model.workload.build = [graph, file](WorkloadBuilder& builder, const WorkloadConfig&) {
    OnnxLowering(builder, *graph, file).run();
  };
  // Build once at the file's own batch, so that a file that cannot be used is refused now.
  if (graph->inputs.empty() || graph->inputs[0].dims.empty()) {
    throw InputError(file + ": has no input with a batch");
  }
  WorkloadBuilder trial(model.name, graph->inputs[0].dims[0]);
  model.workload.build(trial, {});
  model.assumptions = {"the batch is the first dimension of input " + graph->inputs[0].name + ", " +
                           std::to_string(graph->inputs[0].dims[0]) + " in the file",
                       "the loss is the mean cross-entropy of each output over its last dimension",
                       "ReLU works in place where nothing else reads its input"};
  return model;
}

}  // namespace paceline

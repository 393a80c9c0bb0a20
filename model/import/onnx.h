// Reads the forward graph of an ONNX file as a workload; backward follows from it like for any
// other network. Operators that are not supported are named, never ignored.
#pragma once

#include <string_view>

#include "model/import/imported_model.h"

namespace paceline {

// Weights that Conv, Gemm, MatMul, Gather, ... read become the parameters of those operations. An
// export has no loss: the mean cross-entropy of each output over its last dimension is added, which
// is reported as an assumption, as is that ReLU works in place where nothing else reads its input.
// Throws InputError for a file that is damaged, cyclic, without fixed shapes, or holds operators or
// attributes that are not supported.
ImportedModel import_onnx(std::string_view bytes, const std::string& file);

}  // namespace paceline

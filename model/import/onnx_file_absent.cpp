// Built instead of onnx_file.cpp where the ONNX library is not installed.
#include "core/error.h"
#include "model/import/onnx_file.h"

namespace paceline {

OnnxGraph read_onnx(std::string_view, const std::string& file) {
  throw InputError(file + ": this build cannot read ONNX files; install libonnx-dev and rebuild");
}

}  // namespace paceline

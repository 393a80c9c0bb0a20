#include "cli/kernel_request.h"

#include <algorithm>
#include <map>

#include "cli/kernel_shapes.h"
#include "core/names.h"

namespace paceline {
namespace {

void refuse_foreign_flags(const Arguments& a, const std::string& op,
                          const KernelOperation& operation) {
  for (const FlagSpec& flag : kernel_flags()) {
    if (!a.has(flag.name) || flag.name == "op" || flag.name == "precision") continue;
    const auto& own = operation.flags;
    if (std::find(own.begin(), own.end(), flag.name) != own.end()) continue;
    throw UsageError("--" + flag.name + " has no meaning for --op " + op);
  }
}

}  // namespace

std::vector<FlagSpec> kernel_flags() {
  return {
      {"op", "OP",
       "gemm, conv, lstm, gru, rnn, attention, elementwise, layernorm, softmax, "
       "batchnorm, pool, embedding, optimizer"},
      {"precision", "P", "fp32, tf32, fp16, bf16 or fp8; fp32 if absent"},
      {"pass", "PASS", "forward; of a convolution dgrad or wgrad, of others backward"},
      {"m", "M", "rows of C (BLAS convention)"},
      {"n", "N", "columns of C; images of a convolution"},
      {"k", "K", "length of the sum; filters of a convolution"},
      {"trans-a", "N|T", "whether A is transposed"},
      {"trans-b", "N|T", "whether B is transposed"},
      {"batch-count", "B", "products of one call"},
      {"c", "C", "input channels"},
      {"h", "H", "input height"},
      {"w", "W", "input width"},
      {"r", "R", "filter height"},
      {"s", "S", "filter width"},
      {"pad-h", "N", "padding above and below"},
      {"pad-w", "N", "padding left and right"},
      {"stride-h", "N", "vertical stride"},
      {"stride-w", "N", "horizontal stride"},
      {"groups", "G", "groups of channels"},
      {"channels-last", "", "images with the channels of a place together (NHWC)"},
      {"workspace", "BYTES", "scratch memory an algorithm may take, \"8 MiB\"; no limit if absent"},
      {"hidden", "H", "hidden units"},
      {"input", "I", "input width, as --hidden if absent"},
      {"skip-input", "", "the input is added without a matrix"},
      {"batch", "B", "sequences"},
      {"steps", "T", "time steps"},
      {"layers", "L", "stacked layers"},
      {"bidirectional", "", "both directions"},
      {"persistent", "", "one kernel for all steps that keeps its weights on chip"},
      {"seq", "L", "tokens of a sequence"},
      {"heads", "H", "query heads"},
      {"kv-heads", "H", "key and value heads, as --heads if absent"},
      {"head-dim", "D", "width of a head"},
      {"causal", "", "a token sees those before it only"},
      {"bytes", "BYTES", "bytes read and written together"},
      {"elements", "N", "values of the tensor; parameters of an optimizer"},
      {"rows", "N", "rows of the tensor"},
      {"row", "N", "length of a row"},
      {"optimizer", "KIND", "adam, momentum or sgd"}};
}

KernelRequest read_kernel_request(const Arguments& arguments) {
  const auto found = std::find_if(
      kernel_operations().begin(), kernel_operations().end(),
      [&](const auto& operation) { return same_name(operation.first, arguments.text("op")); });
  const std::string op = found == kernel_operations().end() ? arguments.text("op") : found->first;
  if (found == kernel_operations().end()) {
    std::vector<std::string> names;
    for (const auto& [name, operation] : kernel_operations()) names.push_back(name);
    throw UsageError(unknown_name_message("--op", op, names));
  }
  refuse_foreign_flags(arguments, op, found->second);
  const Precision precision = parse_precision(arguments.text_or("precision", "fp32"));
  KernelRequest request{.op = op, .kernels = {}};
  for (KernelShape& shape : found->second.shapes(arguments, precision)) {
    check_kernel_bytes(op, kernel_bytes(shape, precision));
    const bool backward = arguments.text_or("pass", "forward") == "backward";
    request.kernels.push_back({found->second.implementation + (backward ? "_backward" : ""),
                               std::move(shape), precision});
  }
  return request;
}

void name_cpu_kernels(KernelRequest& request) {
  static const std::map<std::string, std::string> kNames = {
      {"gemm", "openblas.sgemm"},   {"conv", "onednn.conv"},
      {"elementwise", "aten.relu"}, {"layernorm", "aten.layer_norm"},
      {"softmax", "aten.softmax"},  {"batchnorm", "aten.batch_norm"},
      {"pool", "aten.avg_pool"},    {"embedding", "aten.embedding"},
      {"optimizer", "aten.add_"}};
  const auto found = kNames.find(request.op);
  if (found == kNames.end()) {
    throw UsageError("--op " + request.op +
                     " is no single library call on a CPU: frameworks issue " +
                     "its products and elementwise kernels one by one (paceline explain)");
  }
  for (Kernel& kernel : request.kernels) {
    const bool backward = kernel.implementation.ends_with("_backward");
    kernel.implementation = found->second + (backward ? "_backward" : "");
  }
}

}  // namespace paceline

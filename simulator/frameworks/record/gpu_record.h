// How a framework drives a GPU, as data: the "gpu" object of a framework record. The code that
// reads it, simulator/frameworks/gpu, is common to all frameworks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "core/units.h"
#include "simulator/frameworks/record/execution_rules.h"

namespace paceline {

// Host cost of one layer in units of a simple dispatch.
struct LayerCalls {
  double forward = 0;
  double backward = 0;
};

// What dispatching costs where no recording of this framework on this machine says it.
struct GpuHostCosts {
  Seconds call;       // of one simple dispatch
  double log_sd = 0;  // of ln(call): processors, versions
  Seconds
      launch_latency;  // from the end of a dispatch to the start of its kernel on an idle device
  std::optional<Seconds> graph_launch{};  // of a whole captured iteration, if it can capture one
  std::string source;
};

// One pass of an optimizer over its tensors: how many it reads and writes, fp32 elements each.
struct UpdatePass {
  double read = 0;
  double written = 0;
};
// "adam" -> "foreach" -> passes.
using UpdatePasses = std::map<std::string, std::map<std::string, std::vector<UpdatePass>>>;

struct GpuRecord {
  std::string version;
  std::vector<std::string> sources;
  GpuHostCosts host;
  double composition_sd = 0;  // of ln(iteration / closed form of kernels timed alone)
  std::map<std::string, LayerCalls, std::less<>> layer_calls;
  double update_calls = 0;             // once an iteration
  double update_calls_per_tensor = 0;  // for each parameter tensor
  std::int64_t tensors_per_update_kernel = 1;
  UpdatePasses update_passes;
  std::string update_style;  // the default of optimizer_style

  bool persistent_rnn = false;    // where the library has a persistent kernel, it is asked for
  bool fused_bias = false;        // the bias of a linear layer is added inside the product
  bool clears_gradients = false;  // fills them with zero; else the first one is stored
  bool compiles = false;          // can fuse elementwise operations if the user asks for it

  // Architectures on which attention of 16-bit inputs is one kernel that stores no scores, unless
  // the user says otherwise; none: the framework has no such kernel.
  std::vector<std::string> fused_attention;
  bool fuses_attention_on(std::string_view architecture) const;

  // What fp32 work runs in TF32 unless the user forbids it, and on which architectures.
  struct Tf32Default {
    std::vector<std::string> work;  // "convolutions", "products"
    std::vector<std::string> architectures;
    std::string source;
  };
  std::optional<Tf32Default> tf32_by_default;

  ExecutionRules execution;

  // Throws InputError if there is no entry for this kind of layer.
  const LayerCalls& calls(std::string_view layer_kind) const;
};

LayerCalls read_layer_calls(JsonObject object);
// Strict; throws InputError.
GpuRecord read_gpu_record(JsonObject object);

}  // namespace paceline

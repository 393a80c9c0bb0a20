// How the execution of a framework on a GPU differs from one kernel per operation, dispatched ahead
// of the device: the "execution" object of a "gpu" record. Defaults are what PyTorch does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "core/units.h"

namespace paceline {

// Tensors that one elementwise kernel reads and writes, in sizes of the layer's first input as it
// is stored and as it would be in fp32; 0.5 is half of one.
struct TensorPass {
  double read = 0;
  double written = 0;
  double read_fp32 = 0;
  double written_fp32 = 0;
  bool converts = false;  // a pass there is only where the input is not fp32
};

// What a kind of layer becomes where it is not one kernel.
struct LayerRule {
  std::optional<std::vector<TensorPass>> forward;  // absent: as usual
  std::optional<std::vector<TensorPass>> backward;
  // Over a gradient of the input, beside the usual kernels: zeros, and reading what is added to.
  std::vector<TensorPass> backward_also;
  // Simple dispatches of operations that launch nothing on the device.
  double forward_calls = 0;
  double backward_calls = 0;
};

// What the issuing thread copies to or from the device before it goes on.
struct InputCopy {
  BytesPerSecond rate;
  Seconds call;
};

struct ExecutionRules {
  double calls_per_kernel = 0;             // host cost of each kernel, in simple dispatches
  bool waits_for_each_operation = false;   // the next one is issued when the device has finished
  bool strided_views = true;               // slices and transposes are not copied
  bool accumulates_gradients = false;      // products add to gradients that were set to zero
  bool sums_in_kernels = false;            // the kernel of a second gradient adds it to the first
  bool transposes_images = false;          // channels-last to first and back around convolutions
  bool transposes_pool_gradients = false;  // and around the gradient of max pooling
  // "fused", a cell style of with_unrolled_recurrence, or "none".
  std::string recurrence = "fused";
  std::optional<Bytes> workspace_limit;  // of one convolution; absent: none
  std::optional<InputCopy> input;        // absent: batches are copied meanwhile
  // Tables of embeddings stay with the processor, which gathers rows and copies them and, back,
  // their gradients; absent: they are on the device.
  std::optional<InputCopy> host_embedding;
  std::map<std::string, LayerRule, std::less<>> layers;  // by kind of layer

  // Of a layer of this kind; null if there is nothing special about it.
  const LayerRule* rule_of(std::string_view layer_kind) const;
};

// Strict; throws InputError.
ExecutionRules read_execution_rules(JsonObject object);

}  // namespace paceline

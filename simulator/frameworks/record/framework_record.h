// The facts about a framework that are data: "paceline.framework/1" files in
// model/catalog/frameworks. A framework's code holds the structure (what a layer turns into); its
// record holds the constants that its source and traces state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/frameworks/record/gpu_record.h"

namespace paceline {

// When a convolution runs as one matrix product per image instead of a direct convolution.
struct PerImageGemmRule {
  int threads_at_most = 0;
  std::int64_t batch_below = 0;      // for 1x1 filters of stride 1
  std::int64_t single_elements = 0;  // a single image of at most this many elements always does
  std::int64_t single_kernel = 0;    // unless its filter is larger than this in both directions
  bool always = false;               // every convolution of one group
};

// How a framework other than PyTorch uses the threads of a CPU; its calls and kernels are priced as
// PyTorch's.
struct CpuRules {
  bool unrolled_convolutions = false;    // columns and one product for each image
  bool images_in_parallel = false;       // each by one thread; else one after another with all
  bool filters_in_parallel = false;      // likewise for the gradients of filters, which add up
  bool elementwise_in_parallel = false;  // what is no product: all threads, else one
  std::vector<std::string> one_thread;   // kernels on one thread though the others use all
  // BLAS shares a product only if each thread gets as many of its rows, and of its columns.
  std::int64_t lines_per_thread = 0;
};

struct FrameworkRecord {
  std::string name;
  std::string version;
  std::string summary;
  std::vector<std::string> devices;
  std::string default_strategy;
  std::string host_fit;
  std::vector<std::string> sources;
  PerImageGemmRule per_image_gemm;
  std::int64_t plain_input_channels = 0;  // fewer input channels than this are not reordered
  std::map<std::string, LayerCalls, std::less<>> layer_calls;
  double zero_grad_calls = 0;  // per parameter tensor
  double update_calls = 0;     // per parameter tensor
  // Standard deviation of ln(whole iteration / sum of its kernels timed alone).
  double composition_sd = 0;
  std::optional<CpuRules> cpu{};  // of one that has no measured host calls of its own
  std::optional<GpuRecord> gpu;

  // Throws InputError if the record has no entry for this kind of layer.
  const LayerCalls& calls(std::string_view layer_kind) const;
};

// Strict; throws InputError.
FrameworkRecord read_framework_record(const std::filesystem::path& file);

}  // namespace paceline

// Convolutions of cuDNN, three passes: what its heuristic chooses, what its search finds, and every
// algorithm on its own, with the workspace of each. Layers are those of no network that is
// validated on.
#include <array>

#include "microbench/cuda/cudnn/convolution_kernel.h"
#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"

namespace paceline {
namespace {

// 1x1, 3x3, 5x5, 7x7; strided; few and many channels; grouped and depthwise. The quick plan takes
// the first kQuick.
constexpr std::size_t kQuick = 4;
constexpr std::array<ConvLayer, 12> kLayers = {{{32, 96, 30, 30, 96, 3, 3, 1, 1, 1},
                                                {32, 320, 15, 15, 320, 3, 3, 1, 1, 1},
                                                {32, 240, 30, 30, 480, 1, 1, 0, 1, 1},
                                                {32, 3, 240, 240, 48, 7, 7, 3, 2, 1},
                                                {16, 48, 120, 120, 48, 3, 3, 1, 1, 1},
                                                {64, 800, 8, 8, 400, 1, 1, 0, 1, 1},
                                                {32, 96, 60, 60, 192, 3, 3, 1, 2, 1},
                                                {32, 40, 45, 45, 80, 5, 5, 2, 1, 1},
                                                {32, 480, 30, 30, 240, 1, 1, 0, 2, 1},
                                                {32, 320, 30, 30, 320, 3, 3, 1, 1, 20},
                                                {32, 240, 30, 30, 240, 3, 3, 1, 1, 240},
                                                {4, 480, 15, 15, 960, 3, 3, 1, 1, 1}}};

class Convolution final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (size == GpuDesign::kQuick ? kQuick : kLayers.size()); ++i) {
      for (const ConvPass& pass : conv_passes()) add(i, pass, size, gpu, out);
    }
    return out;
  }

  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, "cudnn.conv"); };
    const auto text = [&](const char* axis) { return text_axis(axes, axis, "cudnn.conv"); };
    const ConvLayer layer = {number("n"),        number("c"),     number("h"), number("w"),
                             number("k"),        number("r"),     number("s"), number("pad_h"),
                             number("stride_h"), number("groups")};
    return make_conv_kernel(layer, text("pass"), text("precision"), number("channels_last") != 0,
                            text("algorithm"));
  }

 private:
  static void add(std::size_t number, const ConvPass& pass, GpuDesign size, const GpuInfo& gpu,
                  std::vector<Axes>& out) {
    const ConvLayer& layer = kLayers[number];
    const bool ampere = gpu.capability_major >= 8;
    out.push_back(axes(layer, pass, "fp16", "channels_last", "heuristic"));
    out.push_back(axes(layer, pass, "fp32", "channels_first", "heuristic"));
    if (ampere) out.push_back(axes(layer, pass, "tf32", "channels_first", "heuristic"));
    if (size == GpuDesign::kQuick) return;
    out.push_back(axes(layer, pass, "fp16", "channels_first", "heuristic"));
    if (ampere) out.push_back(axes(layer, pass, "bf16", "channels_last", "heuristic"));
    out.push_back(axes(layer, pass, "fp32", "channels_first", "search"));
    if (number >= kQuick) return;
    for (const char* algorithm : pass.algorithms) {
      out.push_back(axes(layer, pass, "fp32", "channels_first", algorithm));
    }
  }

  static Axes axes(const ConvLayer& l, const ConvPass& pass, const char* precision,
                   const char* layout, const char* algorithm) {
    Axes out = integer_axes({{"n", l.n},
                             {"c", l.c},
                             {"h", l.h},
                             {"w", l.w},
                             {"k", l.k},
                             {"r", l.r},
                             {"s", l.s},
                             {"pad_h", l.pad},
                             {"pad_w", l.pad},
                             {"stride_h", l.stride},
                             {"stride_w", l.stride},
                             {"groups", l.groups}});
    out["pass"] = std::string(pass.name);
    out["precision"] = std::string(precision);
    out["channels_last"] = std::int64_t{std::string(layout) == "channels_last" ? 1 : 0};
    out["algorithm"] = std::string(algorithm);
    return out;
  }
};

}  // namespace

void register_cudnn_convolution(GpuBenchmarkRegistry& registry) {
  registry.add("cudnn.conv", "convolutions of cuDNN: its choice, its search, every algorithm",
               std::make_unique<Convolution>());
}

}  // namespace paceline

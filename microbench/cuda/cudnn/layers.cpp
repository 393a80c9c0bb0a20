// Layers of cuDNN that are limited by memory: batch normalisation, softmax, pooling, activation,
// forward and backward. Images of n x c x h x w.
#include <array>

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/cudnn/layer_kernel.h"
#include "microbench/cuda/support/axes.h"

namespace paceline {
namespace {

// Batch normalisation reads its input twice where it does not fit the cache; counted once.
constexpr std::array<LayerTraits, 8> kTraits = {
    {{CudnnLayer::kBatchNorm, false, "cudnn.batch_norm", 1, 0, 0, 1},
     {CudnnLayer::kBatchNorm, true, "cudnn.batch_norm_backward", 1, 1, 1, 0},
     {CudnnLayer::kSoftmax, false, "cudnn.softmax", 1, 0, 0, 1},
     {CudnnLayer::kSoftmax, true, "cudnn.softmax_backward", 0, 2, 1, 0},
     {CudnnLayer::kMaxPool, false, "cudnn.max_pool", 1, 0, 0, 1},
     {CudnnLayer::kMaxPool, true, "cudnn.max_pool_backward", 1, 2, 1, 0},
     {CudnnLayer::kRelu, false, "cudnn.relu", 1, 0, 0, 1},
     {CudnnLayer::kRelu, true, "cudnn.relu_backward", 1, 2, 1, 0}}};

class LayerBenchmark final : public GpuBenchmark {
 public:
  explicit LayerBenchmark(const LayerTraits& traits) : t_(traits) {}

  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    const bool rows = t_.layer == CudnnLayer::kSoftmax;
    const std::array<LayerImage, 3> images =
        rows ? std::array<LayerImage, 3>{LayerImage{4800, 1300, 1, 1},
                                         {960, 30000, 1, 1},
                                         {96, 200, 1, 1}}
             : std::array<LayerImage, 3>{
                   LayerImage{32, 96, 60, 60}, {32, 480, 30, 30}, {32, 800, 10, 10}};
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (size == GpuDesign::kQuick ? 1 : images.size()); ++i) {
      for (const char* precision : {"fp32", "fp16"}) {
        out.push_back(axes(images[i], precision, "channels_first"));
        if (size == GpuDesign::kFull && !rows) {
          out.push_back(axes(images[i], precision, "channels_last"));
        }
      }
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, t_.name); };
    return make_layer_kernel(
        t_, LayerImage{number("images"), number("channels"), number("height"), number("width")},
        text_axis(axes, "precision", t_.name),
        text_axis(axes, "layout", t_.name) == "channels_last");
  }

 private:
  Axes axes(const LayerImage& image, const char* precision, const char* layout) const {
    const LayerImage out = t_.layer == CudnnLayer::kMaxPool ? pooled(image) : image;
    const std::int64_t each = std::string(precision) == "fp32" ? 4 : 2;
    const std::int64_t in_bytes = each * image.elements(), out_bytes = each * out.elements();
    Axes axes =
        integer_axes({{"images", image.n},
                      {"channels", image.c},
                      {"height", image.h},
                      {"width", image.w},
                      {"elements", image.elements()},
                      {"read_bytes", t_.read_in * in_bytes + t_.read_out * out_bytes},
                      {"written_bytes", t_.written_in * in_bytes + t_.written_out * out_bytes},
                      {"row", row(image)}});
    axes["kind"] = kind();
    axes["precision"] = std::string(precision);
    axes["layout"] = std::string(layout);
    axes["cache"] = std::string("cold");
    return axes;
  }
  // In the words of StreamKind (model/kernel/kernel.h).
  std::string kind() const {
    if (t_.layer == CudnnLayer::kSoftmax) return "softmax";
    if (t_.layer != CudnnLayer::kBatchNorm) return "elementwise";
    return t_.backward ? "normalization_backward" : "normalization";
  }
  std::int64_t row(const LayerImage& image) const {
    if (t_.layer == CudnnLayer::kSoftmax) return image.c;
    return t_.layer == CudnnLayer::kBatchNorm ? image.h * image.w : 0;
  }

  const LayerTraits& t_;
};

}  // namespace

void register_cudnn_layers(GpuBenchmarkRegistry& registry) {
  for (const LayerTraits& traits : kTraits) {
    registry.add(traits.name, "layers of cuDNN limited by memory",
                 std::make_unique<LayerBenchmark>(traits));
  }
}

}  // namespace paceline

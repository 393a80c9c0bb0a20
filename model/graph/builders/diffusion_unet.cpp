// The denoising U-Net of latent diffusion (Rombach et al., arXiv 2112.10752) in the sizes of Stable
// Diffusion 1: residual blocks that see the time step, and blocks that attend to the image itself
// and to the text.
#include "model/graph/blocks/attention.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kBase = 320, kHeads = 8;
constexpr std::int64_t kTime = 4 * kBase;
constexpr std::int64_t kText = 77, kTextWidth = 768;

class Unet {
 public:
  explicit Unet(WorkloadBuilder& b) : b_(b) {}

  void build() {
    const std::int64_t batch = b_.batch();
    text_ = b_.input("text", {batch, kText, kTextWidth});
    time_ = b_.linear("time.1", b_.input("time", {batch, kBase}), kTime);
    time_ = b_.linear("time.2", b_.activate("time.silu", time_, Activation::kSilu), kTime);
    TensorId x = conv("input", b_.input("latents", {batch, 4, 64, 64}), kBase, 3);
    skips_.push_back(x);
    const std::int64_t widths[] = {kBase, 2 * kBase, 4 * kBase, 4 * kBase};
    for (std::size_t level = 0; level < 4; ++level) x = descend(x, level, widths[level]);
    x = residual("middle.0.", x, 4 * kBase);
    x = residual("middle.2.", attend("middle.1.", x), 4 * kBase);
    for (std::size_t level = 4; level-- > 0;) x = ascend(x, level, widths[level]);
    x = conv("output", norm_silu("output", x), 4, 3);
    b_.loss("loss", LossKind::kMeanSquaredError, {x, b_.input("noise", {batch, 4, 64, 64})});
  }

 private:
  TensorId conv(const std::string& name, TensorId x, std::int64_t out, std::int64_t kernel,
                std::int64_t stride = 1) {
    return b_.conv(name, x,
                   {.out_channels = out, .kernel = kernel, .stride = stride, .pad = kernel / 2});
  }
  TensorId group_norm(const std::string& name, TensorId x) {
    return b_.add_op(
        name, Norm{.kind = Normalization::kGroup, .features = b_.dim(x, 1), .groups = 32}, {x});
  }
  TensorId norm_silu(const std::string& name, TensorId x) {
    return b_.activate(name + ".silu", group_norm(name + ".norm", x), Activation::kSilu);
  }

  // Two blocks, then half the size; every result is kept for the way up.
  TensorId descend(TensorId x, std::size_t level, std::int64_t width) {
    const std::string name = "down" + std::to_string(level) + ".";
    for (const std::string block : {"0.", "1."}) {
      x = residual(name + block, x, width);
      if (level < 3) x = attend(name + block, x);
      skips_.push_back(x);
    }
    if (level == 3) return x;
    x = conv(name + "downsample", x, width, 3, 2);
    skips_.push_back(x);
    return x;
  }

  TensorId ascend(TensorId x, std::size_t level, std::int64_t width) {
    const std::string name = "up" + std::to_string(level) + ".";
    for (const std::string block : {"0.", "1.", "2."}) {
      x = b_.concat(name + block + "concat", {x, skips_.back()});
      skips_.pop_back();
      x = residual(name + block, x, width);
      if (level < 3) x = attend(name + block, x);
    }
    if (level == 0) return x;
    return conv(name + "upsample", b_.add_op(name + "enlarge", Upsample2d{}, {x}), width, 3);
  }

  TensorId residual(const std::string& name, TensorId x, std::int64_t out) {
    TensorId y = conv(name + "conv1", norm_silu(name + "in", x), out, 3);
    TensorId time = b_.activate(name + "time.silu", time_, Activation::kSilu);
    time =
        b_.reshape(name + "time.map", b_.linear(name + "time", time, out), {b_.batch(), out, 1, 1});
    y = b_.add(name + "add_time", y, time);
    y = conv(name + "conv2", norm_silu(name + "out", y), out, 3);
    if (b_.dim(x, 1) != out) x = conv(name + "skip", x, out, 1);
    return b_.add(name + "add", x, y);
  }

  // The places of the image become tokens: attention to one another, to the text, and a gated
  // feed-forward layer.
  TensorId attend(const std::string& prefix, TensorId image) {
    const std::string name = prefix + "attention.";
    const std::int64_t width = b_.dim(image, 1), side = b_.dim(image, 2);
    TensorId x = conv(name + "proj_in", group_norm(name + "norm", image), width, 1);
    x = b_.reshape(name + "places", b_.permute(name + "to_tokens", x, {0, 2, 3, 1}),
                   {b_.batch(), side * side, width});
    const AttentionOptions options{
        .heads = kHeads, .kv_heads = kHeads, .head_dim = width / kHeads, .bias = false};
    TensorId y = b_.layer_norm(name + "norm1", x);
    x = b_.add(name + "add1", x, multi_head_attention(b_, name + "self.", y, y, options));
    y = b_.layer_norm(name + "norm2", x);
    x = b_.add(name + "add2", x, multi_head_attention(b_, name + "text.", y, text_, options));
    x = b_.add(name + "add3", x, gated(name + "ffn.", b_.layer_norm(name + "norm3", x)));
    x = b_.permute(name + "to_image", b_.reshape(name + "grid", x, {b_.batch(), side, side, width}),
                   {0, 3, 1, 2});
    return b_.add(name + "add", conv(name + "proj_out", x, width, 1), image);
  }

  TensorId gated(const std::string& name, TensorId x) {
    const std::int64_t width = b_.dim(x, 2);
    const TensorId both = b_.linear(name + "up", x, 8 * width);
    const TensorId gate = b_.activate(
        name + "gelu", b_.slice(name + "gate", both, -1, 4 * width, 4 * width), Activation::kGelu);
    const TensorId y =
        b_.multiply(name + "gated", b_.slice(name + "value", both, -1, 0, 4 * width), gate);
    return b_.linear(name + "down", y, width);
  }

  WorkloadBuilder& b_;
  TensorId time_{}, text_{};
  std::vector<TensorId> skips_;
};

}  // namespace

void register_diffusion_unet(WorkloadRegistry& registry) {
  registry.add("diffusion-unet", "latent diffusion U-Net, sizes of Stable Diffusion 1", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Rombach et al., arXiv 2112.10752; CompVis/stable-diffusion v1",
                 .input = "4x64x64 latents and 77 text tokens",
                 .build = [](WorkloadBuilder& b, const WorkloadConfig&) { Unet(b).build(); }});
  });
}

}  // namespace paceline

// Deep Speech 2 (Amodei et al., arXiv 1512.02595), as TBD's MXNet example configures it.
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kHidden = 1760;
constexpr std::int64_t kSpectrum = 161;  // frequency bins of one frame
constexpr std::int64_t kCharacters = 29;

TensorId convolution(WorkloadBuilder& b, const std::string& name, TensorId x,
                     const Conv2d& window) {
  x = b.batch_norm(name + ".bn", b.conv_window(name, x, window));
  return b.activate(name + ".clip", x, Activation::kClippedRelu);
}

// Steps are rows of a batch normalisation over the features.
TensorId sequence_norm(WorkloadBuilder& b, const std::string& name, TensorId x) {
  const auto dims = b.shape(x).dims;
  x = b.batch_norm(name + ".bn", b.flatten(name + ".rows", x, 0, 1));
  return b.reshape(name + ".steps", x, dims);
}

void deep_speech(WorkloadBuilder& b, const WorkloadConfig& config) {
  TensorId x = b.input("spectrogram", {b.batch(), 1, config.seq, kSpectrum});
  x = convolution(
      b, "conv1", x,
      {.out_channels = 32, .kernel_h = 11, .kernel_w = 41, .stride_h = 2, .stride_w = 2});
  x = convolution(
      b, "conv2", x,
      {.out_channels = 32, .kernel_h = 11, .kernel_w = 21, .stride_h = 1, .stride_w = 2});
  const std::int64_t steps = b.dim(x, 2);
  x = b.reshape("features", b.permute("to_steps", x, {2, 0, 1, 3}),
                {steps, b.batch(), b.dim(x, 1) * b.dim(x, 3)});
  for (int i = 1; i <= 7; ++i) {
    const std::string name = "gru" + std::to_string(i);
    x = b.rnn(name, sequence_norm(b, name, x),
              {.cell = RnnCell::kGru, .hidden = kHidden, .bidirectional = true});
  }
  x = b.relu("fc.relu", b.linear("fc", sequence_norm(b, "fc", x), kHidden));
  x = b.linear("characters", x, kCharacters);
  // About one character per four frames of audio.
  b.loss("loss", LossKind::kCtc, {x, b.integer_input("text", {b.batch(), config.seq / 4})});
}

}  // namespace

void register_deep_speech(WorkloadRegistry& registry) {
  registry.add("deep-speech-2", "2 convolutions and 7 bidirectional GRU layers of 1760", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "tbd-ai/tbd-suite@ad48842, MXNet (Zhu et al. 2018)",
                 .input = "frames of 161 frequencies",
                 .default_seq = 800,
                 .buckets = {200, 400, 600, 800, 1000, 1200, 1400, 1600},
                 .build = deep_speech});
  });
}

}  // namespace paceline

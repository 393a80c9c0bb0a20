// The fully connected networks of Shi et al. 2016 and of its re-run with 512 inputs.
#include <vector>

#include "model/graph/workload.h"

namespace paceline {
namespace {

using Widths = std::vector<std::int64_t>;

// Linear layers with biases, a sigmoid after each but the last.
void fully_connected(WorkloadBuilder& b, const Widths& widths) {
  TensorId x = b.input("samples", {b.batch(), widths.front()});
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const std::string layer = "layers." + std::to_string(i - 1);
    x = b.linear(layer, x, widths[i]);
    if (i + 1 < widths.size()) x = b.activate(layer + ".sigmoid", x, Activation::kSigmoid);
  }
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

void fcn_r(WorkloadBuilder& b, const WorkloadConfig& config) {
  const bool swapped = config.variant == "cntk-swapped-layers";
  fully_connected(b,
                  swapped ? Widths{784, 4096, 2048, 1024, 10} : Widths{784, 2048, 4096, 1024, 10});
}

}  // namespace

void register_fully_connected(WorkloadRegistry& registry) {
  const auto add = [&](std::string name, std::string summary, std::string source, Widths widths) {
    registry.add(std::move(name), std::move(summary), [source, widths] {
      return std::make_unique<const Workload>(
          Workload{.source = source,
                   .input = std::to_string(widths.front()) + " values",
                   .build = [widths](WorkloadBuilder& b, const WorkloadConfig&) {
                     fully_connected(b, widths);
                   }});
    });
  };
  registry.add("fcn-r", "fully connected, 784-2048-4096-1024-10, for MNIST", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "hclhkbu/dlbench@978b034 tools/caffe/fc/fcn5.prototxt (Shi et al. 2016)",
                 .input = "784 values",
                 .variants = {{"standard", "as in Caffe, MXNet, TensorFlow and Torch"},
                              {"cntk-swapped-layers", "784-4096-2048-1024-10, as CNTK ran it"}},
                 .build = fcn_r});
  });
  const std::string synthetic = "hclhkbu/dlbench@978b034 synthetic (Shi et al. 2016)";
  add("fcn-s", "fully connected, 26752-2048x3-26752, synthetic", synthetic,
      {26752, 2048, 2048, 2048, 26752});
  add("fcn-s-8", "fully connected, 26752-2048x6-26752, synthetic", synthetic,
      {26752, 2048, 2048, 2048, 2048, 2048, 2048, 26752});
  const std::string rerun = "guolinke/deep-learning-benchmarks";
  add("ffn-5", "fully connected, 512-2048x3-1000", rerun, {512, 2048, 2048, 2048, 1000});
  add("ffn-8", "fully connected, 512-2048x6-1000", rerun,
      {512, 2048, 2048, 2048, 2048, 2048, 2048, 1000});
  add("tiny-mlp", "64 layers of 8x8: an iteration is the framework's host cost",
      "validation/recorders/networks.py", Widths(65, 8));
}

}  // namespace paceline

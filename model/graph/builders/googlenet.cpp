// GoogLeNet (Szegedy et al., arXiv 1409.4842): Inception modules, two auxiliary classifiers.
#include "model/graph/workload.h"

namespace paceline {
namespace {

struct Widths {
  std::int64_t one, reduce3, three, reduce5, five, pool;
};

class GoogLeNet {
 public:
  GoogLeNet(WorkloadBuilder& b, bool batch_norm) : b_(b), batch_norm_(batch_norm) {}

  void build() {
    const PoolOptions pool{.kernel = 3, .stride = 2, .ceil_mode = true};
    const TensorId labels = b_.integer_input("labels", {b_.batch()});
    TensorId x = b_.input("images", {b_.batch(), 3, 224, 224});
    x = unit("conv1", x, {.out_channels = 64, .kernel = 7, .stride = 2, .pad = 3});
    x = response_norm("norm1", b_.max_pool("pool1", x, pool));
    x = unit("conv2", x, {.out_channels = 64});
    x = unit("conv3", x, {.out_channels = 192, .kernel = 3, .pad = 1});
    x = b_.max_pool("pool2", response_norm("norm2", x), pool);
    x = module("3a", x, {64, 96, 128, 16, 32, 32});
    x = module("3b", x, {128, 128, 192, 32, 96, 64});
    x = b_.max_pool("pool3", x, pool);
    x = module("4a", x, {192, 96, 208, 16, 48, 64});
    const TensorId aux1 = auxiliary("aux1.", x, labels);
    x = module("4b", x, {160, 112, 224, 24, 64, 64});
    x = module("4c", x, {128, 128, 256, 24, 64, 64});
    x = module("4d", x, {112, 144, 288, 32, 64, 64});
    const TensorId aux2 = auxiliary("aux2.", x, labels);
    x = module("4e", x, {256, 160, 320, 32, 128, 128});
    // torchvision pools 2x2 here.
    x = b_.max_pool("pool4", x, batch_norm_ ? PoolOptions{.ceil_mode = true} : pool);
    x = module("5a", x, {256, 160, 320, 32, 128, 128});
    x = module("5b", x, {384, 192, 384, 48, 128, 128});
    x = b_.flatten("flatten", b_.global_average_pool("avgpool", x), 1);
    x = b_.linear("fc", b_.dropout("drop", x, batch_norm_ ? 0.2 : 0.4), 1000);
    const TensorId loss = b_.cross_entropy("loss", x, labels);
    b_.add("total_loss", b_.add("loss_and_aux1", loss, aux1), aux2);
  }

 private:
  TensorId unit(const std::string& name, TensorId x, ConvOptions options) {
    options.bias = !batch_norm_;
    x = b_.conv(name, x, options);
    if (batch_norm_) x = b_.batch_norm(name + ".bn", x);
    return b_.relu(name + ".relu", x);
  }
  TensorId response_norm(const std::string& name, TensorId x) {
    return batch_norm_ ? x : b_.add_op(name, LocalResponseNorm{.size = 5}, {x});
  }

  TensorId module(const std::string& number, TensorId x, const Widths& w) {
    const std::string name = "inception" + number + ".";
    const TensorId one = unit(name + "1x1", x, {.out_channels = w.one});
    TensorId three = unit(name + "3x3_reduce", x, {.out_channels = w.reduce3});
    three = unit(name + "3x3", three, {.out_channels = w.three, .kernel = 3, .pad = 1});
    TensorId five = unit(name + "5x5_reduce", x, {.out_channels = w.reduce5});
    // torchvision's file says 5x5 and has 3x3.
    const std::int64_t side = batch_norm_ ? 3 : 5;
    five = unit(name + "5x5", five, {.out_channels = w.five, .kernel = side, .pad = side / 2});
    TensorId pooled = b_.max_pool(name + "pool", x,
                                  {.kernel = 3, .stride = 1, .pad = 1, .ceil_mode = batch_norm_});
    pooled = unit(name + "pool_proj", pooled, {.out_channels = w.pool});
    return b_.concat(name + "concat", {one, three, five, pooled});
  }

  TensorId auxiliary(const std::string& name, TensorId x, TensorId labels) {
    x = b_.average_pool(name + "pool", x, {.kernel = 5, .stride = 3});  // to 4x4
    x = unit(name + "conv", x, {.out_channels = 128});
    x = b_.relu(name + "relu", b_.linear(name + "fc1", b_.flatten(name + "flatten", x, 1), 1024));
    x = b_.linear(name + "fc2", b_.dropout(name + "drop", x, 0.7), 1000);
    return b_.add_op(name + "weight", Scale{}, {b_.cross_entropy(name + "loss", x, labels)});
  }

  WorkloadBuilder& b_;
  bool batch_norm_;
};

}  // namespace

void register_googlenet(WorkloadRegistry& registry) {
  registry.add("googlenet", "GoogLeNet with both auxiliary classifiers, ImageNet", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Szegedy et al., arXiv 1409.4842; BVLC/caffe models/bvlc_googlenet",
                 .input = "3x224x224 image",
                 .variants = {{"bvlc", "response normalisation and biases, as Caffe"},
                              {"batch-norm", "as torchvision"}},
                 .build = [](WorkloadBuilder& b, const WorkloadConfig& config) {
                   GoogLeNet(b, config.variant == "batch-norm").build();
                 }});
  });
}

}  // namespace paceline

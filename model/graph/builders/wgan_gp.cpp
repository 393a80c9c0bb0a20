// WGAN-GP (Gulrajani et al., arXiv 1704.00028), residual networks for 64x64 images, width 64, as
// TBD runs it. An iteration is five critic steps and one generator step.
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kWidth = 64;

// One application of a network; the first owns the parameters, later ones share them.
struct Application {
  std::string owner;   // prefix of the operations that own the parameters
  std::string prefix;  // of this application's operations
  bool frozen = false;
};

class Networks {
 public:
  explicit Networks(WorkloadBuilder& b) : b_(b) {}

  TensorId generator(const Application& as) {
    TensorId x = b_.input(as.prefix + "noise", {b_.batch(), 128});
    x = add(as, "linear", Linear{128, 16 * 8 * kWidth}, x);
    x = b_.reshape(as.prefix + "reshape", x, {b_.batch(), 8 * kWidth, 4, 4});
    int number = 0;
    for (const std::int64_t out : {8 * kWidth, 4 * kWidth, 2 * kWidth, kWidth}) {
      x = up(as, "block" + std::to_string(number++) + ".", x, out);
    }
    x = relu(as, "relu", add(as, "norm", Norm{.features = kWidth}, x));
    x = add(as, "conv", window(kWidth, 3, 3, true), x);
    return b_.activate(as.prefix + "tanh", x, Activation::kTanh);
  }

  TensorId critic(const Application& as, TensorId x) {
    x = add(as, "conv", window(3, kWidth, 3, true), x);
    int number = 0;
    for (const std::int64_t out : {2 * kWidth, 4 * kWidth, 8 * kWidth, 8 * kWidth}) {
      x = down(as, "block" + std::to_string(number++) + ".", x, out);
    }
    x = b_.flatten(as.prefix + "flatten", x, 1);
    return add(as, "linear", Linear{b_.dim(x, 1), 1}, x);
  }

  // The gradient of the critic with respect to its input, as a network of its own with the critic's
  // weights: what the penalty differentiates a second time.
  TensorId critic_gradient(const Application& as) {
    TensorId x = b_.input(as.prefix + "ones", {b_.batch(), 1});
    x = add(as, "linear", Linear{1, 16 * 8 * kWidth, false}, x, Sharing::kWeight);
    x = b_.reshape(as.prefix + "reshape", x, {b_.batch(), 8 * kWidth, 4, 4});
    const std::int64_t inputs[] = {kWidth, 2 * kWidth, 4 * kWidth, 8 * kWidth};
    for (int number = 3; number >= 0; --number) {
      x = down_gradient(as, "block" + std::to_string(number) + ".", x, inputs[number]);
    }
    return transposed(as, "conv", x, 3, 3);
  }

 private:
  static Conv2d window(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias) {
    return {.in_channels = in,
            .out_channels = out,
            .kernel_h = kernel,
            .kernel_w = kernel,
            .pad_h = kernel / 2,
            .pad_w = kernel / 2,
            .bias = bias};
  }
  TensorId add(const Application& as, const std::string& name, OpAttributes attributes, TensorId x,
               Sharing sharing = Sharing::kAll) {
    x = b_.add_op(as.prefix + name, std::move(attributes), {x});
    if (as.owner != as.prefix && sharing == Sharing::kAll) {
      b_.share_parameters_with(as.owner + name);
    } else if (as.owner != as.prefix) {
      b_.share_weight_with(as.owner + name);
    }
    if (as.frozen) b_.freeze();
    return x;
  }
  TensorId relu(const Application& as, const std::string& name, TensorId x) {
    return b_.relu(as.prefix + name, x, false);
  }

  TensorId up(const Application& as, const std::string& block, TensorId x, std::int64_t out) {
    const std::int64_t in = b_.dim(x, 1);
    const auto enlarged = [&](const std::string& name, TensorId y) {
      return b_.add_op(as.prefix + block + name, Upsample2d{}, {y});
    };
    const TensorId shortcut =
        add(as, block + "shortcut", window(in, out, 1, true), enlarged("shortcut_up", x));
    x = relu(as, block + "relu1", add(as, block + "norm1", Norm{.features = in}, x));
    x = add(as, block + "conv1", window(in, out, 3, false), enlarged("up", x));
    x = relu(as, block + "relu2", add(as, block + "norm2", Norm{.features = out}, x));
    x = add(as, block + "conv2", window(out, out, 3, true), x);
    return b_.add(as.prefix + block + "add", shortcut, x);
  }

  // The critic normalises each sample over all its values, with parameters per channel.
  static Norm sample_norm(std::int64_t channels) {
    return {.kind = Normalization::kGroup, .features = channels};
  }
  TensorId halved(const Application& as, const std::string& name, TensorId x) {
    return b_.average_pool(as.prefix + name, x, {.kernel = 2, .stride = 2});
  }
  TensorId down(const Application& as, const std::string& block, TensorId x, std::int64_t out) {
    const std::int64_t in = b_.dim(x, 1);
    const TensorId shortcut = add(as, block + "shortcut", window(in, out, 1, true),
                                  halved(as, block + "shortcut_pool", x));
    x = relu(as, block + "relu1", add(as, block + "norm1", sample_norm(in), x));
    x = add(as, block + "conv1", window(in, in, 3, false), x);
    x = relu(as, block + "relu2", add(as, block + "norm2", sample_norm(in), x));
    x = halved(as, block + "pool", add(as, block + "conv2", window(in, out, 3, true), x));
    return b_.add(as.prefix + block + "add", shortcut, x);
  }

  TensorId transposed(const Application& as, const std::string& name, TensorId x, std::int64_t out,
                      std::int64_t kernel) {
    return add(as, name,
               ConvTranspose2d{.in_channels = b_.dim(x, 1),
                               .out_channels = out,
                               .kernel = kernel,
                               .pad = kernel / 2,
                               .bias = false},
               x, Sharing::kWeight);
  }
  // Backward of normalisation and ReLU: what passed stays, and its mean over the sample is removed.
  TensorId norm_gradient(const Application& as, const std::string& name, TensorId x) {
    const TensorId mask = b_.input(as.prefix + name + ".mask", b_.shape(x).dims);
    x = b_.multiply(as.prefix + name + ".masked", x, mask);
    Norm norm = sample_norm(b_.dim(x, 1));
    norm.scale = norm.shift = false;
    return b_.add_op(as.prefix + name + ".norm", norm, {x});
  }
  TensorId down_gradient(const Application& as, const std::string& block, TensorId x,
                         std::int64_t in) {
    const auto spread = [&](const std::string& name, TensorId y) {
      return b_.add_op(as.prefix + block + name, Upsample2d{}, {y});
    };
    const TensorId shortcut =
        spread("shortcut_spread", transposed(as, block + "shortcut", x, in, 1));
    x = transposed(as, block + "conv2", spread("spread", x), in, 3);
    x = transposed(as, block + "conv1", norm_gradient(as, block + "second", x), in, 3);
    return b_.add(as.prefix + block + "add", shortcut, norm_gradient(as, block + "first", x));
  }

  WorkloadBuilder& b_;
};

// The critic on real, generated and mixed images, and the penalty on its gradient.
void critic_step(WorkloadBuilder& b) {
  Networks networks(b);
  const TensorId fake = networks.generator({"generator.", "generator.", true});
  const TensorId real = b.input("images", {b.batch(), 3, 64, 64});
  const std::string owner = "critic.";
  const TensorId on_real = networks.critic({owner, owner}, real);
  const TensorId on_fake = networks.critic({owner, "fake."}, fake);
  const TensorId mixed = b.input("mixed", {b.batch(), 3, 64, 64});
  const TensorId on_mixed = networks.critic({owner, "mixed."}, mixed);
  const TensorId gradient = networks.critic_gradient({owner, "gradient."});
  const TensorId penalty = b.loss("penalty", LossKind::kMeanSquaredError,
                                  {gradient, b.input("unit", b.shape(gradient).dims)});
  TensorId loss = b.add("difference", b.loss("real_loss", LossKind::kMean, {on_real}),
                        b.loss("fake_loss", LossKind::kMean, {on_fake}));
  loss = b.add("with_mixed", loss, b.loss("mixed_loss", LossKind::kMean, {on_mixed}));
  b.add("total_loss", loss, penalty);
}

void generator_step(WorkloadBuilder& b) {
  Networks networks(b);
  const TensorId fake = networks.generator({"generator.", "generator."});
  b.loss("loss", LossKind::kMean, {networks.critic({"critic.", "critic.", true}, fake)});
}

}  // namespace

void register_wgan_gp(WorkloadRegistry& registry) {
  registry.add("wgan-gp", "WGAN with gradient penalty, residual networks, 64x64 images", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Gulrajani et al., arXiv 1704.00028; tbd-ai/tbd-suite@ad48842",
                 .input = "3x64x64 image",
                 .variants = {{"critic-step", "one update of the critic; five per iteration"},
                              {"generator-step", "one update of the generator"}},
                 .build = [](WorkloadBuilder& b, const WorkloadConfig& config) {
                   config.variant == "generator-step" ? generator_step(b) : critic_step(b);
                 }});
  });
}

}  // namespace paceline

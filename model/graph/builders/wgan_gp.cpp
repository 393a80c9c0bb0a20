// WGAN-GP (Gulrajani et al., arXiv 1704.00028), residual networks for 64x64 images, width 64, as
// TBD runs it: five updates of the critic for one of the generator. Each update is a graph of its
// own; the network that rests meanwhile keeps its optimizer state on the device.
#include <map>

#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kWidth = 64;
constexpr std::int64_t kCriticWidths[] = {kWidth, 2 * kWidth, 4 * kWidth, 8 * kWidth, 8 * kWidth};

// One application of a network; the first owns the parameters, later ones share them.
struct Application {
  std::string owner;   // prefix of the operations that own the parameters
  std::string prefix;  // of this application's operations
  bool rests = false;
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
      x = up(as, block(number++), x, out);
    }
    x = norm_relu(as, "", "", Norm{.features = kWidth}, x);
    x = add(as, "conv", window(kWidth, 3, 3, true), x);
    return b_.activate(as.prefix + "tanh", x, Activation::kTanh);
  }

  TensorId critic(const Application& as, TensorId x) {
    x = add(as, "conv", window(3, kWidth, 3, true), x);
    for (int number = 0; number < 4; ++number) x = down(as, number, x);
    x = b_.flatten(as.prefix + "flatten", x, 1);
    return add(as, "linear", Linear{b_.dim(x, 1), 1}, x);
  }
  // As much of the same as its gradient reads: up to the last ReLU.
  void critic_to_last_relu(const Application& as, TensorId x) {
    x = add(as, "conv", window(3, kWidth, 3, true), x);
    for (int number = 0; number < 3; ++number) x = down(as, number, x);
    until_second_relu(as, block(3), x);
  }

  // The gradient of the critic with respect to its input at the images that `of` ran on, as a
  // network of its own with the critic's weights: what the penalty differentiates a second time.
  TensorId critic_gradient(const Application& as, const std::string& of) {
    TensorId x = b_.input(as.prefix + "ones", {b_.batch(), 1});
    x = add(as, "linear", Linear{1, 16 * 8 * kWidth, false}, x, Sharing::kWeight);
    x = b_.reshape(as.prefix + "reshape", x, {b_.batch(), 8 * kWidth, 4, 4});
    for (int number = 3; number >= 0; --number) x = down_gradient(as, of, number, x);
    return transposed(as, "conv", x, 3, 3);
  }

 private:
  // What the gradient of a normalisation and the ReLU behind it reads.
  struct NormRelu {
    TensorId input, output;
  };

  static std::string block(int number) { return "block" + std::to_string(number) + "."; }
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
    if (as.rests) b_.rest();
    return x;
  }
  TensorId norm_relu(const Application& as, const std::string& block, const std::string& number,
                     const Norm& norm, TensorId x) {
    NormRelu& read = read_[as.prefix + block + number];
    read.input = x;
    x = add(as, block + "norm" + number, norm, x);
    return read.output = b_.relu(as.prefix + block + "relu" + number, x, false);
  }

  TensorId up(const Application& as, const std::string& block, TensorId x, std::int64_t out) {
    const std::int64_t in = b_.dim(x, 1);
    const auto enlarged = [&](const std::string& name, TensorId y) {
      return b_.add_op(as.prefix + block + name, Upsample2d{}, {y});
    };
    const TensorId shortcut =
        add(as, block + "shortcut", window(in, out, 1, true), enlarged("shortcut_up", x));
    x = norm_relu(as, block, "1", Norm{.features = in}, x);
    x = add(as, block + "conv1", window(in, out, 3, false), enlarged("up", x));
    x = norm_relu(as, block, "2", Norm{.features = out}, x);
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
  TensorId until_second_relu(const Application& as, const std::string& block, TensorId x) {
    const std::int64_t in = b_.dim(x, 1);
    x = norm_relu(as, block, "1", sample_norm(in), x);
    x = add(as, block + "conv1", window(in, in, 3, false), x);
    return norm_relu(as, block, "2", sample_norm(in), x);
  }
  TensorId down(const Application& as, int number, TensorId x) {
    const std::string name = block(number);
    const std::int64_t in = kCriticWidths[number], out = kCriticWidths[number + 1];
    const TensorId shortcut =
        add(as, name + "shortcut", window(in, out, 1, true), halved(as, name + "shortcut_pool", x));
    x = until_second_relu(as, name, x);
    x = halved(as, name + "pool", add(as, name + "conv2", window(in, out, 3, true), x));
    return b_.add(as.prefix + name + "add", shortcut, x);
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
  // Backward of normalisation and ReLU: what passed stays, its mean over the sample is removed, and
  // so is its part along the normalised input. All three are read where they were computed, and
  // gradients flow back there: frameworks return zeros for what the mask is made of.
  TensorId norm_gradient(const Application& as, const std::string& of, const std::string& where,
                         TensorId x) {
    const NormRelu& read = read_.at(of + where);
    const std::string name = as.prefix + where;
    x = b_.multiply(name + ".masked", x, read.output);
    Norm norm = sample_norm(b_.dim(x, 1));
    norm.scale = norm.shift = false;
    return b_.add(name + ".projected", b_.add_op(name + ".norm", norm, {x}), read.input);
  }
  TensorId down_gradient(const Application& as, const std::string& of, int number, TensorId x) {
    const std::string name = block(number);
    const std::int64_t in = kCriticWidths[number];
    const auto spread = [&](const std::string& what, TensorId y) {
      return b_.add_op(as.prefix + name + what, Upsample2d{}, {y});
    };
    const TensorId shortcut =
        spread("shortcut_spread", transposed(as, name + "shortcut", x, in, 1));
    x = transposed(as, name + "conv2", spread("spread", x), in, 3);
    x = transposed(as, name + "conv1", norm_gradient(as, of, name + "2", x), in, 3);
    return b_.add(as.prefix + name + "add", shortcut, norm_gradient(as, of, name + "1", x));
  }

  WorkloadBuilder& b_;
  std::map<std::string, NormRelu> read_;
};

// The critic on real and generated images, and the penalty on its gradient at points between them.
void critic_step(WorkloadBuilder& b) {
  Networks networks(b);
  const TensorId fake = networks.generator({"generator.", "generator.", true});
  const TensorId real = b.input("images", {b.batch(), 3, 64, 64});
  const std::string owner = "critic.";
  const TensorId on_real = networks.critic({owner, owner}, real);
  const TensorId on_fake = networks.critic({owner, "fake."}, fake);
  const TensorId difference = b.add("mixed.difference", fake, real);
  const TensorId share = b.add_op("mixed.share", Scale{}, {difference});
  networks.critic_to_last_relu({owner, "mixed."}, b.add("mixed.images", share, real));
  const TensorId gradient = networks.critic_gradient({owner, "gradient."}, "mixed.");
  const TensorId squares = b.multiply("penalty.squares", gradient, gradient);
  const TensorId loss = b.add("difference", b.loss("real_loss", LossKind::kMean, {on_real}),
                              b.loss("fake_loss", LossKind::kMean, {on_fake}));
  b.add("total_loss", loss, b.loss("penalty", LossKind::kMean, {squares}));
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

// Faster R-CNN (Ren et al., arXiv 1506.01497) with ResNet-101, as TBD's TensorFlow example runs it
// on Pascal VOC: one image per step, first stage and all normalisations frozen.
#include "model/graph/blocks/residual.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kAnchors = 9;    // 3 scales x 3 shapes at each place
constexpr std::int64_t kSampled = 256;  // anchors, and regions, that enter the losses of one image
constexpr std::int64_t kClasses = 21;

TensorId backbone(WorkloadBuilder& b, TensorId x) {
  ResidualOptions options{.frozen = true, .frozen_norm = true};
  x = conv_norm(b, "conv1", "bn1", x, {.out_channels = 64, .kernel = 7, .stride = 2, .pad = 3},
                options);
  x = b.max_pool("maxpool", b.relu("relu", x), {.kernel = 3, .stride = 2, .pad = 1});
  x = residual_stage(b, "layer1.", x, 3, options);
  options = {.width = 128, .stride = 2, .frozen_norm = true};
  x = residual_stage(b, "layer2.", x, 4, options);
  options.width = 256;
  return residual_stage(b, "layer3.", x, 23, options);
}

// Scores and box corrections of `rows` candidates against their targets.
TensorId two_losses(WorkloadBuilder& b, const std::string& name, TensorId scores, TensorId boxes) {
  const std::int64_t rows = b.dim(scores, 0);
  const TensorId classes = b.integer_input(name + "classes", {rows});
  const TensorId target = b.input(name + "boxes_target", b.shape(boxes).dims);
  return b.add(name + "loss", b.cross_entropy(name + "class_loss", scores, classes),
               b.loss(name + "box_loss", LossKind::kSmoothL1, {boxes, target}));
}

// A value of each place and anchor, and those of the sampled anchors only.
TensorId sampled(WorkloadBuilder& b, const std::string& name, TensorId map, std::int64_t values) {
  const std::int64_t all = b.shape(map).elements() / values;
  TensorId x = b.permute(name + ".to_places", map, {0, 2, 3, 1});
  x = b.reshape(name + ".rows", x, {all, values});
  return b.add_op(name + ".sample", Gather{.axis = 0, .count = kSampled * b.batch()}, {x});
}

TensorId proposal_loss(WorkloadBuilder& b, TensorId features) {
  const TensorId x = b.relu(
      "rpn.relu", b.conv("rpn.conv", features, {.out_channels = 512, .kernel = 3, .pad = 1}));
  const TensorId scores = b.conv("rpn.scores", x, {.out_channels = 2 * kAnchors});
  const TensorId boxes = b.conv("rpn.boxes", x, {.out_channels = 4 * kAnchors});
  return two_losses(b, "rpn.", sampled(b, "rpn.scores", scores, 2),
                    sampled(b, "rpn.boxes", boxes, 4));
}

void faster_rcnn(WorkloadBuilder& b, const WorkloadConfig&) {
  const TensorId features = backbone(b, b.input("images", {b.batch(), 3, 600, 800}));
  const TensorId rpn_loss = proposal_loss(b, features);
  TensorId x =
      b.add_op("regions", RoiAlign{.regions = kSampled * b.batch(), .size = 7}, {features});
  x = residual_stage(b, "layer4.", x, 3, {.width = 512, .frozen_norm = true});
  x = b.flatten("flatten", b.global_average_pool("avgpool", x), 1);
  const TensorId head_loss = two_losses(b, "head.", b.linear("head.scores", x, kClasses),
                                        b.linear("head.boxes", x, 4 * kClasses));
  b.add("total_loss", rpn_loss, head_loss);
}

}  // namespace

void register_faster_rcnn(WorkloadRegistry& registry) {
  registry.add("faster-rcnn", "Faster R-CNN with ResNet-101, Pascal VOC", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Ren et al., arXiv 1506.01497; tbd-ai/tbd-suite@ad48842, TensorFlow",
                 .input = "3x600x800 image",
                 .build = faster_rcnn});
  });
}

}  // namespace paceline

// Vision transformer (Dosovitskiy et al., arXiv 2010.11929).
#include "model/graph/blocks/transformer.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

// 16x16 patches become tokens, a class token is put in front, learned positions are added.
void vit_b_16(WorkloadBuilder& b, const WorkloadConfig&) {
  const TransformerConfig config{.layers = 12,
                                 .width = 768,
                                 .heads = 12,
                                 .kv_heads = 12,
                                 .head_dim = 64,
                                 .ffn_width = 3072,
                                 .causal = false,
                                 .packed_qkv = true};
  TensorId x = b.input("images", {b.batch(), 3, 224, 224});
  x = b.conv("patches", x, {.out_channels = config.width, .kernel = 16, .stride = 16});
  x = b.permute("tokens", b.flatten("flatten", x, 2), {0, 2, 1});
  const TensorId class_token = b.add_op("class_tokens", Expand{{{b.batch(), 1, config.width}}},
                                        {b.parameter("class_token", {1, 1, config.width})});
  x = b.concat("with_class", {class_token, x}, 1);
  x = b.add("add_positions", x, b.parameter("positions", {1, b.dim(x, 1), config.width}));
  for (int i = 0; i < 12; ++i) {
    x = transformer_block(b, "layers." + std::to_string(i) + ".", x, config);
  }
  x = b.linear("head", b.select("class", b.layer_norm("norm", x), 1, 0), 1000);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_vision_transformer(WorkloadRegistry& registry) {
  registry.add("vit-b-16", "vision transformer, base, 16x16 patches, ImageNet", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Dosovitskiy et al., arXiv 2010.11929, as torchvision writes it",
                 .input = "3x224x224 image",
                 .build = vit_b_16});
  });
}

}  // namespace paceline

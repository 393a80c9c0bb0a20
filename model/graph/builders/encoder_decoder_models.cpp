// Encoder-decoder transformers: the original (Vaswani et al., arXiv 1706.03762) and T5 (Raffel et
// al., arXiv 1910.10683).
#include "model/graph/blocks/encoder_decoder.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

// tensor2tensor's transformer_base: no biases in attention, one embedding for source, target and
// the output, of the 37000 word pieces that the paper names.
EncoderDecoderConfig transformer_base() {
  return {.layer = {.layers = 6,
                    .width = 512,
                    .heads = 8,
                    .kv_heads = 8,
                    .head_dim = 64,
                    .ffn_width = 2048,
                    .vocabulary = 37000,
                    .placement = NormPlacement::kPost,
                    .activation = Activation::kRelu,
                    .attention_bias = false,
                    .attention_output_bias = false,
                    .dropout = 0.1},
          .decoder_layers = 6};
}

EncoderDecoderConfig t5(std::int64_t layers, std::int64_t width, std::int64_t heads,
                        std::int64_t ffn_width) {
  return {.layer = {.layers = layers,
                    .width = width,
                    .heads = heads,
                    .kv_heads = heads,
                    .head_dim = 64,
                    .ffn_width = ffn_width,
                    .vocabulary = 32128,
                    .norm = Normalization::kRms,
                    .activation = Activation::kRelu,
                    .attention_bias = false,
                    .attention_output_bias = false,
                    .ffn_bias = false,
                    .dropout = 0.1,
                    .attention_dropout = 0.1},
          .decoder_layers = layers,
          .relative_buckets = 32};
}

}  // namespace

void register_encoder_decoder_models(WorkloadRegistry& registry) {
  const auto add = [&](const std::string& name, const std::string& summary,
                       const std::string& source, const EncoderDecoderConfig& config,
                       std::int64_t seq, std::vector<std::int64_t> buckets) {
    registry.add(name, summary, [=] {
      return std::make_unique<const Workload>(
          Workload{.source = source,
                   .input = "source and target token ids",
                   .default_seq = seq,
                   .buckets = buckets,
                   .build = [config](WorkloadBuilder& b, const WorkloadConfig& chosen) {
                     build_encoder_decoder(b, config, chosen.seq);
                   }});
    });
  };
  // tensor2tensor's boundaries grow by about 10 %; these are every 8 up to its maximum.
  add("transformer-base", "transformer for translation, 6+6 layers",
      "Vaswani et al., arXiv 1706.03762; tensor2tensor transformer_base", transformer_base(), 32,
      {8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256});
  const std::string source = "Raffel et al., arXiv 1910.10683, as Hugging Face's T5";
  add("t5-small", "T5, 6+6 layers", source, t5(6, 512, 8, 2048), 512, {});
  add("t5-base", "T5, 12+12 layers", source, t5(12, 768, 12, 3072), 512, {});
  add("t5-large", "T5, 24+24 layers", source, t5(24, 1024, 16, 4096), 512, {});
}

}  // namespace paceline

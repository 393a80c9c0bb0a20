// Decoder-only language models: GPT-2, GPT-3, OPT, Llama, Mistral, Mixtral, MPT.
#include "model/graph/blocks/transformer.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

TransformerConfig gpt2(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  return {.layers = layers,
          .width = width,
          .heads = heads,
          .kv_heads = heads,
          .head_dim = width / heads,
          .ffn_width = 4 * width,
          .vocabulary = 50257,
          .learned_positions = 1024,
          .packed_qkv = true,
          .dropout = 0.1,
          .attention_dropout = 0.1};
}

// GPT-2's blocks with 2048 positions; alternating sparse attention is counted as dense.
TransformerConfig gpt3() {
  TransformerConfig config = gpt2(96, 12288, 96);
  config.learned_positions = 2048;
  return config;
}

// Positions start at index 2, so the table has two more rows than the sequence can be long.
TransformerConfig opt(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  TransformerConfig config = gpt2(layers, width, heads);
  config.vocabulary = 50272;
  config.learned_positions = 2050;
  config.packed_qkv = false;
  config.activation = Activation::kRelu;
  config.attention_dropout = 0;
  return config;
}

TransformerConfig opt_350m() {
  TransformerConfig config = opt(24, 1024, 16);
  config.embedding_width = 512;
  config.placement = NormPlacement::kPost;
  return config;
}

// As llm-foundry trains and benchmarks it: GPT-2's blocks with a table of as many positions as the
// sequence is long, and no dropout.
TransformerConfig mpt(std::int64_t layers, std::int64_t width, std::int64_t heads,
                      std::int64_t seq) {
  TransformerConfig config = gpt2(layers, width, heads);
  config.vocabulary = 50368;
  config.learned_positions = seq;
  config.dropout = config.attention_dropout = 0;
  return config;
}

// As mosaicml/mpt-7b was released: no biases anywhere, and positions enter as a slope added to the
// scores (ALiBi).
TransformerConfig released_mpt(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  TransformerConfig config = mpt(layers, width, heads, 0);
  config.vocabulary = 50432;
  config.norm_shift = false;
  config.attention_bias = config.attention_output_bias = config.ffn_bias = false;
  return config;
}

void add_mpt(WorkloadRegistry& registry, const std::string& name, std::int64_t layers,
             std::int64_t width, std::int64_t heads) {
  const auto make = [layers, width, heads] {
    return std::make_unique<const Workload>(Workload{
        .source = "mosaicml/llm-foundry@8c8dd48 scripts/train/benchmarking",
        .input = "token ids",
        .variants = {{"llm-foundry", "learned positions and biases, as in its benchmark tables"},
                     {"released", "ALiBi and no biases, as mosaicml/mpt-7b on Hugging Face"}},
        .default_seq = 2048,
        .max_seq = 65536,
        .build = [layers, width, heads](WorkloadBuilder& b, const WorkloadConfig& chosen) {
          const bool released = chosen.variant == "released";
          const TransformerConfig config =
              released ? released_mpt(layers, width, heads) : mpt(layers, width, heads, chosen.seq);
          build_transformer(b, config, chosen.seq);
        }});
  };
  registry.add(name, "MPT, " + std::to_string(layers) + " layers", make);
}

struct LlamaShape {
  std::int64_t layers, width, heads, kv_heads, ffn_width, vocabulary;
};

TransformerConfig llama(const LlamaShape& shape) {
  return {.layers = shape.layers,
          .width = shape.width,
          .heads = shape.heads,
          .kv_heads = shape.kv_heads,
          .head_dim = shape.width / shape.heads,
          .ffn_width = shape.ffn_width,
          .vocabulary = shape.vocabulary,
          .norm = Normalization::kRms,
          .activation = Activation::kSilu,
          .gated_ffn = true,
          .rotary = true,
          .attention_bias = false,
          .attention_output_bias = false,
          .ffn_bias = false,
          .tied_head = false};
}

TransformerConfig mixtral() {
  TransformerConfig config = llama({32, 4096, 32, 8, 14336, 32000});
  config.experts = 8;
  config.experts_per_token = 2;
  return config;
}

}  // namespace

void register_language_model(WorkloadRegistry& registry) {
  const auto add = [&](const std::string& name, const std::string& summary,
                       const std::string& source, TransformerConfig config, std::int64_t seq,
                       std::int64_t max_seq) {
    registry.add(name, summary, [source, config, seq, max_seq] {
      return std::make_unique<const Workload>(
          Workload{.source = source,
                   .input = "token ids",
                   .default_seq = seq,
                   .max_seq = max_seq,
                   .build = [config](WorkloadBuilder& b, const WorkloadConfig& chosen) {
                     build_transformer(b, config, chosen.seq);
                   }});
    });
  };
  const std::string gpt2_source = "Radford et al. 2019, as Hugging Face's GPT2LMHeadModel";
  add("gpt2", "GPT-2, 12 layers", gpt2_source, gpt2(12, 768, 12), 1024, 1024);
  add("gpt2-medium", "GPT-2, 24 layers", gpt2_source, gpt2(24, 1024, 16), 1024, 1024);
  add("gpt2-large", "GPT-2, 36 layers", gpt2_source, gpt2(36, 1280, 20), 1024, 1024);
  add("gpt2-xl", "GPT-2, 48 layers", gpt2_source, gpt2(48, 1600, 25), 1024, 1024);
  add("gpt3-175b", "GPT-3, 96 layers", "Brown et al., arXiv 2005.14165, table 2.1", gpt3(), 2048,
      2048);
  const std::string opt_source = "Zhang et al., arXiv 2205.01068, as Hugging Face's OPTForCausalLM";
  add("opt-125m", "OPT, 12 layers", opt_source, opt(12, 768, 12), 2048, 2048);
  add("opt-350m", "OPT, 24 layers, normalised after each block", opt_source, opt_350m(), 2048,
      2048);
  add("opt-1.3b", "OPT, 24 layers", opt_source, opt(24, 2048, 32), 2048, 2048);
  add("opt-6.7b", "OPT, 32 layers", opt_source, opt(32, 4096, 32), 2048, 2048);
  add("opt-13b", "OPT, 40 layers", opt_source, opt(40, 5120, 40), 2048, 2048);
  add_mpt(registry, "mpt-125m", 12, 768, 12);
  add_mpt(registry, "mpt-350m", 24, 1024, 16);
  add_mpt(registry, "mpt-760m", 24, 1536, 12);
  add_mpt(registry, "mpt-1b", 24, 2048, 16);
  add_mpt(registry, "mpt-3b", 32, 2560, 20);
  add_mpt(registry, "mpt-7b", 32, 4096, 32);
  add_mpt(registry, "mpt-13b", 40, 5120, 40);
  add_mpt(registry, "mpt-30b", 48, 7168, 56);
  add_mpt(registry, "mpt-70b", 80, 8192, 64);
  const std::string llama2 = "Touvron et al., arXiv 2307.09288";
  add("llama2-7b", "Llama 2, 32 layers", llama2, llama({32, 4096, 32, 32, 11008, 32000}), 4096,
      4096);
  add("llama2-13b", "Llama 2, 40 layers", llama2, llama({40, 5120, 40, 40, 13824, 32000}), 4096,
      4096);
  add("llama2-70b", "Llama 2, 80 layers, grouped queries", llama2,
      llama({80, 8192, 64, 8, 28672, 32000}), 4096, 4096);
  const std::string llama3 = "Llama Team, arXiv 2407.21783, table 3";
  add("llama3-8b", "Llama 3, 32 layers, grouped queries", llama3,
      llama({32, 4096, 32, 8, 14336, 128256}), 8192, 131072);
  add("llama3-70b", "Llama 3, 80 layers, grouped queries", llama3,
      llama({80, 8192, 64, 8, 28672, 128256}), 8192, 131072);
  add("llama3-405b", "Llama 3.1, 126 layers, grouped queries", llama3,
      llama({126, 16384, 128, 8, 53248, 128256}), 8192, 131072);
  add("mistral-7b", "Mistral, 32 layers, grouped queries", "Jiang et al., arXiv 2310.06825",
      llama({32, 4096, 32, 8, 14336, 32000}), 4096, 32768);
  add("mixtral-8x7b", "Mixtral, 32 layers, 2 of 8 experts", "Jiang et al., arXiv 2401.04088",
      mixtral(), 4096, 32768);
}

}  // namespace paceline

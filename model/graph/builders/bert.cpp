// BERT pre-training: masked language model and next sentence (Devlin et al., arXiv 1810.04805).
#include "model/graph/blocks/transformer.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

TransformerConfig bert(std::int64_t layers, std::int64_t width) {
  return {.layers = layers,
          .width = width,
          .heads = width / 64,
          .kv_heads = width / 64,
          .head_dim = 64,
          .ffn_width = 4 * width,
          .vocabulary = 30522,
          .learned_positions = 512,
          .token_types = 2,
          .placement = NormPlacement::kPost,
          .embedding_norm = true,
          .causal = false,
          .dropout = 0.1,
          .attention_dropout = 0.1,
          .masked_lm_head = true,
          .next_sentence_head = true};
}

}  // namespace

void register_bert(WorkloadRegistry& registry) {
  const auto add = [&](const std::string& name, const std::string& summary,
                       const TransformerConfig& config) {
    registry.add(name, summary, [config] {
      return std::make_unique<const Workload>(Workload{
          .source = "Devlin et al., arXiv 1810.04805, as Hugging Face's BertForPreTraining",
          .input = "token ids",
          .variants = {{"pre-training", "vocabulary at every position, and next sentence"},
                       {"classification", "two classes of the first token, as in fine-tuning"}},
          .default_seq = 512,
          .max_seq = 512,
          .build = [config](WorkloadBuilder& b, const WorkloadConfig& chosen) {
            TransformerConfig variant = config;
            variant.vocabulary_head = chosen.variant != "classification";
            build_transformer(b, variant, chosen.seq);
          }});
    });
  };
  add("bert-base", "BERT, 12 layers, pre-training heads", bert(12, 768));
  add("bert-large", "BERT, 24 layers, pre-training heads", bert(24, 1024));
}

}  // namespace paceline

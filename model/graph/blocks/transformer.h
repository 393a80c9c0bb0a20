// Transformer language models by their hyper-parameters: the catalog's networks and those read from
// a Hugging Face configuration (model/import/hugging_face.h) are built by the same code.
#pragma once

#include <cstdint>

#include "model/graph/blocks/attention.h"
#include "model/graph/workload_builder.h"

namespace paceline {

enum class NormPlacement { kPre, kPost };

struct TransformerConfig {
  std::int64_t layers = 0, width = 0, heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t ffn_width = 0;
  std::int64_t vocabulary = 0;
  std::int64_t learned_positions = 0;  // rows of the table; 0: none
  std::int64_t token_types = 0;        // rows of a segment embedding (BERT)
  std::int64_t embedding_width = 0;    // 0: as `width`; otherwise projected in and out (OPT-350m)

  Normalization norm = Normalization::kLayer;
  NormPlacement placement = NormPlacement::kPre;
  bool norm_shift = true;  // layer normalisation's bias
  bool embedding_norm = false;
  bool final_norm = true;  // pre-norm models normalise before the head
  Activation activation = Activation::kGelu;
  bool gated_ffn = false;  // two widening projections, one of them activated (SwiGLU)
  bool causal = true, rotary = false, packed_qkv = false;
  bool attention_bias = true, attention_output_bias = true, ffn_bias = true;
  // Mixture of experts: each token visits `experts_per_token` of `experts`; 0: a dense layer.
  std::int64_t experts = 0, experts_per_token = 0;
  double dropout = 0, attention_dropout = 0;

  bool vocabulary_head = true;  // false: the first token is classified and nothing else
  bool tied_head = true;
  bool masked_lm_head = false;      // BERT: Linear, activation and norm before the vocabulary
  bool next_sentence_head = false;  // BERT's pre-training pools the first token
};

// Tokens batch x seq in, mean cross-entropy over all positions out.
void build_transformer(WorkloadBuilder& b, const TransformerConfig& config, std::int64_t seq);

// One block, for networks that are not language models (a vision transformer).
TensorId transformer_block(WorkloadBuilder& b, const std::string& name, TensorId x,
                           const TransformerConfig& config);

}  // namespace paceline

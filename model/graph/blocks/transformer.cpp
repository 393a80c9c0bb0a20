#include "model/graph/blocks/transformer.h"

namespace paceline {
namespace {

class Block {
 public:
  Block(WorkloadBuilder& b, const std::string& name, const TransformerConfig& config)
      : b_(b), name_(name), config_(config) {}

  TensorId norm(const std::string& name, TensorId x) {
    const bool shift = config_.norm != Normalization::kRms && config_.norm_shift;
    return b_.add_op(name_ + name,
                     Norm{.kind = config_.norm, .features = b_.dim(x, -1), .shift = shift}, {x});
  }

  TensorId build(TensorId x) {
    const bool pre = config_.placement == NormPlacement::kPre;
    TensorId y = attention(pre ? norm("norm1", x) : x);
    x = b_.add(name_ + "add1", x, dropped("dropout1", y));
    if (!pre) x = norm("norm1", x);
    y = pre ? norm("norm2", x) : x;
    y = config_.experts > 0 ? experts(y) : feed_forward(y);
    x = b_.add(name_ + "add2", x, dropped("dropout2", y));
    return pre ? x : norm("norm2", x);
  }

 private:
  TensorId dropped(const std::string& name, TensorId x) {
    return config_.dropout > 0 ? b_.dropout(name_ + name, x, config_.dropout) : x;
  }

  TensorId attention(TensorId x) {
    return multi_head_attention(b_, name_ + "attention.", x, x,
                                {.heads = config_.heads,
                                 .kv_heads = config_.kv_heads,
                                 .head_dim = config_.head_dim,
                                 .bias = config_.attention_bias,
                                 .output_bias = config_.attention_output_bias,
                                 .packed_qkv = config_.packed_qkv,
                                 .causal = config_.causal,
                                 .rotary = config_.rotary,
                                 .dropout = config_.attention_dropout});
  }

  TensorId feed_forward(TensorId x) {
    const std::string ffn = name_ + "ffn.";
    TensorId y = b_.activate(ffn + "activation",
                             b_.linear(ffn + "up", x, config_.ffn_width, config_.ffn_bias),
                             config_.activation);
    if (config_.gated_ffn) {
      y = b_.multiply(ffn + "gated", y,
                      b_.linear(ffn + "gate", x, config_.ffn_width, config_.ffn_bias));
    }
    return b_.linear(ffn + "down", y, config_.width, config_.ffn_bias);
  }

  // A router picks experts; tokens are gathered by expert, multiplied in groups, and added back
  // with their weights. Tokens are spread evenly over the experts.
  TensorId experts(TensorId x) {
    const std::string moe = name_ + "moe.";
    const std::int64_t batch = b_.dim(x, 0), seq = b_.dim(x, 1), tokens = batch * seq;
    x = b_.reshape(moe + "tokens", x, {tokens, config_.width});
    const TensorId probabilities =
        b_.softmax(moe + "softmax", b_.linear(moe + "router", x, config_.experts, false));
    const TensorId chosen =
        b_.add_op(moe + "top_k", TopK{config_.experts_per_token}, {probabilities});
    const std::int64_t rows = tokens * config_.experts_per_token;
    const TensorId dispatched = b_.add_op(moe + "dispatch", Gather{.axis = 0, .count = rows}, {x});
    const auto expert = [&](const std::string& name, TensorId in, std::int64_t out) {
      return b_.add_op(moe + name, ExpertLinear{config_.experts, b_.dim(in, -1), out}, {in});
    };
    TensorId y = b_.activate(moe + "activation", expert("up", dispatched, config_.ffn_width),
                             config_.activation);
    if (config_.gated_ffn) {
      y = b_.multiply(moe + "gated", y, expert("gate", dispatched, config_.ffn_width));
    }
    y = expert("down", y, config_.width);
    y = b_.multiply(moe + "weighted", y, b_.reshape(moe + "weights", chosen, {rows, 1}));
    y = b_.add_op(moe + "combine", ScatterAdd{.axis = 0, .count = tokens}, {y});
    return b_.reshape(moe + "combined", y, {batch, seq, config_.width});
  }

  WorkloadBuilder& b_;
  std::string name_;
  const TransformerConfig& config_;
};

TensorId embeddings(WorkloadBuilder& b, const TransformerConfig& config, std::int64_t seq) {
  const std::int64_t width = config.embedding_width > 0 ? config.embedding_width : config.width;
  const TensorId tokens = b.integer_input("tokens", {b.batch(), seq});
  TensorId x = b.embedding("embedding", tokens, config.vocabulary, width);
  if (width != config.width) x = b.linear("project_in", x, config.width, false);
  if (config.token_types > 0) {
    const TensorId types = b.integer_input("token_types", {b.batch(), seq});
    x = b.add("add_types", x,
              b.embedding("type_embedding", types, config.token_types, config.width));
  }
  if (config.learned_positions > 0) {
    const TensorId positions = b.integer_input("positions", {seq});
    x = b.add("add_positions", x,
              b.embedding("position_embedding", positions, config.learned_positions, config.width));
  }
  if (config.embedding_norm) x = Block(b, "embedding_", config).norm("norm", x);
  return config.dropout > 0 ? b.dropout("embedding_dropout", x, config.dropout) : x;
}

TensorId logits(WorkloadBuilder& b, const TransformerConfig& config, TensorId x) {
  if (config.embedding_width > 0 && config.embedding_width != config.width) {
    x = b.linear("project_out", x, config.embedding_width, false);
  }
  if (config.masked_lm_head) {
    x = b.activate("head.activation", b.linear("head.transform", x, config.width),
                   config.activation);
    x = b.layer_norm("head.norm", x);
  }
  x = b.linear("head", x, config.vocabulary, config.masked_lm_head);
  if (config.tied_head) b.share_weight_with("embedding");
  return x;
}

// BERT: the first token through a Linear and tanh to two classes.
TensorId first_token_loss(WorkloadBuilder& b, const TransformerConfig& config, TensorId x) {
  TensorId first = b.select("pooler.first", x, 1, 0);
  first = b.activate("pooler.tanh", b.linear("pooler", first, config.width), Activation::kTanh);
  const TensorId next = b.linear("next_sentence", first, 2);
  const TensorId labels = b.integer_input("next_sentence_labels", {b.batch()});
  return b.cross_entropy("next_sentence_loss", next, labels);
}

}  // namespace

TensorId transformer_block(WorkloadBuilder& b, const std::string& name, TensorId x,
                           const TransformerConfig& config) {
  return Block(b, name, config).build(x);
}

void build_transformer(WorkloadBuilder& b, const TransformerConfig& config, std::int64_t seq) {
  b.set_tokens_per_sample(seq);
  TensorId x = embeddings(b, config, seq);
  for (std::int64_t i = 0; i < config.layers; ++i) {
    x = transformer_block(b, "layers." + std::to_string(i) + ".", x, config);
  }
  if (config.placement == NormPlacement::kPre && config.final_norm) {
    x = Block(b, "final_", config).norm("norm", x);
  }
  if (!config.vocabulary_head) {
    first_token_loss(b, config, x);
    return;
  }
  const TensorId y = logits(b, config, x);
  const TensorId targets = b.integer_input("targets", {b.batch(), seq});
  const TensorId loss = b.cross_entropy("loss", y, targets);
  if (!config.next_sentence_head) return;
  b.add("total_loss", loss, first_token_loss(b, config, x));
}

}  // namespace paceline

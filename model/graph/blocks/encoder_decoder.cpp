#include "model/graph/blocks/encoder_decoder.h"

namespace paceline {
namespace {

class EncoderDecoder {
 public:
  EncoderDecoder(WorkloadBuilder& b, const EncoderDecoderConfig& config, std::int64_t seq)
      : b_(b), config_(config), layer_(config.layer), seq_(seq) {}

  void build() {
    b_.set_tokens_per_sample(seq_);
    const TensorId memory = encoder();
    TensorId x = decoder(memory);
    if (config_.relative_buckets > 0 && layer_.tied_head) {
      x = b_.add_op("head.scale", Scale{}, {x});  // T5 divides by sqrt(width) before a tied head
    }
    x = b_.linear("head", x, layer_.vocabulary, false);
    if (layer_.tied_head) b_.share_weight_with("encoder.embedding");
    b_.cross_entropy("loss", x, b_.integer_input("targets", {b_.batch(), seq_}));
  }

 private:
  bool pre() const { return layer_.placement == NormPlacement::kPre; }

  TensorId norm(const std::string& name, TensorId x) {
    return layer_.norm == Normalization::kRms ? b_.rms_norm(name, x) : b_.layer_norm(name, x);
  }

  TensorId embedded(const std::string& side) {
    const TensorId tokens = b_.integer_input(side + "tokens", {b_.batch(), seq_});
    TensorId x = b_.embedding(side + "embedding", tokens, layer_.vocabulary, layer_.width);
    if (side != "encoder.") b_.share_weight_with("encoder.embedding");
    if (config_.relative_buckets == 0) {  // fixed sine waves
      x = b_.add(side + "add_positions", x, b_.input(side + "positions", {seq_, layer_.width}));
    }
    return dropped(side + "embedding_dropout", x);
  }

  TensorId dropped(const std::string& name, TensorId x) {
    return layer_.dropout > 0 ? b_.dropout(name, x, layer_.dropout) : x;
  }

  // 1 x heads x seq x seq, from a table by distance.
  std::optional<TensorId> score_bias(const std::string& side) {
    if (config_.relative_buckets == 0) return std::nullopt;
    const TensorId distance = b_.integer_input(side + "distances", {seq_, seq_});
    TensorId bias =
        b_.embedding(side + "relative_bias", distance, config_.relative_buckets, layer_.heads);
    bias = b_.permute(side + "relative_bias.heads", bias, {2, 0, 1});
    return b_.reshape(side + "relative_bias.batched", bias, {1, layer_.heads, seq_, seq_});
  }

  TensorId attend(const std::string& name, TensorId x, TensorId memory, bool causal,
                  std::optional<TensorId> bias) {
    const TensorId y = multi_head_attention(b_, name, x, memory,
                                            {.heads = layer_.heads,
                                             .kv_heads = layer_.heads,
                                             .head_dim = layer_.head_dim,
                                             .bias = layer_.attention_bias,
                                             .output_bias = layer_.attention_output_bias,
                                             .causal = causal,
                                             .scaled = config_.relative_buckets == 0,
                                             .dropout = layer_.attention_dropout,
                                             .score_bias = bias});
    return dropped(name + "out_dropout", y);
  }

  TensorId feed_forward(const std::string& name, TensorId x) {
    TensorId y = b_.activate(name + "activation",
                             b_.linear(name + "up", x, layer_.ffn_width, layer_.ffn_bias),
                             layer_.activation);
    if (layer_.gated_ffn) {
      y = b_.multiply(name + "gated", y,
                      b_.linear(name + "gate", x, layer_.ffn_width, layer_.ffn_bias));
    }
    y = dropped(name + "dropout", y);
    return dropped(name + "out_dropout",
                   b_.linear(name + "down", y, layer_.width, layer_.ffn_bias));
  }

  // One sub-layer: normalised before or after, and added to what came in.
  template <typename Sublayer>
  TensorId residual(const std::string& name, TensorId x, Sublayer sublayer) {
    if (pre()) return b_.add(name + "add", x, sublayer(norm(name + "norm", x)));
    return norm(name + "norm", b_.add(name + "add", x, sublayer(x)));
  }

  TensorId finished(const std::string& side, TensorId x) {
    return pre() ? dropped(side + "final_dropout", norm(side + "final_norm", x)) : x;
  }

  TensorId encoder() {
    TensorId x = embedded("encoder.");
    const auto bias = score_bias("encoder.");
    for (std::int64_t i = 0; i < layer_.layers; ++i) {
      const std::string name = "encoder." + std::to_string(i) + ".";
      x = residual(name + "attention.", x,
                   [&](TensorId y) { return attend(name + "attention.", y, y, false, bias); });
      x = residual(name + "ffn.", x, [&](TensorId y) { return feed_forward(name + "ffn.", y); });
    }
    return finished("encoder.", x);
  }

  TensorId decoder(TensorId memory) {
    TensorId x = embedded("decoder.");
    const auto bias = score_bias("decoder.");
    for (std::int64_t i = 0; i < config_.decoder_layers; ++i) {
      const std::string name = "decoder." + std::to_string(i) + ".";
      x = residual(name + "attention.", x,
                   [&](TensorId y) { return attend(name + "attention.", y, y, true, bias); });
      x = residual(name + "cross.", x, [&](TensorId y) {
        return attend(name + "cross.", y, memory, false, std::nullopt);
      });
      x = residual(name + "ffn.", x, [&](TensorId y) { return feed_forward(name + "ffn.", y); });
    }
    return finished("decoder.", x);
  }

  WorkloadBuilder& b_;
  const EncoderDecoderConfig& config_;
  const TransformerConfig& layer_;
  std::int64_t seq_;
};

}  // namespace

void build_encoder_decoder(WorkloadBuilder& b, const EncoderDecoderConfig& config,
                           std::int64_t seq) {
  EncoderDecoder(b, config, seq).build();
}

}  // namespace paceline

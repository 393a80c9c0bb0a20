#include "model/graph/blocks/attention.h"

namespace paceline {
namespace {

class AttentionBlock {
 public:
  AttentionBlock(WorkloadBuilder& b, const std::string& name, const AttentionOptions& options)
      : b_(b), name_(name), options_(options) {}

  TensorId build(TensorId x, TensorId memory) {
    const std::int64_t batch = b_.dim(x, 0), seq = b_.dim(x, 1), width = b_.dim(x, 2);
    TensorId q{}, k{}, v{};
    if (options_.packed_qkv) {
      split_packed(x, q, k, v);
    } else {
      q = heads("q", b_.linear(name_ + "q", x, width_of(options_.heads), options_.bias),
                options_.heads);
      k = heads("k", b_.linear(name_ + "k", memory, width_of(options_.kv_heads), options_.bias),
                options_.kv_heads);
      v = heads("v", b_.linear(name_ + "v", memory, width_of(options_.kv_heads), options_.bias),
                options_.kv_heads);
    }
    if (options_.rotary) {
      q = b_.add_op(name_ + "q_rotary", Rotary{}, {q});
      k = b_.add_op(name_ + "k_rotary", Rotary{}, {k});
    }
    const TensorId weights = attention_weights(q, repeated("k", k));
    TensorId y = b_.matmul(name_ + "values", weights, repeated("v", v));
    y = b_.permute(name_ + "merge", y, {0, 2, 1, 3});
    y = b_.reshape(name_ + "merged", y, {batch, seq, width_of(options_.heads)});
    return b_.linear(name_ + "out", y, width, options_.output_bias);
  }

 private:
  std::int64_t width_of(std::int64_t heads) const { return heads * options_.head_dim; }

  TensorId heads(const std::string& which, TensorId x, std::int64_t count) {
    x = b_.reshape(name_ + which + "_heads", x,
                   {b_.dim(x, 0), b_.dim(x, 1), count, options_.head_dim});
    return b_.permute(name_ + which + "_permuted", x, {0, 2, 1, 3});
  }

  // Queries, keys and values are slices of one projection.
  void split_packed(TensorId x, TensorId& q, TensorId& k, TensorId& v) {
    const std::int64_t q_width = width_of(options_.heads), kv_width = width_of(options_.kv_heads);
    const TensorId packed = b_.linear(name_ + "qkv", x, q_width + 2 * kv_width, options_.bias);
    q = heads("q", b_.slice(name_ + "q", packed, -1, 0, q_width), options_.heads);
    k = heads("k", b_.slice(name_ + "k", packed, -1, q_width, kv_width), options_.kv_heads);
    v = heads("v", b_.slice(name_ + "v", packed, -1, q_width + kv_width, kv_width),
              options_.kv_heads);
  }

  // Each key and value head serves several query heads.
  TensorId repeated(const std::string& which, TensorId x) {
    if (options_.kv_heads == options_.heads) return x;
    const std::int64_t batch = b_.dim(x, 0), seq = b_.dim(x, 2), d = options_.head_dim;
    const std::int64_t group = options_.heads / options_.kv_heads;
    x = b_.reshape(name_ + which + "_grouped", x, {batch, options_.kv_heads, 1, seq, d});
    x = b_.add_op(name_ + which + "_repeat",
                  Expand{TensorShape{{batch, options_.kv_heads, group, seq, d}}}, {x});
    return b_.reshape(name_ + which + "_repeated", x, {batch, options_.heads, seq, d});
  }

  TensorId attention_weights(TensorId q, TensorId k) {
    TensorId scores = b_.matmul(name_ + "scores", q, b_.permute(name_ + "k_t", k, {0, 1, 3, 2}));
    if (options_.scaled) scores = b_.add_op(name_ + "scale", Scale{}, {scores});
    if (options_.score_bias) scores = b_.add(name_ + "bias", scores, *options_.score_bias);
    if (options_.causal) scores = b_.add_op(name_ + "mask", CausalMask{}, {scores});
    TensorId weights = b_.softmax(name_ + "softmax", scores);
    if (options_.dropout > 0) weights = b_.dropout(name_ + "dropout", weights, options_.dropout);
    return weights;
  }

  WorkloadBuilder& b_;
  std::string name_;
  const AttentionOptions& options_;
};

}  // namespace

TensorId multi_head_attention(WorkloadBuilder& b, const std::string& name, TensorId x,
                              TensorId memory, const AttentionOptions& options) {
  return AttentionBlock(b, name, options).build(x, memory);
}

}  // namespace paceline

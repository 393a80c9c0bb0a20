// A small encoder-only language model that a CPU trains in seconds; see the recorder's definition
// in validation/recorders/networks.py.
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kWidth = 256;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kVocabulary = 1000;

TensorId attention(WorkloadBuilder& b, const std::string& name, TensorId x) {
  const std::int64_t batch = b.dim(x, 0), seq = b.dim(x, 1);
  const TensorId qkv = b.permute(name + "split",
                                 b.reshape(name + "heads", b.linear(name + "qkv", x, 3 * kWidth),
                                           {batch, seq, 3, kHeads, kWidth / kHeads}),
                                 {2, 0, 3, 1, 4});
  const TensorId q = b.select(name + "q", qkv, 0, 0);
  const TensorId k = b.select(name + "k", qkv, 0, 1);
  const TensorId v = b.select(name + "v", qkv, 0, 2);
  const TensorId scaled = b.add_op(name + "scale", Scale{}, {q});
  const TensorId k_transposed = b.permute(name + "k_transposed", k, {0, 1, 3, 2});
  const TensorId weights =
      b.softmax(name + "softmax", b.matmul(name + "scores", scaled, k_transposed));
  const TensorId y = b.permute(name + "merge", b.matmul(name + "values", weights, v), {0, 2, 1, 3});
  return b.linear(name + "out", b.reshape(name + "merged", y, {batch, seq, kWidth}), kWidth);
}

TensorId encoder_layer(WorkloadBuilder& b, const std::string& name, TensorId x) {
  x = b.add(name + "add1", x, attention(b, name, x));
  x = b.layer_norm(name + "norm1", x);
  const TensorId y = b.relu(name + "relu", b.linear(name + "ffn1", x, 4 * kWidth), false);
  x = b.add(name + "add2", x, b.linear(name + "ffn2", y, kWidth));
  return b.layer_norm(name + "norm2", x);
}

void transformer_tiny(WorkloadBuilder& b, const WorkloadConfig& config) {
  b.set_tokens_per_sample(config.seq);
  const TensorId tokens = b.integer_input("tokens", {b.batch(), config.seq});
  TensorId x = b.embedding("embedding", tokens, kVocabulary, kWidth);
  x = b.add("add_positions", x, b.parameter("positions", {config.seq, kWidth}));
  for (int i = 0; i < 4; ++i) x = encoder_layer(b, "layers." + std::to_string(i) + ".", x);
  x = b.linear("decoder", b.flatten("flatten", x, 0, 1), kVocabulary);
  b.cross_entropy("loss", x, b.integer_input("targets", {b.batch() * config.seq}));
}

}  // namespace

void register_transformer_tiny(WorkloadRegistry& registry) {
  registry.add("transformer-tiny", "encoder-only language model, d 256, 4 layers", [] {
    return std::make_unique<const Workload>(Workload{.source = "validation/recorders/networks.py",
                                                     .input = "token ids",
                                                     .default_seq = 128,
                                                     .build = transformer_tiny});
  });
}

}  // namespace paceline

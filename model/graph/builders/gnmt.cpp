// GNMT v2 (Wu et al., arXiv 1609.08144), as MLPerf and NVIDIA's examples train it: attention is
// queried by the first decoder layer only, so no layer has to be unrolled step by step.
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kHidden = 1024;
constexpr std::int64_t kVocabulary = 32320;

class Gnmt {
 public:
  Gnmt(WorkloadBuilder& b, std::int64_t seq) : b_(b), seq_(seq) {}

  void build() {
    b_.set_tokens_per_sample(seq_);
    const TensorId memory = encoder();
    TensorId x = decoder(memory);
    x = b_.linear("classifier", x, kVocabulary);
    b_.cross_entropy("loss", x, b_.integer_input("targets", {seq_, b_.batch()}));
  }

 private:
  TensorId lstm(const std::string& name, TensorId x, bool bidirectional = false) {
    return b_.rnn(name, x, {.hidden = kHidden, .bidirectional = bidirectional});
  }
  TensorId dropped(const std::string& name, TensorId x) {
    return b_.dropout(name + ".dropout", x, 0.2);
  }

  // One bidirectional and three more layers; the last two add their input.
  TensorId encoder() {
    const TensorId tokens = b_.integer_input("source", {seq_, b_.batch()});
    TensorId x = dropped("encoder.embedded",
                         b_.embedding("encoder.embedding", tokens, kVocabulary, kHidden));
    x = lstm("encoder.lstm0", x, true);
    x = lstm("encoder.lstm1", dropped("encoder.lstm0", x));
    for (const char* number : {"2", "3"}) {
      const std::string name = std::string("encoder.lstm") + number;
      x = b_.add(name + ".add", lstm(name, dropped(name, x)), x);
    }
    return x;
  }

  // Scores v . tanh(W q + U k + b), normalised; batch x target x source.
  TensorId attention(TensorId queries, TensorId memory) {
    const std::int64_t batch = b_.batch();
    const TensorId q =
        b_.linear("attention.query", b_.permute("attention.q", queries, {1, 0, 2}), kHidden, false);
    const TensorId values = b_.permute("attention.values", memory, {1, 0, 2});
    const TensorId keys = b_.linear("attention.key", values, kHidden, false);
    const TensorShape all{{batch, seq_, seq_, kHidden}};
    const TensorId q_all =
        b_.add_op("attention.q_all", Expand{all},
                  {b_.reshape("attention.q_column", q, {batch, seq_, 1, kHidden})});
    TensorId scores = b_.add("attention.sum", q_all,
                             b_.reshape("attention.k_row", keys, {batch, 1, seq_, kHidden}));
    scores = b_.add("attention.add_bias", scores, b_.parameter("attention.bias", {kHidden}));
    scores = b_.activate("attention.tanh", scores, Activation::kTanh);
    scores = b_.linear("attention.v", scores, 1, false);
    scores = b_.reshape("attention.scores", scores, {batch, seq_, seq_});
    scores = b_.multiply("attention.normalised", scores, b_.parameter("attention.g", {1}));
    return b_.matmul("attention.context", b_.softmax("attention.softmax", scores), values);
  }

  TensorId decoder(TensorId memory) {
    const TensorId tokens = b_.integer_input("target", {seq_, b_.batch()});
    TensorId x = b_.embedding("decoder.embedding", tokens, kVocabulary, kHidden);
    b_.share_weight_with("encoder.embedding");
    x = lstm("decoder.lstm0", dropped("decoder.embedded", x));
    const TensorId context = b_.permute("attention.steps", attention(x, memory), {1, 0, 2});
    x = b_.concat("decoder.lstm1.input", {dropped("decoder.lstm0", x), context}, 2);
    x = lstm("decoder.lstm1", x);
    for (const char* number : {"2", "3"}) {
      const std::string name = std::string("decoder.lstm") + number;
      const TensorId joined = b_.concat(name + ".input", {dropped(name, x), context}, 2);
      x = b_.add(name + ".add", lstm(name, joined), x);
    }
    return x;
  }

  WorkloadBuilder& b_;
  std::int64_t seq_;
};

}  // namespace

void register_gnmt(WorkloadRegistry& registry) {
  registry.add("gnmt", "GNMT v2, 4+4 LSTM layers of 1024", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Wu et al., arXiv 1609.08144, as NVIDIA's DeepLearningExamples GNMT v2",
                 .input = "source and target token ids",
                 .default_seq = 50,
                 .build = [](WorkloadBuilder& b, const WorkloadConfig& config) {
                   Gnmt(b, config.seq).build();
                 }});
  });
}

}  // namespace paceline

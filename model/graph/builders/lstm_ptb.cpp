// The word language model of Shi et al. 2016 on the Penn Treebank.
#include "model/graph/workload.h"

namespace paceline {
namespace {

// Embedding 10000x256, two LSTM layers of 256, a Linear to the vocabulary at every step. Tokens are
// steps x batch; the state is zero at the start of each iteration.
void lstm_ptb(WorkloadBuilder& b, const WorkloadConfig& config) {
  constexpr std::int64_t kVocabulary = 10000;
  constexpr std::int64_t kHidden = 256;
  b.set_tokens_per_sample(config.seq);
  const TensorId tokens = b.integer_input("tokens", {config.seq, b.batch()});
  TensorId x = b.embedding("embedding", tokens, kVocabulary, kHidden);
  x = b.rnn("lstm", x,
            {.cell = RnnCell::kLstm,
             .hidden = kHidden,
             .layers = 2,
             .bias_sets = config.variant == "one-bias" ? 1 : 2});
  x = b.linear("decoder", b.flatten("flatten", x, 0, 1), kVocabulary);
  b.cross_entropy("loss", x, b.integer_input("targets", {config.seq * b.batch()}));
}

}  // namespace

void register_lstm_ptb(WorkloadRegistry& registry) {
  registry.add("lstm-ptb", "2-layer LSTM word language model, Penn Treebank", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "hclhkbu/dlbench@978b034 (Shi et al. 2016)",
                 .input = "token ids",
                 .variants = {{"two-biases", "two bias vectors per gate, as cuDNN and PyTorch"},
                              {"one-bias", "one, as in the published count"}},
                 .default_seq = 32,
                 .build = lstm_ptb});
  });
}

}  // namespace paceline

// Recurrent translation with input feeding: the decoder's next step needs the attention of the last
// one, so every framework unrolls it. TensorFlow's nmt and Sockeye, as TBD configured them.
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr std::int64_t kHidden = 512;
constexpr std::int64_t kSourceVocabulary = 17191;  // IWSLT'15 English to Vietnamese
constexpr std::int64_t kTargetVocabulary = 7709;

struct Style {
  bool bidirectional_first;   // the first encoder layer, half as wide in each direction
  bool initial_state_layers;  // Linear and tanh make the decoder's first state
  bool output_biases;         // of the attention's output layer and of the logits
  int bias_sets;              // per LSTM
};

class Translation {
 public:
  Translation(WorkloadBuilder& b, const Style& style, std::int64_t seq)
      : b_(b), style_(style), seq_(seq) {}

  void build() {
    b_.set_tokens_per_sample(seq_);
    encoder();
    const TensorId tokens = b_.integer_input("target", {seq_, b_.batch()});
    const TensorId words = b_.embedding("decoder.embedding", tokens, kTargetVocabulary, kHidden);
    std::vector<TensorId> outputs;
    for (std::int64_t step = 0; step < seq_; ++step) outputs.push_back(decoder_step(words, step));
    const TensorId all = b_.concat("decoder.outputs", outputs, 0);
    const TensorId logits = b_.linear("output", all, kTargetVocabulary, style_.output_biases);
    b_.cross_entropy("loss", logits, b_.integer_input("targets", {seq_ * b_.batch()}));
  }

 private:
  void encoder() {
    const TensorId tokens = b_.integer_input("source", {seq_, b_.batch()});
    TensorId x = b_.embedding("encoder.embedding", tokens, kSourceVocabulary, kHidden);
    x = b_.rnn("encoder.lstm0", x,
               {.hidden = style_.bidirectional_first ? kHidden / 2 : kHidden,
                .bidirectional = style_.bidirectional_first,
                .bias_sets = style_.bias_sets});
    x = b_.rnn("encoder.lstm1", x, {.hidden = kHidden, .bias_sets = style_.bias_sets});
    memory_ = b_.permute("memory", x, {1, 0, 2});
    keys_ = b_.linear("attention.memory", memory_, kHidden, false);
    const TensorId last = b_.slice("encoder.last", x, 0, seq_ - 1, 1);
    if (!style_.initial_state_layers) {
      states_ = {last, last};
      return;
    }
    // Hidden and cell state of both layers, each from its own Linear.
    for (const std::string name : {"decoder.init0", "decoder.init1"}) {
      const TensorId hidden =
          b_.activate(name + ".tanh", b_.linear(name + ".h", last, kHidden), Activation::kTanh);
      const TensorId cell = b_.activate(name + ".cell_tanh", b_.linear(name + ".c", last, kHidden),
                                        Activation::kTanh);
      states_.push_back(b_.add(name, hidden, cell));
    }
  }

  // The operation added last uses the parameters of the same one of the first step.
  void reuse(const std::string& name, std::int64_t step) {
    if (step > 0) b_.share_parameters_with(name + ".0");
  }
  std::string at(const std::string& name, std::int64_t step) const {
    return name + "." + std::to_string(step);
  }

  TensorId decoder_step(TensorId words, std::int64_t step) {
    const std::int64_t batch = b_.batch();
    const TensorId word = b_.slice(at("decoder.word", step), words, 0, step, 1);
    const TensorId fed = step > 0 ? attention_ : b_.input("decoder.start", {1, batch, kHidden});
    TensorId x = b_.concat(at("decoder.input", step), {word, fed}, 2);
    for (std::size_t layer = 0; layer < states_.size(); ++layer) {
      const std::string name = "decoder.lstm" + std::to_string(layer);
      x = b_.add_op(at(name, step),
                    Rnn{.input = b_.dim(x, -1), .hidden = kHidden, .bias_sets = style_.bias_sets},
                    {x, states_[layer]});
      reuse(name, step);
      states_[layer] = x;
    }
    const TensorId hidden = b_.reshape(at("decoder.hidden", step), x, {batch, kHidden});
    const TensorId joined =
        b_.concat(at("attention.joined", step), {hidden, context(hidden, step)});
    TensorId y = b_.linear(at("attention.layer", step), joined, kHidden, style_.output_biases);
    reuse("attention.layer", step);
    y = b_.activate(at("attention.layer_tanh", step), y, Activation::kTanh);
    attention_ = b_.reshape(at("attention.output", step), y, {1, batch, kHidden});
    return y;
  }

  // Additive attention over all source positions: v . tanh(W h + keys).
  TensorId context(TensorId hidden, std::int64_t step) {
    const std::int64_t batch = b_.batch();
    TensorId query = b_.linear(at("attention.query", step), hidden, kHidden, false);
    reuse("attention.query", step);
    query = b_.reshape(at("attention.query_row", step), query, {batch, 1, kHidden});
    TensorId scores =
        b_.activate(at("attention.tanh", step), b_.add(at("attention.sum", step), keys_, query),
                    Activation::kTanh);
    scores = b_.linear(at("attention.v", step), scores, 1, false);
    reuse("attention.v", step);
    const TensorId weights =
        b_.softmax(at("attention.softmax", step),
                   b_.reshape(at("attention.scores", step), scores, {batch, 1, seq_}));
    return b_.reshape(at("attention.context_row", step),
                      b_.matmul(at("attention.context", step), weights, memory_), {batch, kHidden});
  }

  WorkloadBuilder& b_;
  const Style& style_;
  std::int64_t seq_;
  TensorId memory_{}, keys_{}, attention_{};
  std::vector<TensorId> states_;
};

void add(WorkloadRegistry& registry, const std::string& name, const std::string& summary,
         const std::string& source, Style style, std::vector<std::int64_t> buckets) {
  registry.add(name, summary, [=] {
    return std::make_unique<const Workload>(
        Workload{.source = source,
                 .input = "source and target token ids",
                 .default_seq = 30,
                 .buckets = buckets,
                 .build = [style](WorkloadBuilder& b, const WorkloadConfig& config) {
                   Translation(b, style, config.seq).build();
                 }});
  });
}

}  // namespace

void register_recurrent_translation(WorkloadRegistry& registry) {
  const std::vector<std::int64_t> tens = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  add(registry, "seq2seq-nmt", "2+2 LSTM layers of 512 with Bahdanau attention, TensorFlow nmt",
      "tbd-ai/tbd-suite@ad48842, TensorFlow nmt 1.2 (Zhu et al. 2018)", {false, false, false, 1},
      tens);
  add(registry, "sockeye-nmt", "2+2 LSTM layers of 512 with MLP attention, Sockeye",
      "tbd-ai/tbd-suite@ad48842, Sockeye 1.5 (Zhu et al. 2018)", {true, true, true, 2}, tens);
}

}  // namespace paceline

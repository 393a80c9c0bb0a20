// Recurrent translation with input feeding: the decoder's next step needs the attention of the last
// one, so every framework unrolls it. TensorFlow's nmt and Sockeye, as TBD configured them.
#include "model/graph/workload.h"

namespace paceline {
namespace {

struct Style {
  bool bidirectional_first;   // the first encoder layer, half as wide in each direction
  bool initial_state_layers;  // Linear and tanh make the decoder's first state
  bool output_biases;         // of the attention's output layer and of the logits
  int bias_sets;              // per LSTM
  int layers;                 // of the encoder, and as many of the decoder
  std::int64_t embedding;
  std::int64_t hidden;  // of LSTMs and attention
  std::int64_t source_vocabulary;
  std::int64_t target_vocabulary;
};

// IWSLT'15 English to Vietnamese: 17191 and 7709 words with those for unknown, begin and end.
constexpr Style kTensorFlow{.bidirectional_first = false,
                            .initial_state_layers = false,
                            .output_biases = false,
                            .bias_sets = 1,
                            .layers = 2,
                            .embedding = 512,
                            .hidden = 512,
                            .source_vocabulary = 17191,
                            .target_vocabulary = 7709};
// Sockeye adds a word for padding: with it the parameters are those of the measured profile of 37
// tensors, 27,734,558.
constexpr Style kSockeye{.bidirectional_first = true,
                         .initial_state_layers = true,
                         .output_biases = true,
                         .bias_sets = 2,
                         .layers = 2,
                         .embedding = 512,
                         .hidden = 512,
                         .source_vocabulary = 17192,
                         .target_vocabulary = 7710};
constexpr Style groundhog() {
  Style style = kSockeye;
  style.layers = 1;
  style.embedding = 620;
  style.hidden = 1000;
  return style;
}

class Translation {
 public:
  Translation(WorkloadBuilder& b, const Style& style, std::int64_t seq)
      : b_(b), style_(style), seq_(seq) {}

  void build() {
    b_.set_tokens_per_sample(seq_);
    encoder();
    const TensorId tokens = b_.integer_input("target", {seq_, b_.batch()});
    const TensorId words =
        b_.embedding("decoder.embedding", tokens, style_.target_vocabulary, style_.embedding);
    std::vector<TensorId> outputs;
    for (std::int64_t step = 0; step < seq_; ++step) outputs.push_back(decoder_step(words, step));
    const TensorId all = b_.concat("decoder.outputs", outputs, 0);
    const TensorId logits =
        b_.linear("output", all, style_.target_vocabulary, style_.output_biases);
    b_.cross_entropy("loss", logits, b_.integer_input("targets", {seq_ * b_.batch()}));
  }

 private:
  void encoder() {
    const TensorId tokens = b_.integer_input("source", {seq_, b_.batch()});
    TensorId x =
        b_.embedding("encoder.embedding", tokens, style_.source_vocabulary, style_.embedding);
    for (int layer = 0; layer < style_.layers; ++layer) {
      const bool both_ways = layer == 0 && style_.bidirectional_first;
      x = b_.rnn("encoder.lstm" + std::to_string(layer), x,
                 {.hidden = both_ways ? style_.hidden / 2 : style_.hidden,
                  .bidirectional = both_ways,
                  .bias_sets = style_.bias_sets});
    }
    memory_ = b_.permute("memory", x, {1, 0, 2});
    keys_ = b_.linear("attention.memory", memory_, style_.hidden, false);
    const TensorId last = b_.slice("encoder.last", x, 0, seq_ - 1, 1);
    for (int layer = 0; layer < style_.layers; ++layer) {
      states_.push_back(style_.initial_state_layers
                            ? initial_state("decoder.init" + std::to_string(layer), last)
                            : last);
    }
  }

  // Hidden and cell state, each from its own Linear.
  TensorId initial_state(const std::string& name, TensorId last) {
    const auto through = [&](const char* linear, const char* tanh) {
      return b_.activate(name + tanh, b_.linear(name + linear, last, style_.hidden),
                         Activation::kTanh);
    };
    const TensorId hidden = through(".h", ".tanh");
    return b_.add(name, hidden, through(".c", ".cell_tanh"));
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
    const TensorId fed =
        step > 0 ? attention_ : b_.input("decoder.start", {1, batch, style_.hidden});
    TensorId x = b_.concat(at("decoder.input", step), {word, fed}, 2);
    for (std::size_t layer = 0; layer < states_.size(); ++layer) {
      const std::string name = "decoder.lstm" + std::to_string(layer);
      x = b_.add_op(
          at(name, step),
          Rnn{.input = b_.dim(x, -1), .hidden = style_.hidden, .bias_sets = style_.bias_sets},
          {x, states_[layer]});
      reuse(name, step);
      states_[layer] = x;
    }
    const TensorId hidden = b_.reshape(at("decoder.hidden", step), x, {batch, style_.hidden});
    const TensorId joined =
        b_.concat(at("attention.joined", step), {hidden, context(hidden, step)});
    TensorId y =
        b_.linear(at("attention.layer", step), joined, style_.hidden, style_.output_biases);
    reuse("attention.layer", step);
    y = b_.activate(at("attention.layer_tanh", step), y, Activation::kTanh);
    attention_ = b_.reshape(at("attention.output", step), y, {1, batch, style_.hidden});
    return y;
  }

  // Additive attention over all source positions: v . tanh(W h + keys).
  TensorId context(TensorId hidden, std::int64_t step) {
    const std::int64_t batch = b_.batch();
    TensorId query = b_.linear(at("attention.query", step), hidden, style_.hidden, false);
    reuse("attention.query", step);
    query = b_.reshape(at("attention.query_row", step), query, {batch, 1, style_.hidden});
    TensorId scores =
        b_.activate(at("attention.tanh", step), b_.add(at("attention.sum", step), keys_, query),
                    Activation::kTanh);
    scores = b_.linear(at("attention.v", step), scores, 1, false);
    reuse("attention.v", step);
    const TensorId weights =
        b_.softmax(at("attention.softmax", step),
                   b_.reshape(at("attention.scores", step), scores, {batch, 1, seq_}));
    return b_.reshape(at("attention.context_row", step),
                      b_.matmul(at("attention.context", step), weights, memory_),
                      {batch, style_.hidden});
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
      "tbd-ai/tbd-suite@ad48842, TensorFlow nmt 1.2 (Zhu et al. 2018)", kTensorFlow, tens);
  add(registry, "sockeye-nmt", "2+2 LSTM layers of 512 with MLP attention, Sockeye",
      "tbd-ai/tbd-suite@ad48842, Sockeye 1.5 (Zhu et al. 2018)", kSockeye, tens);
  add(registry, "sockeye-groundhog", "1+1 LSTM layers of 1000 with MLP attention, Sockeye",
      "widths of Bahdanau et al., arXiv 1409.0473 (GroundHog), in Sockeye", groundhog(), tens);
}

}  // namespace paceline

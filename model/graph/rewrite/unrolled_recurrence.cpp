#include "model/graph/rewrite/unrolled_recurrence.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "model/graph/workload_builder.h"

namespace paceline {
namespace {

// One direction of one layer: writes the operations of each step.
class UnrolledCell {
 public:
  // `owner` is the prefix of the operations whose parameters it uses, or its own.
  UnrolledCell(WorkloadBuilder& b, std::string prefix, std::string owner, const Rnn& rnn,
               const Op& op, CellStyle style)
      : b_(b),
        prefix_(std::move(prefix)),
        owner_(std::move(owner)),
        rnn_(rnn),
        op_(op),
        style_(style) {}

  // Batch x input per step, in the order in which this direction visits them; `initial` is batch x
  // hidden and stands for the cell of an LSTM as well.
  std::vector<TensorId> run(const std::vector<TensorId>& inputs, std::optional<TensorId> initial) {
    const std::int64_t batch = b_.dim(inputs.front(), 0);
    state_ = initial ? *initial : b_.input(prefix_ + "state", {batch, rnn_.hidden});
    if (rnn_.cell == RnnCell::kLstm) {
      memory_ = initial ? *initial : b_.input(prefix_ + "cell", {batch, rnn_.hidden});
    }
    if (style_ == CellStyle::kHoistedInput) hoist(inputs);
    std::vector<TensorId> outputs;
    for (step_ = 0; step_ < inputs.size(); ++step_) {
      outputs.push_back(state_ = next(inputs[step_]));
    }
    return outputs;
  }

 private:
  std::string at(const std::string& name) const {
    return prefix_ + "step" + std::to_string(step_) + "." + name;
  }
  TensorId product(const std::string& name, TensorId x, std::int64_t gates, bool bias) {
    const TensorId y = b_.linear(at(name), x, gates * rnn_.hidden, bias);
    const std::string first = owner_ + "step0." + name;
    if (at(name) != first) b_.share_parameters_with(first);
    b_.train_as(op_);
    return y;
  }
  TensorId gate(const std::string& name, TensorId gates, std::int64_t index) {
    return b_.slice(at(name), gates, 1, index * rnn_.hidden, rnn_.hidden);
  }
  TensorId sigmoid(const std::string& name, TensorId x) {
    return b_.activate(at(name), x, Activation::kSigmoid);
  }
  TensorId tanh(const std::string& name, TensorId x) {
    return b_.activate(at(name), x, Activation::kTanh);
  }

  void hoist(const std::vector<TensorId>& inputs) {
    const std::int64_t batch = b_.dim(inputs.front(), 0);
    const TensorId all = inputs.size() == 1 ? inputs[0] : b_.concat(prefix_ + "inputs", inputs, 0);
    const TensorId gates = b_.linear(prefix_ + "input_gates", all,
                                     gate_count(rnn_.cell) * rnn_.hidden, rnn_.bias_sets > 0);
    if (owner_ != prefix_) b_.share_parameters_with(owner_ + "input_gates");
    b_.train_as(op_);
    for (std::size_t step = 0; step < inputs.size(); ++step) {
      hoisted_.push_back(b_.slice(prefix_ + "input_gates.step" + std::to_string(step), gates, 0,
                                  static_cast<std::int64_t>(step) * batch, batch));
    }
  }
  TensorId input_gates(TensorId x) {
    if (style_ == CellStyle::kHoistedInput) return hoisted_[step_];
    return product("input_gates", x, gate_count(rnn_.cell), rnn_.bias_sets > 0);
  }
  TensorId state_gates() {
    return product("state_gates", state_, gate_count(rnn_.cell), rnn_.bias_sets > 1);
  }
  // The sum of both products, before the gates' activations.
  TensorId all_gates(TensorId x) {
    if (style_ == CellStyle::kConcatenatedInput) {
      const TensorId joined = b_.concat(at("joined"), {x, state_}, 1);
      return product("gates", joined, gate_count(rnn_.cell), rnn_.bias_sets > 0);
    }
    const TensorId of_input = input_gates(x);
    return b_.add(at("gates_sum"), of_input, state_gates());
  }

  TensorId next(TensorId x) {
    switch (rnn_.cell) {
      case RnnCell::kLstm:
        return lstm(x);
      case RnnCell::kGru:
        return style_ == CellStyle::kConcatenatedInput ? concatenated_gru(x) : gru(x);
      case RnnCell::kRnn:
        break;
    }
    return tanh("output", all_gates(x));
  }

  TensorId lstm(TensorId x) {
    const TensorId gates = all_gates(x);
    const TensorId in = sigmoid("in", gate("in_gate", gates, 0));
    TensorId forget = gate("forget_gate", gates, 1);
    // TensorFlow adds a forget bias of 1 as an operation of its own.
    if (style_ == CellStyle::kConcatenatedInput) {
      forget = b_.add_op(at("forget_bias"), Scale{}, {forget});
    }
    forget = sigmoid("forget", forget);
    const TensorId candidate = tanh("candidate", gate("candidate_gate", gates, 2));
    const TensorId out = sigmoid("out", gate("out_gate", gates, 3));
    memory_ = b_.add(at("cell"), b_.multiply(at("kept"), forget, memory_),
                     b_.multiply(at("added"), in, candidate));
    return b_.multiply(at("output"), out, tanh("cell_tanh", memory_));
  }

  // h' = (1 - z) h + z n, written as h + z (n - h).
  TensorId mixed(TensorId update, TensorId candidate) {
    const TensorId difference = b_.add(at("difference"), candidate, state_);
    return b_.add(at("output"), state_, b_.multiply(at("moved"), update, difference));
  }
  TensorId gru(TensorId x) {
    const TensorId of_input = input_gates(x);
    const TensorId of_state = state_gates();
    const auto both = [&](const std::string& name, std::int64_t index) {
      return b_.add(at(name + "_sum"), gate(name + "_input", of_input, index),
                    gate(name + "_state", of_state, index));
    };
    const TensorId reset = sigmoid("reset", both("reset", 0));
    const TensorId update = sigmoid("update", both("update", 1));
    const TensorId remembered =
        b_.multiply(at("remembered"), reset, gate("candidate_state", of_state, 2));
    const TensorId candidate = tanh(
        "candidate", b_.add(at("candidate_sum"), gate("candidate_input", of_input, 2), remembered));
    return mixed(update, candidate);
  }
  TensorId concatenated_gru(TensorId x) {
    const TensorId gates =
        product("gates", b_.concat(at("joined"), {x, state_}, 1), 2, rnn_.bias_sets > 0);
    const TensorId reset = sigmoid("reset", gate("reset_gate", gates, 0));
    const TensorId update = sigmoid("update", gate("update_gate", gates, 1));
    const TensorId remembered = b_.multiply(at("remembered"), reset, state_);
    const TensorId candidate =
        tanh("candidate", product("candidate_gate", b_.concat(at("rejoined"), {x, remembered}, 1),
                                  1, rnn_.bias_sets > 0));
    return mixed(update, candidate);
  }

  WorkloadBuilder& b_;
  std::string prefix_, owner_;
  const Rnn& rnn_;
  const Op& op_;
  CellStyle style_;
  std::size_t step_ = 0;
  TensorId state_{}, memory_{};
  std::vector<TensorId> hoisted_;
};

// Writes the graph down again with every Rnn unrolled.
class Unroller {
 public:
  Unroller(const WorkloadGraph& graph, CellStyle style)
      : graph_(graph), style_(style), b_(graph.name(), graph.batch()) {}

  WorkloadGraph run() {
    if (graph_.tokens_per_sample()) b_.set_tokens_per_sample(*graph_.tokens_per_sample());
    for (const TensorId id : graph_.inputs()) {
      const Tensor& tensor = graph_.tensor(id);
      map_[id] = tensor.integer ? b_.integer_input(tensor.name, tensor.shape.dims)
                                : b_.input(tensor.name, tensor.shape.dims);
    }
    for (const Op& op : graph_.ops()) {
      const auto* rnn = std::get_if<Rnn>(&op.attributes);
      map_[op.output] = rnn != nullptr ? unrolled(op, *rnn) : copied(op);
    }
    return std::move(b_).build();
  }

 private:
  TensorId copied(const Op& op) {
    std::vector<TensorId> inputs;
    for (const TensorId id : op.inputs) inputs.push_back(map_.at(id));
    const TensorId output = b_.add_op(op.name, op.attributes, std::move(inputs));
    if (op.sharing == Sharing::kWeight) b_.share_weight_with(op.shares_with);
    if (op.sharing == Sharing::kAll) b_.share_parameters_with(op.shares_with);
    b_.train_as(op);
    return output;
  }

  TensorId unrolled(const Op& op, const Rnn& rnn) {
    const TensorId x = map_.at(op.inputs[0]);
    const std::int64_t steps = b_.dim(x, 0);
    std::vector<TensorId> sequence;
    for (std::int64_t step = 0; step < steps; ++step) {
      sequence.push_back(b_.select(op.name + ".input" + std::to_string(step), x, 0, step));
    }
    Rnn layer = rnn;
    for (std::int64_t number = 0; number < rnn.layers; ++number) {
      sequence = one_layer(op, layer, number, sequence);
      layer.input = b_.dim(sequence[0], 1);
    }
    const std::int64_t width = b_.dim(sequence[0], 1);
    const std::int64_t batch = b_.dim(sequence[0], 0);
    const TensorId joined = steps == 1 ? sequence[0] : b_.concat(op.name + ".outputs", sequence, 0);
    return b_.reshape(op.name, joined, {steps, batch, width});
  }

  std::vector<TensorId> one_layer(const Op& op, const Rnn& rnn, std::int64_t number,
                                  const std::vector<TensorId>& sequence) {
    std::vector<TensorId> forward = direction(op, rnn, number, 0, sequence);
    if (!rnn.bidirectional) return forward;
    std::vector<TensorId> reversed(sequence.rbegin(), sequence.rend());
    std::vector<TensorId> backward = direction(op, rnn, number, 1, reversed);
    std::reverse(backward.begin(), backward.end());
    for (std::size_t step = 0; step < forward.size(); ++step) {
      forward[step] =
          b_.concat(op.name + "." + std::to_string(number) + ".both" + std::to_string(step),
                    {forward[step], backward[step]}, 1);
    }
    return forward;
  }

  std::vector<TensorId> direction(const Op& op, const Rnn& rnn, std::int64_t number, int which,
                                  const std::vector<TensorId>& sequence) {
    const std::string suffix =
        "." + std::to_string(number) + (which == 0 ? ".forward." : ".reverse.");
    const std::string owner = op.sharing == Sharing::kAll ? op.shares_with : op.name;
    std::optional<TensorId> initial;
    if (op.inputs.size() > 1) {
      const std::int64_t index = number * (rnn.bidirectional ? 2 : 1) + which;
      TensorId states = map_.at(op.inputs[1]);
      if (b_.dim(states, 0) > 1) {
        states = b_.slice(op.name + suffix + "initial_slice", states, 0, index, 1);
      }
      initial =
          b_.reshape(op.name + suffix + "initial", states, {b_.dim(sequence[0], 0), rnn.hidden});
    }
    return UnrolledCell(b_, op.name + suffix, owner + suffix, rnn, op, style_)
        .run(sequence, initial);
  }

  const WorkloadGraph& graph_;
  CellStyle style_;
  WorkloadBuilder b_;
  std::map<TensorId, TensorId> map_;
};

}  // namespace

WorkloadGraph with_unrolled_recurrence(const WorkloadGraph& graph, CellStyle style) {
  const Precision precision = graph.matrix_precision();
  if (precision != Precision::kFp32 && precision != Precision::kTf32) {
    throw UsageError(graph.name() + ": recurrent layers run step by step in fp32 only");
  }
  return Unroller(graph, style).run();
}

}  // namespace paceline

#include "model/graph/rewrite/precision.h"

#include <map>

#include "model/graph/memory_placement.h"
#include "model/graph/rewrite/graph_rewriter.h"

namespace paceline {
namespace {

enum class Rule { kNarrow, kWide, kFollow };

struct RuleOf {
  Rule operator()(const Linear&) const { return Rule::kNarrow; }
  Rule operator()(const ExpertLinear&) const { return Rule::kNarrow; }
  Rule operator()(const Matmul&) const { return Rule::kNarrow; }
  Rule operator()(const Attention&) const { return Rule::kNarrow; }
  Rule operator()(const Conv2d&) const { return Rule::kNarrow; }
  Rule operator()(const ConvTranspose2d&) const { return Rule::kNarrow; }
  Rule operator()(const Rnn&) const { return Rule::kNarrow; }
  Rule operator()(const Softmax&) const { return Rule::kWide; }
  Rule operator()(const CrossEntropy&) const { return Rule::kWide; }
  Rule operator()(const Loss&) const { return Rule::kWide; }
  // cuDNN's batch normalisation reads 16-bit images with fp32 statistics; the others are widened.
  Rule operator()(const Norm& norm) const {
    return norm.kind == Normalization::kBatch ? Rule::kFollow : Rule::kWide;
  }
  template <typename Other>
  Rule operator()(const Other&) const {
    return Rule::kFollow;
  }
};

class Autocast {
 public:
  Autocast(GraphRewriter& rewriter, Precision narrow) : rewriter_(rewriter), narrow_(narrow) {}

  void run() {
    std::vector<Op> old;
    old.swap(rewriter_.ops());
    for (Op& op : old) {
      const Rule rule = std::visit(RuleOf{}, op.attributes);
      if (rule != Rule::kFollow) {
        const Precision wanted = rule == Rule::kNarrow ? narrow_ : Precision::kFp32;
        for (TensorId& input : op.inputs) input = converted(input, wanted);
        rewriter_.tensor(op.output).precision = wanted;
      } else {
        rewriter_.tensor(op.output).precision = followed(op);
      }
      rewriter_.ops().push_back(std::move(op));
    }
  }

 private:
  // The first input if the memory is shared or there is only one, else the widest of all.
  Precision followed(const Op& op) const {
    const Tensor& output = rewriter_.graph().tensor(op.output);
    if (op.inputs.empty()) return Precision::kFp32;
    Precision widest = Precision::kFp32;
    bool all_narrow = true;
    for (const TensorId id : op.inputs) {
      const Tensor& input = rewriter_.graph().tensor(id);
      if (output.alias_of) return input.precision;
      all_narrow = all_narrow && (input.integer || input.precision == narrow_);
    }
    if (all_narrow && !rewriter_.graph().tensor(op.inputs[0]).integer) widest = narrow_;
    return widest;
  }

  TensorId converted(TensorId id, Precision wanted) {
    const Tensor& tensor = rewriter_.graph().tensor(id);
    if (tensor.integer || tensor.precision == wanted) return id;
    const auto [entry, is_new] = casts_.try_emplace({id, wanted}, id);
    if (is_new) entry->second = add_cast(id, wanted);
    return entry->second;
  }

  TensorId add_cast(TensorId id, Precision wanted) {
    const Tensor& from = rewriter_.graph().tensor(id);
    Tensor output = from;
    output.alias_of.reset();
    output.strides = memory_placement(Cast{wanted}, from, from.shape).strides;
    output.contiguous = is_row_major(output.shape, output.strides);
    output.precision = wanted;
    output.name += "." + std::string(to_string(wanted));
    std::string name = output.name;
    const TensorId cast = rewriter_.add_tensor(std::move(output));
    rewriter_.ops().push_back(
        {.name = std::move(name), .attributes = Cast{wanted}, .inputs = {id}, .output = cast});
    return cast;
  }

  GraphRewriter& rewriter_;
  Precision narrow_;
  std::map<std::pair<TensorId, Precision>, TensorId> casts_;
};

void store_uniformly(GraphRewriter& rewriter, Precision narrow) {
  for (Tensor& tensor : rewriter.tensors()) tensor.precision = narrow;
  for (const Op& op : rewriter.ops()) {
    const bool loss = std::holds_alternative<CrossEntropy>(op.attributes) ||
                      std::holds_alternative<Loss>(op.attributes);
    if (loss) rewriter.tensor(op.output).precision = Precision::kFp32;
  }
}

}  // namespace

WorkloadGraph with_precision(WorkloadGraph graph, Precision precision, MixedPrecision style) {
  GraphRewriter rewriter(std::move(graph));
  rewriter.set_matrix_precision(precision);
  if (precision != Precision::kFp32 && precision != Precision::kTf32) {
    const Precision stored = precision == Precision::kFp8 ? Precision::kBf16 : precision;
    if (style == MixedPrecision::kUniform) {
      store_uniformly(rewriter, stored);
    } else {
      Autocast(rewriter, stored).run();
    }
  }
  return std::move(rewriter).finish();
}

}  // namespace paceline

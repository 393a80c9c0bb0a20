#include "model/graph/workload_builder.h"

#include "core/error.h"
#include "model/graph/memory_placement.h"
#include "model/graph/shape_inference.h"
#include "model/graph/work.h"

namespace paceline {
namespace {

bool keeps_integers(const OpAttributes& attributes) {
  return std::holds_alternative<Reshape>(attributes) ||
         std::holds_alternative<Permute>(attributes) || std::holds_alternative<Slice>(attributes) ||
         std::holds_alternative<Expand>(attributes) || std::holds_alternative<Concat>(attributes) ||
         std::holds_alternative<Gather>(attributes);
}

// Room for most networks: pages that stay untouched cost nothing, moving a graph does.
constexpr std::size_t kUsualMost = 4096;

}  // namespace

WorkloadBuilder::WorkloadBuilder(std::string name, std::int64_t batch)
    : name_slots_(2 * kUsualMost, 0) {
  graph_.ops_.reserve(kUsualMost);
  graph_.tensors_.reserve(kUsualMost);
  graph_.name_ = std::move(name);
  graph_.batch_ = batch;
  if (batch <= 0) {
    throw UsageError(graph_.name_ + ": the batch is " + std::to_string(batch) +
                     "; it must be at least 1");
  }
}

std::int64_t WorkloadBuilder::dim(TensorId id, int axis) const {
  const auto& dims = shape(id).dims;
  const int at = axis < 0 ? axis + static_cast<int>(dims.size()) : axis;
  if (at < 0 || at >= static_cast<int>(dims.size())) {
    throw InputError(where(graph_.tensor(id).name) + ": has no axis " + std::to_string(axis) +
                     "; its shape is " + to_string(shape(id)));
  }
  return dims[static_cast<std::size_t>(at)];
}

void WorkloadBuilder::check_size(const std::string& name, const TensorShape& shape) const {
  // Petabytes: beyond them byte counts and products of extents would leave 64 bits.
  constexpr double kMostElements = 1e15;
  double elements = 1;
  for (const std::int64_t dim : shape.dims) elements *= static_cast<double>(dim);
  if (elements > kMostElements) {
    throw InputError(where(name) + ": a tensor of " + to_string(shape) +
                     " is larger than any memory; is the batch or the sequence too long?");
  }
}

TensorId WorkloadBuilder::new_tensor(Tensor tensor) {
  graph_.tensors_.push_back(std::move(tensor));
  return static_cast<TensorId>(graph_.tensors_.size() - 1);
}

TensorId WorkloadBuilder::new_input(const std::string& name, Dims dims, bool integer) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape.dims = std::move(dims);
  tensor.integer = integer;
  for (const std::int64_t dim : tensor.shape.dims) {
    if (dim <= 0) {
      throw InputError(where(name) + ": a dimension of " + to_string(tensor.shape) +
                       " is not positive");
    }
  }
  check_size(name, tensor.shape);
  tensor.strides = row_major_strides(tensor.shape);
  const TensorId id = new_tensor(std::move(tensor));
  graph_.inputs_.push_back(id);
  return id;
}

TensorId WorkloadBuilder::input(const std::string& name, Dims dims) {
  return new_input(name, std::move(dims), false);
}

TensorId WorkloadBuilder::integer_input(const std::string& name, Dims dims) {
  return new_input(name, std::move(dims), true);
}

TensorId WorkloadBuilder::add_op(std::string name, OpAttributes attributes,
                                 std::vector<TensorId> inputs) {
  const std::size_t slot = name_slot(name);
  if (name_slots_[slot] != 0) throw InputError(where(name) + ": two operations have this name");
  shapes_.clear();
  for (const TensorId id : inputs) shapes_.push_back(&shape(id));

  Tensor output;
  output.name = name;
  output.shape = infer_shape(graph_.name_, name, attributes, shapes_);
  check_size(name, output.shape);
  if (!inputs.empty()) {
    const Tensor& first = graph_.tensor(inputs[0]);
    output.integer = first.integer && keeps_integers(attributes);
    output.precision = first.integer ? Precision::kFp32 : first.precision;
  }
  place_in_memory(output, attributes, inputs);
  if (const auto* cast = std::get_if<Cast>(&attributes)) output.precision = cast->to;
  const TensorId id = new_tensor(std::move(output));
  graph_.ops_.push_back({.name = std::move(name),
                         .attributes = std::move(attributes),
                         .inputs = std::move(inputs),
                         .output = id});
  name_slots_[slot] = static_cast<std::uint32_t>(graph_.ops_.size());
  if (2 * graph_.ops_.size() > name_slots_.size()) spread_names();
  refresh_gradient(graph_.ops_.back());
  return id;
}

std::size_t WorkloadBuilder::name_slot(std::string_view name) const {
  std::size_t slot = std::hash<std::string_view>()(name) % name_slots_.size();
  while (name_slots_[slot] != 0 && graph_.ops_[name_slots_[slot] - 1].name != name) {
    slot = (slot + 1) % name_slots_.size();
  }
  return slot;
}

void WorkloadBuilder::spread_names() {
  name_slots_.assign(4 * name_slots_.size(), 0);
  for (std::size_t i = 0; i < graph_.ops_.size(); ++i) {
    name_slots_[name_slot(graph_.ops_[i].name)] = static_cast<std::uint32_t>(i) + 1;
  }
}

void WorkloadBuilder::place_in_memory(Tensor& output, const OpAttributes& attributes,
                                      const std::vector<TensorId>& inputs) const {
  MemoryPlacement placement =
      inputs.empty() ? MemoryPlacement{.strides = row_major_strides(output.shape)}
                     : memory_placement(attributes, graph_.tensor(inputs[0]), output.shape);
  if (placement.aliases_input) output.alias_of = inputs[0];
  output.strides = std::move(placement.strides);
  output.contiguous = is_row_major(output.shape, output.strides);
}

void WorkloadBuilder::refresh_gradient(const Op& op) {
  Tensor& output = graph_.tensors_[static_cast<std::size_t>(op.output)];
  output.needs_gradient =
      op.trainable && (op.sharing != Sharing::kNone || !parameter_sizes(op).empty());
  for (const TensorId id : op.inputs) {
    output.needs_gradient = output.needs_gradient || graph_.tensor(id).needs_gradient;
  }
  output.needs_gradient = output.needs_gradient && !output.integer;
}

void WorkloadBuilder::share(Sharing sharing, const std::string& earlier) {
  PACELINE_ASSERT(!graph_.ops_.empty(), "there is an operation that shares");
  PACELINE_ASSERT(name_slots_[name_slot(earlier)] != 0,
                  "the owner of shared parameters comes first");
  graph_.ops_.back().sharing = sharing;
  graph_.ops_.back().shares_with = earlier;
}

void WorkloadBuilder::share_weight_with(const std::string& earlier) {
  share(Sharing::kWeight, earlier);
}

void WorkloadBuilder::share_parameters_with(const std::string& earlier) {
  share(Sharing::kAll, earlier);
}

void WorkloadBuilder::freeze() {
  PACELINE_ASSERT(!graph_.ops_.empty(), "there is an operation to freeze");
  graph_.ops_.back().trainable = false;
  refresh_gradient(graph_.ops_.back());
}

void WorkloadBuilder::rest() {
  freeze();
  graph_.ops_.back().rests = true;
}

void WorkloadBuilder::train_as(const Op& other) {
  if (other.trainable) return;
  other.rests ? rest() : freeze();
}

WorkloadGraph WorkloadBuilder::build() && {
  if (graph_.ops_.empty()) throw InputError(graph_.name_ + ": the network has no operations");
  return std::move(graph_);
}

}  // namespace paceline

#include "simulator/frameworks/pytorch/cpu_iteration.h"

#include "model/graph/rewrite/recomputation.h"
#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline::pytorch {
namespace {

template <typename Visit>
void for_each_parameter(const Op& op, Visit visit) {
  if (!op.trainable) return;
  const std::vector<std::int64_t> sizes = parameter_sizes(op);
  for (std::size_t index = 0; index < sizes.size(); ++index) visit(index, sizes[index]);
}

void issue_zero_gradients(Issuer& issuer, const FrameworkRecord& record, IssuedIteration& out) {
  const std::vector<Op>& ops = issuer.graph().ops();
  for (std::size_t layer = 0; layer < ops.size(); ++layer) {
    issuer.enter(out.begin, Phase::kOptimizer, layer);
    for_each_parameter(ops[layer], [&](std::size_t index, std::int64_t size) {
      issuer.host_calls(record.zero_grad_calls);
      issuer.touching({issuer.parameter_gradient(index, size)});
      issuer.stream("aten.fill", size, 0, 1);
    });
  }
}

void issue_update(Issuer& issuer, const FrameworkRecord& record, IssuedIteration& out) {
  const std::vector<Op>& ops = issuer.graph().ops();
  for (std::size_t layer = 0; layer < ops.size(); ++layer) {
    issuer.enter(out.update, Phase::kOptimizer, layer);
    for_each_parameter(ops[layer], [&](std::size_t index, std::int64_t size) {
      issuer.host_calls(record.update_calls);
      issuer.touching({issuer.parameter(index, size), issuer.parameter_gradient(index, size)});
      issuer.stream("aten.add_", size, 2, 1);
    });
  }
}

// Inference drops nothing out and has no loss.
bool is_of_training(const Op& op) {
  return std::holds_alternative<Dropout>(op.attributes) ||
         std::holds_alternative<CrossEntropy>(op.attributes) ||
         std::holds_alternative<Loss>(op.attributes);
}

IssuedIteration issue_once(Issuer& issuer, const FrameworkRecord& record,
                           const std::string& phases) {
  IssuedIteration out;
  const bool backward = phases != "forward";
  const std::vector<Op>& ops = issuer.graph().ops();
  const RecomputationSchedule schedule = recomputation_schedule(issuer.graph());
  issuer.begin_iteration();
  for (const Op& op : ops) out.layers.push_back(op.name);
  out.gradients = gradient_tensors(issuer.graph());
  if (backward) issue_zero_gradients(issuer, record, out);
  for (std::size_t layer = 0; layer < ops.size(); ++layer) {
    if (!backward && is_of_training(ops[layer])) continue;
    issuer.enter(out.micro_batch, Phase::kForward, layer);
    issue_forward(issuer, ops[layer]);
  }
  for (std::size_t layer = ops.size(); backward && layer-- > 0;) {
    issuer.enter(out.micro_batch, Phase::kBackward, layer);
    if (layer + 1 == ops.size()) issuer.host("iteration");
    for (const std::size_t again : schedule.before_backward[layer]) {
      issuer.enter(out.micro_batch, Phase::kForward, again);
      issue_forward(issuer, ops[again]);
    }
    issuer.enter(out.micro_batch, Phase::kBackward, layer);
    issue_backward(issuer, ops[layer]);
  }
  if (phases == "training") issue_update(issuer, record, out);
  return out;
}

}  // namespace

IssuedIteration issue_cpu_iteration(const WorkloadGraph& graph, const FrameworkRecord& record,
                                    const ExecutionContext& context,
                                    const FrameworkSettings& settings) {
  const auto chosen = settings.find("phases");
  const std::string phases = chosen == settings.end() ? "training" : chosen->second;
  Issuer issuer(graph, record, context);
  // What an iteration finds in the caches, the one before has left there.
  issue_once(issuer, record, phases);
  return issue_once(issuer, record, phases);
}

}  // namespace paceline::pytorch

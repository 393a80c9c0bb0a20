#include "simulator/lower/plan.h"

#include <map>
#include <tuple>

namespace paceline {
namespace {

auto key(const GemmShape& s) { return std::tie(s.m, s.n, s.k, s.trans_a, s.trans_b, s.batch); }
auto key(const ConvShape& s) {
  return std::tie(s.pass, s.n, s.c, s.h, s.w, s.k, s.r, s.s, s.pad_h, s.pad_w, s.stride_h,
                  s.stride_w, s.groups);
}
auto key(const StreamShape& s) {
  return std::make_tuple(s.elements, s.read.si(), s.written.si(), s.row);
}
auto key(const RnnShape& s) {
  return std::tie(s.pass, s.gates, s.input, s.hidden, s.batch, s.steps, s.layers, s.bidirectional);
}
auto key(const AttentionShape& s) {
  return std::tie(s.pass, s.batch, s.seq, s.heads, s.kv_heads, s.head_dim, s.causal);
}

// A total order of kernels, to price each once.
struct KernelOrder {
  bool operator()(const Kernel& a, const Kernel& b) const {
    const auto head = [](const Kernel& kernel) {
      return std::tuple(kernel.shape.index(), std::string_view(kernel.implementation),
                        kernel.precision);
    };
    if (head(a) != head(b)) return head(a) < head(b);
    return std::visit(
        [&b](const auto& shape) {
          return key(shape) < key(std::get<std::decay_t<decltype(shape)>>(b.shape));
        },
        a.shape);
  }
};

class Planner {
 public:
  Planner(const CostModel& costs, const HostCosts& host, const ExecutionContext& context)
      : costs_(costs), host_(host), context_(context) {}

  std::vector<PlannedCall> plan(const std::vector<IssuedCall>& issued, IterationPlan& plan) {
    std::vector<PlannedCall> calls;
    calls.reserve(issued.size());
    for (const IssuedCall& call : issued) {
      calls.push_back(
          {.phase = call.phase,
           .layer = call.layer,
           .kernel = call.kernel ? index_of(*call.kernel, plan) : PlannedCall::kNoKernel,
           .host = call.host_calls * host_.of(call.phase),
           .repeat = call.repeat});
    }
    return calls;
  }

 private:
  std::uint32_t index_of(const Kernel& kernel, IterationPlan& plan) {
    const auto [entry, added] =
        known_.try_emplace(kernel, static_cast<std::uint32_t>(plan.kernels.size()));
    if (added) plan.kernels.push_back({kernel, costs_.cost(kernel, context_)});
    return entry->second;
  }

  const CostModel& costs_;
  const HostCosts& host_;
  const ExecutionContext& context_;
  std::map<Kernel, std::uint32_t, KernelOrder> known_;
};

}  // namespace

IterationPlan plan_iteration(const IssuedIteration& issued, const CostModel& costs,
                             const HostCosts& host, const ExecutionContext& context,
                             std::int64_t micro_batches) {
  IterationPlan plan;
  plan.layers = issued.layers;
  plan.micro_batches = micro_batches;
  plan.host_sd = host.sd;
  plan.host_origin = host.origin;
  Planner planner(costs, host, context);
  plan.begin = planner.plan(issued.begin, plan);
  plan.micro_batch = planner.plan(issued.micro_batch, plan);
  plan.update = planner.plan(issued.update, plan);
  return plan;
}

}  // namespace paceline

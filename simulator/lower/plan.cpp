#include "simulator/lower/plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

auto key(const GemmShape& s) { return std::tie(s.m, s.n, s.k, s.trans_a, s.trans_b, s.batch); }
auto key(const ConvShape& s) {
  return std::tie(s.pass, s.n, s.c, s.h, s.w, s.k, s.r, s.s, s.pad_h, s.pad_w, s.stride_h,
                  s.stride_w, s.groups, s.channels_last);
}
auto key(const StreamShape& s) {
  return std::make_tuple(s.elements, s.read.si(), s.written.si(), s.row, s.kind);
}
auto key(const RnnShape& s) {
  return std::tie(s.pass, s.gates, s.input, s.hidden, s.batch, s.steps, s.layers, s.bidirectional,
                  s.persistent);
}
auto key(const AttentionShape& s) {
  return std::tie(s.pass, s.batch, s.seq, s.heads, s.kv_heads, s.head_dim, s.causal);
}

// A kernel and the state of the caches it finds, which together decide its price.
struct Situation {
  Kernel kernel;
  double far_share = 0;
  Bytes reuse_distance;
  int threads = 0;  // 0: those of the context
  bool side_by_side = false;
};

// A total order, to price each situation once.
struct KernelOrder {
  bool operator()(const Situation& a, const Situation& b) const {
    const auto state = [](const Situation& s) {
      return std::tuple(s.far_share, s.reuse_distance.si(), s.threads, s.side_by_side);
    };
    if (state(a) != state(b)) return state(a) < state(b);
    return before(a.kernel, b.kernel);
  }
  static bool before(const Kernel& a, const Kernel& b) {
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
           .kernel = call.kernel
                         ? index_of({*call.kernel, call.far_share, call.reuse_distance,
                                     std::min(call.threads, context_.threads), call.side_by_side},
                                    plan)
                         : PlannedCall::kNoKernel,
           .host = call.host_calls * host_.call + call.host_time,
           .repeat = call.repeat,
           .gradient = call.gradient,
           .synchronizes = call.synchronizes});
    }
    return calls;
  }

 private:
  std::uint32_t index_of(const Situation& situation, IterationPlan& plan) {
    const auto [entry, added] =
        known_.try_emplace(situation, static_cast<std::uint32_t>(plan.kernels.size()));
    if (added) plan.kernels.push_back({situation.kernel, cost(situation)});
    return entry->second;
  }

  // Traffic is linear in what comes from far, so the two prices mix in proportion.
  KernelCost cost(const Situation& situation) const {
    ExecutionContext context = context_;
    if (situation.threads > 0) context.threads = situation.threads;
    KernelCost near = cost(situation, context);
    if (situation.far_share <= 0) return near;
    context.reuse_distance = situation.reuse_distance;
    KernelCost far = cost(situation, context);
    far.time = (1 - situation.far_share) * near.time + situation.far_share * far.time;
    return far;
  }

  // Kernels on threads of their own share clock, caches and memory as the parts of one kernel do
  // that all threads work on: n of them take what n shared ones take, and no less than one alone.
  // A kernel too small to be shared is one that its neighbours do not disturb.
  KernelCost cost(const Situation& situation, const ExecutionContext& context) const {
    KernelCost together = costs_.cost(situation.kernel, context);
    if (!situation.side_by_side) return together;
    ExecutionContext one = context;
    one.threads = 1;
    KernelCost alone = costs_.cost(situation.kernel, one);
    if (together.time >= alone.time) return alone;
    together.time = std::max(alone.time, context.threads * together.time);
    return together;
  }

  const CostModel& costs_;
  const HostCosts& host_;
  const ExecutionContext& context_;
  std::map<Situation, std::uint32_t, KernelOrder> known_;
};

// The simulated clock holds 53 days; two iterations and sums of their parts must fit.
constexpr Seconds kLongest{1e6};

// Sums in floating point, before anything is counted in picoseconds.
void check_duration(const IterationPlan& plan) {
  double total = plan.launch_latency.si();
  const auto add = [&](const std::vector<PlannedCall>& calls, std::int64_t times) {
    for (const PlannedCall& call : calls) {
      double time = call.host.si();
      if (call.kernel != PlannedCall::kNoKernel) {
        const PlannedKernel& planned = plan.kernels[call.kernel];
        if (!(planned.cost.time.si() >= 0 && planned.cost.time < kLongest)) {
          throw InputError("one " + planned.kernel.implementation + " of " +
                           to_string(planned.kernel.shape) + " is priced at " +
                           significant(planned.cost.time.si()) +
                           " s: its parameters make no sense");
        }
        time += planned.cost.time.si();
      }
      total += time * static_cast<double>(call.repeat) * static_cast<double>(times);
    }
  };
  add(plan.begin, 1);
  add(plan.micro_batch, plan.micro_batches);
  add(plan.update, 1);
  if (!(total >= 0 && total < kLongest.si())) {
    throw UsageError("one iteration would take " + significant(total) + " s, more than the " +
                     significant(kLongest.si()) +
                     " s that can be simulated; give fewer samples or micro-batches");
  }
}

}  // namespace

IterationPlan plan_iteration(const IssuedIteration& issued, const CostModel& costs,
                             const HostCosts& host, const ExecutionContext& context,
                             std::int64_t micro_batches) {
  IterationPlan plan;
  plan.layers = issued.layers;
  plan.gradients = issued.gradients;
  plan.micro_batches = micro_batches;
  plan.host_sd = host.sd;
  plan.host_origin = host.origin;
  plan.launch_latency = host.launch_latency;
  Planner planner(costs, host, context);
  plan.begin = planner.plan(issued.begin, plan);
  plan.micro_batch = planner.plan(issued.micro_batch, plan);
  plan.update = planner.plan(issued.update, plan);
  check_duration(plan);
  return plan;
}

void replay_as_graph(IterationPlan& plan, Seconds launch) {
  for (auto* calls : {&plan.begin, &plan.micro_batch, &plan.update}) {
    for (PlannedCall& call : *calls) {
      call.host = Seconds(0);
      call.synchronizes = false;
    }
  }
  std::vector<PlannedCall>& first = plan.begin.empty() ? plan.micro_batch : plan.begin;
  if (!first.empty()) first.front().host = launch;
}

}  // namespace paceline

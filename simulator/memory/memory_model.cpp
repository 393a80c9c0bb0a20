#include "simulator/memory/memory_model.h"

#include <algorithm>

#include "model/plan/optimizer.h"

namespace paceline {

MemoryModel::MemoryModel()
    : policies_(memory_policy_registry()),
      contexts_(ContextCatalog::shipped()),
      residuals_(MemoryResiduals::shipped()) {}

namespace {

// 16-bit weights with an fp32 copy in the optimizer become fp32 weights and gradients.
MemorySetting with_fp32_shares(MemorySetting setting) {
  ModelStateSizes& state = setting.state;
  if (!setting.strategy.casts_when_gathered || state.master == 0) return setting;
  state.weight = state.gradient = state.master;
  state.master = 0;
  return setting;
}

std::vector<OriginLine> origins_of(const MemoryUse& use, const MemoryPolicy& policy,
                                   const MemorySpread& spread, const GpuContext& context) {
  std::string rules;
  for (const std::string& source : policy.sources()) rules += (rules.empty() ? "" : "; ") + source;
  const double share = static_cast<double>(use.context) / static_cast<double>(use.peak());
  std::vector<OriginLine> lines;
  lines.push_back({"tensors",
                   spread.kind == OriginKind::kFitted ? OriginKind::kDataSheet : spread.kind,
                   "rules of " + rules, 1 - share});
  lines.push_back({"interval", spread.kind, spread.source, 0});
  if (context.high > 0) lines.push_back({"context", context.kind, context.source, share});
  return lines;
}

}  // namespace

GpuContext MemoryModel::context(const std::string& architecture) const {
  const auto known = contexts_.contexts.find(architecture);
  return known == contexts_.contexts.end() ? contexts_.unknown() : known->second;
}

const MemoryPolicy& MemoryModel::policy(const std::string& framework) const {
  const std::lock_guard lock(mutex_);
  const auto known = made_.find(framework);
  if (known != made_.end()) return *known->second;
  return *made_.emplace(framework, policies_.make(framework)).first->second;
}

namespace {

// Where the 95 % quantile of a peak that fits lies beyond the device, whether the allocator would
// give back what nobody uses: whether the same tape leaves as much as the peak may be more.
bool fits_by_giving_back(const MemoryPolicy& policy, const MemoryTape& tape, MemorySetting setting,
                         const MemoryUse& use) {
  if (use.capacity <= 0 || !use.fits() || use.p95() <= use.capacity) return false;
  setting.allocator_limit -= use.above;
  return policy.use(tape, setting).peak() <= setting.allocator_limit;
}

}  // namespace

MemoryResult MemoryModel::predict(const WorkloadGraph& graph, const MemoryRequest& request) const {
  const MemoryPolicy& policy = this->policy(request.framework);
  MemorySetting setting = with_fp32_shares(request.setting);
  MemoryResult result;
  GpuContext context;
  if (setting.device == DeviceKind::kGpu) {
    setting.driver = contexts_.driver;
    context = this->context(request.architecture);
    if (context.bytes == 0) {
      result.warnings.push_back("the memory of a context on architecture " + request.architecture +
                                " is not known and left out");
    }
  }
  const auto capacity = static_cast<std::int64_t>(request.capacity.si());
  const std::int64_t library = setting.strategy.library_bytes;
  if (capacity > 0) setting.allocator_limit = capacity - context.bytes - library;
  result.tape = policy.trace(graph, setting);
  result.use = policy.use(result.tape, setting);
  result.use.capacity = capacity;
  result.use.context = context.bytes;
  result.use.context_source = context.source;
  result.use.communication += library;
  const MemorySpread spread = residuals_.of(policy.family(), setting.device);
  const StrategyMemory& strategy = setting.strategy;
  set_interval(spread, context, {strategy.library_below, strategy.library_above}, result.use);
  if (fits_by_giving_back(policy, result.tape, setting, result.use)) {
    result.use.above = result.use.margin();
  }
  // It does not come from the framework's allocator.
  if (library > 0) result.tape.allocate_first(library, MemoryKind::kCommunication);
  result.use.origins = origins_of(result.use, policy, spread, context);
  if (!request.capacity_source.empty()) {
    result.use.origins.push_back({"capacity", OriginKind::kDataSheet, request.capacity_source, 0});
  }
  if (!strategy.library_source.empty()) {
    result.use.origins.push_back({"NVLS", OriginKind::kExtrapolated, strategy.library_source, 0});
  }
  if (setting.device == DeviceKind::kCpu) {
    add_process(contexts_.process, result.use);
    result.use.origins.push_back(
        {"process", OriginKind::kMeasured, "above the peak: " + contexts_.process.source, 0});
  }
  return result;
}

namespace {

struct Answer {
  std::int64_t batch = 0;
  double spare = 0;
};

bool falls_between(const Answer& a, const Answer& b) {
  return a.batch < b.batch ? a.spare > b.spare : a.spare < b.spare;
}

// Where the line through two answers says that nothing is left.
double crossing(const Answer& a, const Answer& b) {
  const double slope = (b.spare - a.spare) / static_cast<double>(b.batch - a.batch);
  return static_cast<double>(a.batch) - a.spare / slope;
}

}  // namespace

std::optional<std::int64_t> largest_that_fits(
    const std::function<std::int64_t(std::int64_t)>& spare) {
  constexpr std::int64_t kMost = kLargestBatchTried;
  constexpr std::int64_t kSecond = 32;  // far enough from the first for a line through both
  constexpr double kAhead = 1.02;       // beyond the crossing, so that the border lies behind
  const auto ask = [&](std::int64_t batch) {
    return Answer{batch, static_cast<double>(spare(batch))};
  };
  Answer good = ask(1);
  if (good.spare < 0) return std::nullopt;
  Answer now = ask(kSecond);
  while (now.spare >= 0) {
    if (now.batch == kMost) return kMost;
    // Without a usable line it doubles.
    double to = 2 * static_cast<double>(now.batch);
    if (falls_between(good, now)) {
      to = std::max(crossing(good, now) * kAhead, static_cast<double>(now.batch + 1));
    }
    good = now;
    now = ask(static_cast<std::int64_t>(std::min(to, static_cast<double>(kMost))));
  }
  Answer bad = now;
  for (int step = 0; bad.batch - good.batch > 1; ++step) {
    const std::int64_t middle = good.batch + (bad.batch - good.batch) / 2;
    const auto by_line = static_cast<std::int64_t>(crossing(good, bad));
    // The last batch that the line allows, then the one behind it; every third step halves.
    const std::int64_t inside =
        std::clamp(step % 3 == 1 ? good.batch + 1 : by_line, good.batch + 1, bad.batch - 1);
    const Answer answer = ask(step % 3 == 2 ? middle : inside);
    (answer.spare >= 0 ? good : bad) = answer;
  }
  return good.batch;
}

BatchAbove largest_above(std::int64_t border, std::int64_t most,
                         const std::function<bool(std::int64_t)>& fits) {
  const std::int64_t step =
      std::max<std::int64_t>(1, (most - border + kAskedAbove - 1) / kAskedAbove);
  for (std::int64_t good = most; good > border; good -= step) {
    if (!fits(good)) continue;
    std::int64_t bad = good + step;
    if (good == most) return {most, 1};
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (fits(middle) ? good : bad) = middle;
    }
    return {good, step};
  }
  return {border, step};
}

std::string batch_found_text(std::int64_t batch) {
  return std::to_string(batch) + (batch >= kLargestBatchTried ? " or more" : "");
}

ModelStateSizes model_state(std::string_view optimizer, Precision precision, bool uniform) {
  ModelStateSizes sizes;
  sizes.optimizer = 4.0 * optimizer_named(optimizer).state_tensors;
  const bool narrow = precision != Precision::kFp32 && precision != Precision::kTf32;
  sizes.casts = narrow && !uniform;
  if (narrow && uniform) {
    sizes.weight = sizes.gradient = 2;
    sizes.master = 4;
  }
  return sizes;
}

}  // namespace paceline

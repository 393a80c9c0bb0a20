#include "simulator/memory/memory_model.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/json_reader.h"
#include "model/plan/optimizer.h"

namespace paceline {

MemoryModel::MemoryModel() : policies_(memory_policy_registry()) {
  const JsonDocument document = read_json_file(
      data_directory() / "model/catalog/memory/contexts.json", "paceline.contexts/1");
  JsonObject root = document.root();
  for (JsonObject& entry : root.objects("contexts")) {
    const std::string name = entry.string("architecture");
    const auto bytes = static_cast<std::int64_t>(entry.quantity<Bytes>("bytes").si());
    if (!contexts_.emplace(name, Context{bytes, entry.string("source")}).second) {
      entry.fail("architecture", "\"" + name + "\" is listed twice");
    }
    entry.finish();
  }
  root.finish();
}

namespace {

// 16-bit weights with an fp32 copy in the optimizer become fp32 weights and gradients.
MemorySetting with_fp32_shares(MemorySetting setting) {
  ModelStateSizes& state = setting.state;
  if (!setting.strategy.casts_when_gathered || state.master == 0) return setting;
  state.weight = state.gradient = state.master;
  state.master = 0;
  return setting;
}

}  // namespace

const MemoryPolicy& MemoryModel::policy(const std::string& framework) const {
  const std::lock_guard lock(mutex_);
  const auto known = made_.find(framework);
  if (known != made_.end()) return *known->second;
  return *made_.emplace(framework, policies_.make(framework)).first->second;
}

MemoryResult MemoryModel::predict(const WorkloadGraph& graph, const MemoryRequest& request) const {
  const MemoryPolicy& policy = this->policy(request.framework);
  MemorySetting setting = with_fp32_shares(request.setting);
  MemoryResult result;
  Context context;
  if (setting.device == DeviceKind::kGpu) {
    const auto known = contexts_.find(request.architecture);
    if (known != contexts_.end()) {
      context = known->second;
    } else {
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
  // It does not come from the framework's allocator.
  if (library > 0) {
    result.use.communication += library;
    result.tape.allocate_first(library, MemoryKind::kCommunication);
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
    std::int64_t guess, const std::function<std::int64_t(std::int64_t)>& spare) {
  constexpr std::int64_t kMost = kLargestBatchTried;
  constexpr double kAhead = 1.02;  // beyond the crossing, so that the border lies behind
  std::optional<Answer> good, bad, last;
  const auto ask = [&](std::int64_t batch) {
    const Answer now{batch, static_cast<double>(spare(batch))};
    (now.spare >= 0 ? good : bad) = now;
    return now;
  };
  Answer now = ask(std::clamp<std::int64_t>(guess, 1, kMost));
  while (!good || !bad) {
    if (now.batch == (good ? kMost : 1)) break;
    // Without a usable line it doubles or halves.
    double to = static_cast<double>(now.batch) * (good ? 2 : 0.5);
    if (last && falls_between(*last, now)) {
      const double zero = crossing(*last, now);
      to = good ? std::max(zero * kAhead, static_cast<double>(now.batch + 1))
                : std::min(zero / kAhead, static_cast<double>(now.batch - 1));
    }
    last = now;
    now = ask(std::clamp<std::int64_t>(static_cast<std::int64_t>(to), 1, kMost));
  }
  if (!good) return std::nullopt;
  if (!bad) return good->batch;
  for (int step = 0; bad->batch - good->batch > 1; ++step) {
    const std::int64_t middle = good->batch + (bad->batch - good->batch) / 2;
    const auto by_line = static_cast<std::int64_t>(crossing(*good, *bad));
    // The last batch that the line allows, then the one behind it; every third step halves.
    const std::int64_t inside =
        std::clamp(step % 3 == 1 ? good->batch + 1 : by_line, good->batch + 1, bad->batch - 1);
    ask(step % 3 == 2 ? middle : inside);
  }
  return good->batch;
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

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

MemoryResult MemoryModel::predict(const WorkloadGraph& graph, const MemoryRequest& request) const {
  const std::unique_ptr<const MemoryPolicy> policy = policies_.make(request.framework);
  MemoryResult result;
  result.tape = policy->trace(graph, request.setting);
  result.use = policy->use(result.tape, request.setting);
  result.use.capacity = static_cast<std::int64_t>(request.capacity.si());
  if (request.setting.device == DeviceKind::kGpu) {
    const auto context = contexts_.find(request.architecture);
    if (context != contexts_.end()) {
      result.use.context = context->second.bytes;
    } else {
      result.warnings.push_back("the memory of a context on architecture " + request.architecture +
                                " is not known and left out");
    }
  }
  return result;
}

std::optional<std::int64_t> largest_that_fits(std::int64_t guess,
                                              const std::function<bool(std::int64_t)>& fits) {
  constexpr std::int64_t kMost = 1 << 20;
  std::int64_t good = 0, bad = kMost + 1;
  std::int64_t batch = std::clamp<std::int64_t>(guess, 1, kMost);
  while (good == 0 || bad > kMost) {
    const bool fit = fits(batch);
    (fit ? good : bad) = batch;
    if (batch == (fit ? kMost : 1)) break;
    batch = fit ? std::min(2 * batch, kMost) : batch / 2;
  }
  if (good == 0) return std::nullopt;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
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

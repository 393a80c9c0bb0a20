#include "simulator/report/held_memory.h"

#include "simulator/report/memory_request.h"

namespace paceline {

struct HeldMemory::Batch {
  std::once_flag once;
  std::unique_ptr<const WorkloadGraph> own;  // none where the graph is the experiment's
  const WorkloadGraph* graph = nullptr;
  // One question at a time: the request remembers the workspace of kernels.
  std::mutex mutex;
  MemoryRequest request;
};

struct HeldMemory::Answer {
  std::once_flag traced, searched;
  MemoryResult memory;
  std::optional<std::int64_t> largest;
};

HeldMemory::HeldMemory(const MemoryModel& model, const PredictionSetup& setup,
                       const ImportedModel& workload, const WorkloadGraph& graph)
    : model_(model), setup_(setup), workload_(workload), graph_(graph) {}

HeldMemory::~HeldMemory() = default;

HeldMemory::Answer& HeldMemory::answer(const StrategyMemory& s) const {
  const Key key{
      s.communication_bytes, s.library_bytes,   s.library_below,      s.library_above, s.weights,
      s.gradients,           s.optimizer_state, s.casts_when_gathered};
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Answer>& known = answers_[key];
  if (known == nullptr) known = std::make_unique<Answer>();
  return *known;
}

HeldMemory::Batch& HeldMemory::batch(std::int64_t samples) const {
  Batch* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Batch>& known = batches_[samples];
    if (known == nullptr) known = std::make_unique<Batch>();
    found = known.get();
  }
  std::call_once(found->once, [&] {
    if (samples != setup_.experiment().batch) {
      found->own = std::make_unique<const WorkloadGraph>(setup_.build(workload_, samples));
    }
    found->graph = found->own ? found->own.get() : &graph_;
    found->request = memory_request(setup_.experiment(), setup_.device(), setup_.settings(),
                                    setup_.context().workspace_limit);
  });
  return *found;
}

MemoryResult HeldMemory::predict(Batch& batch, const StrategyMemory& kept) const {
  const std::lock_guard lock(batch.mutex);
  batch.request.setting.strategy = kept;
  MemoryResult out = model_.predict(*batch.graph, batch.request);
  out.use.fully_equipped = setup_.device().unmeasured();
  return out;
}

const MemoryResult& HeldMemory::with(const StrategyMemory& kept) const {
  Answer& known = answer(kept);
  std::call_once(known.traced,
                 [&] { known.memory = predict(batch(setup_.experiment().batch), kept); });
  return known.memory;
}

std::optional<std::int64_t> HeldMemory::largest_batch(const StrategyMemory& kept) const {
  const std::int64_t own = setup_.experiment().batch;
  const auto spare = [&](std::int64_t samples) {
    if (samples == own) return with(kept).use.margin();
    return predict(batch(samples), kept).use.margin();
  };
  Answer& known = answer(kept);
  std::call_once(known.searched, [&] { known.largest = largest_that_fits(spare); });
  return known.largest;
}

BatchAbove HeldMemory::largest_certain_batch(const StrategyMemory& kept) const {
  const std::int64_t own = setup_.experiment().batch;
  const std::int64_t most = largest_batch(kept).value_or(0);
  const auto spare = [&](std::int64_t samples) -> std::int64_t {
    if (samples > most) return -1;
    const MemoryUse use = samples == own ? with(kept).use : predict(batch(samples), kept).use;
    return use.capacity - use.p95();
  };
  const std::optional<std::int64_t> border = largest_that_fits(spare);
  if (!border) return {};
  return largest_above(*border, most, [&](std::int64_t samples) { return spare(samples) >= 0; });
}

}  // namespace paceline

#include "simulator/benchmarks/training_trace.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.h"

namespace paceline {
namespace {

constexpr TaskId kNone{0xffffffff};

// A ring's work on one chunk in one dimension: size - 1 steps of equal messages.
struct Phase {
  std::size_t chunk = 0;
  std::size_t dimension = 0;
  std::int32_t steps = 0;
  Bytes message;
  SimTime step;
};

// The phases of one chunk in order: down the dimensions and back.
std::vector<Phase> phases_of_chunk(const TrainingTrace& trace) {
  std::vector<Phase> down;
  Bytes held = trace.gradients / static_cast<double>(trace.chunks);
  for (std::size_t d = 0; d < trace.dimensions.size(); ++d) {
    const TrainingTrace::Dimension& dimension = trace.dimensions[d];
    held /= static_cast<double>(dimension.size);
    down.push_back({0, d, dimension.size - 1, held, SimTime::from(held / dimension.bandwidth)});
  }
  std::vector<Phase> all = down;
  all.insert(all.end(), down.rbegin(), down.rend());
  return all;
}

// The phases of all chunks in the order in which they start: the one that can start first, then the
// one that was ready first, then the lower chunk. `end` becomes the end of the last.
std::vector<Phase> ordered_phases(const TrainingTrace& trace, SimTime& end) {
  const std::vector<Phase> phases = phases_of_chunk(trace);
  const auto chunks = static_cast<std::size_t>(trace.chunks);
  std::vector<std::size_t> next(chunks, 0);
  std::vector<SimTime> ready(chunks);
  std::vector<SimTime> ring_free(trace.dimensions.size());
  std::vector<Phase> order;
  end = SimTime();
  while (order.size() < chunks * phases.size()) {
    std::size_t best = chunks;
    SimTime best_start;
    for (std::size_t c = 0; c < chunks; ++c) {
      if (next[c] == phases.size()) continue;
      const SimTime start = std::max(ready[c], ring_free[phases[next[c]].dimension]);
      if (best == chunks || start < best_start || (start == best_start && ready[c] < ready[best])) {
        best = c;
        best_start = start;
      }
    }
    Phase phase = phases[next[best]++];
    phase.chunk = best;
    const std::int64_t length = phase.steps * phase.step.picoseconds();
    ready[best] = best_start + SimTime::from_picoseconds(length);
    ring_free[phase.dimension] = ready[best];
    end = std::max(end, ready[best]);
    order.push_back(phase);
  }
  return order;
}

// Emits one rank of each class.
class Emitter {
 public:
  Emitter(const TrainingTrace& trace, const RankClasses& classes)
      : trace_(trace),
        count_(classes.representatives().size()),
        dimensions_(trace.dimensions.size()),
        phases_(ordered_phases(trace, all_reduce_)) {
    for (const std::int32_t rank : classes.representatives()) {
      const std::string device = "gpu" + std::to_string(rank);
      devices_.push_back(platform_.add_serial(device + "/compute"));
      for (std::size_t d = 0; d < dimensions_; ++d) {
        const std::string link = device + "/link" + std::to_string(d);
        if (trace.over_shared_links) {
          const ResourceId shared = platform_.add_link(link, trace.dimensions[d].bandwidth);
          routes_.push_back(platform_.add_route({link, {{shared}}, Seconds(0)}));
        } else {
          links_.push_back(platform_.add_serial(link));
        }
        senders_.push_back(static_cast<std::size_t>(classes.class_of(trace.sender(rank, d))));
      }
      ranks_.push_back(rank);
    }
    computed_.assign(count_, kNone);
    on_link_.assign(count_ * dimensions_, kNone);
    data_.resize(count_ * static_cast<std::size_t>(trace.chunks));
    std::size_t sends = 0;
    for (const Phase& phase : phases_) sends += static_cast<std::size_t>(phase.steps);
    const std::size_t tasks = count_ * static_cast<std::size_t>(trace.layers) * (2 + sends);
    builder_.reserve(tasks, 2 * tasks);
  }

  TrainingGraph emit() && {
    for (std::int32_t i = 0; i < trace_.layers; ++i) compute(trace_.forward, TaskKind::kForward, i);
    for (std::int32_t i = trace_.layers; i-- > 0;) {
      compute(trace_.backward, TaskKind::kBackward, i);
      all_reduce(i);
    }
    return {std::move(platform_), std::move(builder_).build()};
  }

 private:
  void compute(SimTime duration, TaskKind kind, std::int32_t layer) {
    for (std::size_t r = 0; r < count_; ++r) {
      const Task task = fixed_task(duration, devices_[r], {NameId{}, ranks_[r], layer, 0, kind});
      computed_[r] =
          computed_[r] == kNone ? builder_.add(task) : builder_.add(task, {computed_[r]});
    }
  }

  void all_reduce(std::int32_t layer) {
    const auto chunks = static_cast<std::size_t>(trace_.chunks);
    for (std::size_t r = 0; r < count_; ++r) {
      std::fill_n(data_.begin() + static_cast<std::ptrdiff_t>(r * chunks), chunks, computed_[r]);
    }
    for (const Phase& phase : phases_) ring(phase, layer);
  }

  void ring(const Phase& phase, std::int32_t layer) {
    if (phase.steps == 0) return;
    const auto chunks = static_cast<std::size_t>(trace_.chunks);
    std::uint32_t before = 0;  // first task of the step before
    for (std::int32_t step = 0; step < phase.steps; ++step) {
      const auto first = static_cast<std::uint32_t>(builder_.size());
      for (std::size_t r = 0; r < count_; ++r) {
        const std::size_t link = r * dimensions_ + phase.dimension;
        const Label label{NameId{}, ranks_[r], layer, 0, TaskKind::kCommunicate};
        const Task task = trace_.over_shared_links
                              ? transfer_task(phase.message, routes_[link], kNoResource, label)
                              : fixed_task(phase.step, links_[link], label);
        std::array<TaskId, 2> after = {data_[r * chunks + phase.chunk], on_link_[link]};
        if (step > 0) {
          after = {TaskId{before + static_cast<std::uint32_t>(r)},
                   TaskId{before + static_cast<std::uint32_t>(senders_[link])}};
        }
        const bool is_single = after[1] == kNone || after[0] == after[1];
        builder_.add(task, std::span<const TaskId>(after).first(is_single ? 1 : 2));
      }
      before = first;
    }
    for (std::size_t r = 0; r < count_; ++r) {
      const std::size_t link = r * dimensions_ + phase.dimension;
      on_link_[link] = TaskId{before + static_cast<std::uint32_t>(r)};
      data_[r * chunks + phase.chunk] = TaskId{before + static_cast<std::uint32_t>(senders_[link])};
    }
  }

  const TrainingTrace& trace_;
  std::size_t count_;
  std::size_t dimensions_;
  SimTime all_reduce_;
  std::vector<Phase> phases_;
  Platform platform_;
  TaskGraphBuilder builder_;
  std::vector<std::int32_t> ranks_;
  std::vector<ResourceId> devices_;
  std::vector<ResourceId> links_;     // by rank and dimension, or
  std::vector<RouteId> routes_;       // by rank and dimension
  std::vector<std::size_t> senders_;  // by rank and dimension
  std::vector<TaskId> computed_;      // latest compute task, by rank
  std::vector<TaskId> on_link_;       // latest send, by rank and dimension
  std::vector<TaskId> data_;          // what a chunk's next phase waits for, by rank and chunk
};

}  // namespace

std::int32_t TrainingTrace::ranks() const {
  std::int32_t product = 1;
  for (const Dimension& dimension : dimensions) product *= dimension.size;
  return product;
}

std::int32_t TrainingTrace::sender(std::int32_t rank, std::size_t dimension) const {
  std::int32_t stride = 1;
  for (std::size_t d = 0; d < dimension; ++d) stride *= dimensions[d].size;
  const std::int32_t size = dimensions[dimension].size;
  const std::int32_t at = rank / stride % size;
  return rank + ((at + size - 1) % size - at) * stride;
}

RankClasses TrainingTrace::symmetric() const {
  const std::vector<std::uint64_t> colors(static_cast<std::size_t>(ranks()));
  return RankClasses::find(colors, static_cast<int>(dimensions.size()),
                           [this](std::int32_t rank, int dimension) {
                             return sender(rank, static_cast<std::size_t>(dimension));
                           });
}

SimTime TrainingTrace::all_reduce_time() const {
  SimTime end;
  ordered_phases(*this, end);
  return end;
}

SimTime TrainingTrace::closed_form() const {
  PACELINE_ASSERT(all_reduce_time() <= backward, "an all-reduce hides behind a backward task");
  const std::int64_t compute = layers * (forward + backward).picoseconds();
  return SimTime::from_picoseconds(compute) + all_reduce_time();
}

TrainingGraph build(const TrainingTrace& trace, const RankClasses& classes) {
  return Emitter(trace, classes).emit();
}

}  // namespace paceline

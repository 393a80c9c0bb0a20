// What kernels of an aggregation and its work on processors take.
#include <algorithm>
#include <cmath>

#include "simulator/job/job_builder.h"

namespace paceline {
namespace {

constexpr double kStreamElement = 4;  // bytes of an element of the kernels of aggregation

}  // namespace

Seconds JobBuilder::kernel_time(Bytes read, Bytes written) {
  const std::pair<double, double> key{read.si(), written.si()};
  if (const auto known = kernel_times_.find(key); known != kernel_times_.end())
    return known->second;
  return kernel_times_[key] = stream_time(read, written, spec_.context.threads);
}

// One parallel kernel over the data of as many workers as have a core is what they do together.
double JobBuilder::memory_sharing(Bytes read, Bytes written) {
  if (!spec_.shared_cores) return 1;
  const int threads = spec_.context.threads;
  const double workers =
      std::clamp<double>(spec_.shared_cores->cores / static_cast<double>(threads), 1, stands_for());
  const Seconds together =
      stream_time(workers * read, workers * written, static_cast<int>(workers * threads));
  return std::max(1.0, together / kernel_time(read, written));
}

Seconds JobBuilder::stream_time(Bytes read, Bytes written, int threads) const {
  const double most = std::max(read.si(), written.si());
  Kernel kernel;
  kernel.implementation = "aten.add_";
  kernel.shape = StreamShape{.elements = static_cast<std::int64_t>(most / kStreamElement) + 1,
                             .read = read,
                             .written = written};
  kernel.precision = Precision::kFp32;
  ExecutionContext context = spec_.context;
  context.threads = threads;
  return spec_.costs->cost(kernel, context).time;
}

TaskId JobBuilder::kernel(int rank, Bytes read, Bytes written, std::span<const TaskId> after,
                          ResourceId queue, double launches) {
  const Seconds once = kernel_time(read / launches, written / launches);
  return timed_kernel(rank, launches * once, read / launches, written / launches, after, queue);
}

TaskId JobBuilder::timed_kernel(int rank, Seconds alone, Bytes read, Bytes written,
                                std::span<const TaskId> after, ResourceId queue) {
  const Seconds time = spec_.conditions.computing * memory_sharing(read, written) * alone;
  const Task task = work(time, queue, label(SpanKind::kReduce, rank), rank);
  return queue == kNoResource ? tasks_.add(task, after) : tasks_.add_in_order(task, after);
}

TaskId JobBuilder::processor_add(Bytes bytes, int threads, std::span<const TaskId> after,
                                 ResourceId queue) {
  // A copy moves each byte twice, an addition three times.
  const BytesPerSecond by_threads = spec_.processor_rate * (2.0 / 3.0 * threads);
  const BytesPerSecond rate = std::min(by_threads, fabric_.memory_rate() / 3.0);
  const JobConditions& conditions = spec_.conditions;
  read_.communication = read_.processors = true;
  const double slower =
      conditions.communication * std::exp(conditions.processors * spec_.priors.processors);
  const Task task = work(slower * (bytes / rate), queue, label(SpanKind::kReduce, -1), -1);
  return tasks_.add(task, after);
}

TaskId JobBuilder::update(int rank, Bytes weights, std::span<const TaskId> after,
                          ResourceId queue) {
  const double share = weights / spec_.profile.gradient_bytes();
  const bool in_stream = queue == kNoResource;
  const Task task = work(share * spec_.profile.update, in_stream ? compute(rank) : queue,
                         label(SpanKind::kUpdate, rank), rank);
  return in_stream ? add_compute(rank, task, after) : tasks_.add(task, after);
}

}  // namespace paceline

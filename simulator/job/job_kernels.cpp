// What kernels of an aggregation and its work on processors take.
#include <algorithm>
#include <cmath>

#include "simulator/job/job_builder.h"

namespace paceline {
TaskId JobBuilder::kernel(int rank, Bytes read, Bytes written, std::span<const TaskId> after,
                          ResourceId queue, double launches) {
  const Seconds once = stream_kernels_.alone(read / launches, written / launches);
  return timed_kernel(rank, launches * once, read / launches, written / launches, after, queue);
}

TaskId JobBuilder::timed_kernel(int rank, Seconds alone, Bytes read, Bytes written,
                                std::span<const TaskId> after, ResourceId queue) {
  const Seconds time =
      spec().conditions.computing * stream_kernels_.sharing(read, written, stands_for()) * alone;
  const Task task = work(time, queue, label(SpanKind::kReduce, rank), rank);
  return queue == kNoResource ? tasks().add(task, after) : tasks().add_in_order(task, after);
}

Seconds JobBuilder::processor_time(Bytes bytes, int threads) {
  // A copy moves each byte twice, an addition three times.
  const BytesPerSecond by_threads = spec().processor_rate * (2.0 / 3.0 * threads);
  const BytesPerSecond rate = std::min(by_threads, fabric().memory_rate() / 3.0);
  const JobConditions& conditions = spec().conditions;
  read_.communication = read_.processors = true;
  const double slower =
      conditions.communication * std::exp(conditions.processors * spec().priors.processors);
  return slower * (bytes / rate);
}

TaskId JobBuilder::processor_add(Bytes bytes, int threads, std::span<const TaskId> after,
                                 ResourceId queue) {
  const Label name = label(SpanKind::kReduce, -1);
  return tasks().add(work(processor_time(bytes, threads), queue, name, -1), after);
}

TaskId JobBuilder::shared_add(Bytes bytes, std::span<const TaskId> after,
                              const std::string& processor, int users) {
  const Label name = label(SpanKind::kReduce, -1);
  return tasks().add(shared_work(processor_time(bytes, 1), processor, users, name), after);
}

TaskId JobBuilder::update(int rank, Bytes weights, std::span<const TaskId> after,
                          ResourceId queue) {
  const double share = weights / spec().profile.gradient_bytes();
  const bool in_stream = queue == kNoResource;
  const Task task = work(share * spec().profile.update, in_stream ? compute(rank) : queue,
                         label(SpanKind::kUpdate, rank), rank);
  return in_stream ? add_compute(rank, task, after) : tasks().add(task, after);
}

}  // namespace paceline

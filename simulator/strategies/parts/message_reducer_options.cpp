// What can be set of a message reducer, and what cannot act.
#include <algorithm>

#include "simulator/strategies/parts/message_reducer.h"

namespace paceline {

std::vector<StrategyOption> reducer_options() {
  return {
      {.name = "aggregation",
       .kind = OptionKind::kChoice,
       .fallback = "all-reduce",
       .choices = {"all-reduce", "hierarchical"},
       .summary = "one all-reduce over all ranks, or reduce-scatter inside machines, all-reduce "
                  "between them, all-gather inside",
       .example = "hierarchical",
       .only_with = "compression",
       .only_values = {"none", "fp16"}},
      {.name = "library",
       .kind = OptionKind::kChoice,
       .fallback = "nccl",
       .choices = {"nccl", "mpi", "gloo"},
       .summary = "who runs the collectives; mpi and gloo work on host memory",
       .example = "mpi"},
      {.name = "compression",
       .kind = OptionKind::kChoice,
       .fallback = "none",
       .choices = {"none", "fp16", "top-k", "gtop-k", "power-sgd"},
       .summary = "what is sent of a gradient: halves, its largest elements with their "
                  "indices (all gathered, or merged pairwise), or two thin factors",
       .example = "fp16"},
      {.name = "density",
       .kind = OptionKind::kNumber,
       .fallback = "0.001",
       .choices = {},
       .summary = "share of the elements that top-k and gtop-k send",
       .example = "0.01",
       .only_with = "compression",
       .only_values = {"top-k", "gtop-k"}},
      {.name = "rank",
       .kind = OptionKind::kCount,
       .fallback = "1",
       .choices = {},
       .summary = "columns of the factors of power-sgd (matrix_approximation_rank)",
       .example = "4",
       .only_with = "compression",
       .only_values = {"power-sgd"}},
      {.name = "compression_time",
       .kind = OptionKind::kSeconds,
       .fallback = "",
       .choices = {},
       .summary = "measured time that compressing and unpacking all gradients takes a device by "
                  "itself, instead of the traffic of the kernels",
       .example = "12 ms",
       .only_with = "compression",
       .only_values = {"fp16", "power-sgd"}}};
}

StrategyOption negotiation_option() {
  return {.name = "negotiation",
          .kind = OptionKind::kChoice,
          .fallback = "cached",
          .choices = {"cached", "full"},
          .summary =
              "how ranks agree on what is final everywhere: bits summed over all, or names "
              "gathered and answers spread by rank 0 (HOROVOD_CACHE_CAPACITY=0)",
          .example = "full",
          .only_with = "aggregation",
          .only_values = {"all-reduce", "hierarchical"}};
}

void check_reducer(const JobSpec& job, const StrategyOptions& options) {
  if (options.number("density") > 1) throw UsageError("--set density: at most 1");
  const auto is_narrow = [](const GradientTensor& gradient) {
    return gradient.bytes < static_cast<double>(gradient.elements) * element_size(Precision::kFp32);
  };
  if (options.is("compression", "fp16") && std::ranges::any_of(job.profile.gradients, is_narrow)) {
    throw UsageError("--set compression=fp16 has no effect: the gradients have 16 bits already");
  }
  if (!options.is("aggregation", "hierarchical")) return;
  if (!options.is("library", "nccl")) {
    throw UsageError("--set aggregation=hierarchical needs library=nccl");
  }
  if (job.group.machines > 1 && job.group.per_machine > 1) return;
  throw UsageError(
      "--set aggregation=hierarchical has no effect unless several machines have several devices "
      "each");
}

}  // namespace paceline

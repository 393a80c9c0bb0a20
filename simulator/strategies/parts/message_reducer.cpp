#include "simulator/strategies/parts/message_reducer.h"

#include <algorithm>
#include <cmath>

#include "model/formula/collectives.h"
#include "simulator/strategies/parts/constants.h"

namespace paceline {
namespace {

constexpr double kIndexAndValue = 2;  // words of a sparse element against one of a dense one
constexpr const char* kUnpack = "unpack";
constexpr Bytes kWord{4};       // a length, or a few bits
constexpr Bytes kRequest{128};  // a tensor's name, shape and type as Horovod sends them, about

bool is_sparse(const std::string& compression) {
  return compression == "top-k" || compression == "gtop-k";
}

double rounds(int ranks) { return formula::ceil_log2(ranks); }

// The passes of PowerSGD over a message, in the order the hook makes them.
enum PowerSgdPass { kCorrect, kSave, kProject, kOrthogonalize, kProjectBack, kRebuild, kKeepError };
// Those of fp16.
enum HalfPass { kHalve, kWiden };

}  // namespace

MessageReducer::MessageReducer(JobBuilder& job, const StrategyOptions& options)
    : job_(job),
      aggregation_(options.text("aggregation")),
      library_(options.text("library")),
      compression_(options.text("compression")),
      density_(options.number("density")),
      full_negotiation_(options.has("negotiation") && options.is("negotiation", "full")),
      rank_(options.count("rank")) {
  if (compression_ == "fp16") passes_ = {{1, 0.5}, {0.5, 1}};
  if (compression_ == "power-sgd") {
    power_sgd_ = power_sgd_shares(job.gradients(), rank_);
    const double p = power_sgd_.p;
    const double q = power_sgd_.q;
    const double compressed = 1 - power_sgd_.whole;
    // What was lost before is added, and a copy kept; both products read the gradient, rebuilding
    // it writes it; what is lost now is the copy less that.
    passes_ = {{2, 1},
               {1, 1},
               {compressed + q, p},
               {2 * rank_ * p, rank_ * p},
               {compressed + p, q},
               {p + q, compressed},
               {2, 1}};
  }
  if (options.was_set("compression_time")) {
    double traffic = 0;
    for (const Pass& pass : passes_) traffic += pass.read + pass.written;
    time_per_traffic_ =
        options.seconds("compression_time") / (traffic * job.spec().profile.gradient_bytes().si());
  }
  if (!is_sparse(compression_)) return;
  selection_traffic_ = strategy_constant("top-k.selection_traffic");
  selection_kernels_ = strategy_constant("top-k.selection_kernels");
}

// Device to host, the collective between processors, host to device: each device its own copy.
TaskId MessageReducer::through_host(Bytes bytes, std::span<const TaskId> after) {
  const TaskId down = job_.copy(job_.fabric().to_host(0), bytes, -1, after, job_.queue(0, "d2h"));
  const TaskId summed =
      job_.collective(0, CollectiveOp::kAllReduce, bytes, {&down, 1}, "communication", library_);
  return job_.copy(job_.fabric().from_host(0), bytes, -1, {&summed, 1}, job_.queue(0, "h2d"));
}

TaskId MessageReducer::exchange(Bytes bytes, std::span<const TaskId> after) {
  if (job_.spec().ranks() < 2) return job_.join(after);
  if (library_ != "nccl" && !job_.spec().on_processors) return through_host(bytes, after);
  const CollectiveGroup& group = job_.spec().group;
  if (aggregation_ == "all-reduce" || group.machines == 1 || group.per_machine == 1) {
    return job_.collective(0, CollectiveOp::kAllReduce, bytes, after);
  }
  const CollectiveGroup inside{1, group.per_machine};
  const CollectiveGroup between{group.machines, 1};
  const TaskId scattered =
      job_.collective_over(inside, 0, CollectiveOp::kReduceScatter, bytes, after, "communication");
  // The shards of a machine go out together over its cards: as one message of all of them.
  const double share = 1.0 / group.per_machine;
  const CollectiveCost cost = job_.message_cost(CollectiveOp::kAllReduce, bytes, between);
  const TaskId summed = job_.message(
      0, cost, share * bytes, share * bus_factor(CollectiveOp::kAllReduce, group.machines) * bytes,
      {&scattered, 1}, "communication");
  return job_.collective_over(inside, 0, CollectiveOp::kAllGather, bytes, {&summed, 1},
                              "communication");
}

TaskId MessageReducer::sparse(Bytes bytes, std::span<const TaskId> after) {
  const Bytes kept = kIndexAndValue * density_ * bytes;
  const Bytes half = selection_traffic_ / 2 * bytes;
  const TaskId packed = job_.kernel(0, half, half, after, job_.compute(0), selection_kernels_);
  const int ranks = job_.spec().ranks();
  if (ranks < 2) return packed;
  TaskId last = packed;
  if (compression_ == "top-k") {
    last = job_.collective(0, CollectiveOp::kAllGather, static_cast<double>(ranks) * kept,
                           {&last, 1}, "communication", library_);
    return job_.kernel(0, static_cast<double>(ranks) * kept, bytes, {&last, 1},
                       job_.queue(0, kUnpack), ranks);
  }
  // A tree of pairs: one partner sends, the other merges and keeps the largest; then a broadcast.
  const CollectiveGroup pair =
      job_.spec().group.machines > 1 ? CollectiveGroup{2, 1} : CollectiveGroup{1, 2};
  const CollectiveCost hop = job_.message_cost(CollectiveOp::kSendRecv, kept, pair, library_);
  for (int round = 0; round < static_cast<int>(2 * rounds(ranks)); ++round) {
    last = job_.message(0, hop, kept, kept, {&last, 1}, "communication");
    if (round >= static_cast<int>(rounds(ranks))) continue;
    last = job_.kernel(0, 2 * kept, kept, {&last, 1}, job_.queue(0, kUnpack), 2);
  }
  return job_.kernel(0, kept, bytes, {&last, 1}, job_.queue(0, kUnpack));
}

TaskId MessageReducer::run(const Pass& pass, Bytes bytes, std::span<const TaskId> after,
                           ResourceId queue, double launches) {
  const Bytes read = pass.read * bytes;
  const Bytes written = pass.written * bytes;
  if (!time_per_traffic_) return job_.kernel(0, read, written, after, queue, launches);
  const Seconds alone = (read + written).si() * *time_per_traffic_;
  return job_.timed_kernel(0, alone, read / launches, written / launches, after, queue);
}

TaskId MessageReducer::halved(Bytes bytes, std::span<const TaskId> after) {
  const TaskId packed = run(passes_[kHalve], bytes, after, job_.compute(0));
  const TaskId summed = exchange(bytes / 2, {&packed, 1});
  return run(passes_[kWiden], bytes, {&summed, 1}, job_.queue(0, kUnpack));
}

// P is made orthogonal column by column: two kernels for each column of each matrix.
TaskId MessageReducer::low_rank(Bytes bytes, std::span<const TaskId> after) {
  if (power_sgd_.matrices <= 0) return exchange(bytes, after);
  const double matrices = std::max(1.0, power_sgd_.matrices * bytes.si());
  const ResourceId now = job_.compute(0);
  const ResourceId later = job_.queue(0, kUnpack);
  const TaskId corrected = run(passes_[kCorrect], bytes, after, now);
  const TaskId saved = run(passes_[kSave], bytes, {&corrected, 1}, now);
  const TaskId projected = run(passes_[kProject], bytes, {&saved, 1}, now, matrices);
  const TaskId whole = exchange(power_sgd_.whole * bytes, {&projected, 1});
  const TaskId summed_p = exchange(power_sgd_.p * bytes, {&projected, 1});
  const TaskId orthogonal =
      run(passes_[kOrthogonalize], bytes, {&summed_p, 1}, later, 2 * rank_ * matrices);
  const TaskId back = run(passes_[kProjectBack], bytes, {&orthogonal, 1}, later, matrices);
  const TaskId summed_q = exchange(power_sgd_.q * bytes, {&back, 1});
  const TaskId rebuilt = run(passes_[kRebuild], bytes, {&summed_q, 1}, later, matrices);
  const TaskId kept = run(passes_[kKeepError], bytes, {&rebuilt, 1}, later);
  return job_.join({whole, kept});
}

// Horovod (controller.cc, mpi_controller.cc) between the processors, whoever moves the gradients.
// Cached: the smallest all-reduce there is, a bit for each tensor. Full: lengths and requests are
// gathered by rank 0, length and answer are broadcast. A gather goes up the tree of a reduction;
// its last message holds half of what there is.
Seconds MessageReducer::agreement() {
  const CollectiveGroup& group = job_.spec().group;
  const auto time = [&](CollectiveOp op, Bytes bytes) {
    return job_.message_cost(op, bytes, group, "mpi").time;
  };
  if (!full_negotiation_) return time(CollectiveOp::kAllReduce, kWord);
  const double half = std::max(1.0, group.ranks() / 2.0);
  return time(CollectiveOp::kReduce, half * kWord) + time(CollectiveOp::kReduce, half * kRequest) +
         time(CollectiveOp::kBroadcast, kWord) + time(CollectiveOp::kBroadcast, kRequest);
}

TaskId MessageReducer::reduce(Bytes bytes, std::span<const TaskId> after, bool coordinated) {
  TaskId start = job_.join(after);
  if (coordinated && job_.spec().ranks() > 1) {
    start = job_.spend(agreement(), {&start, 1}, job_.queue(0, "coordination"));
  }
  if (is_sparse(compression_)) return sparse(bytes, {&start, 1});
  if (compression_ == "power-sgd") return low_rank(bytes, {&start, 1});
  return compression_ == "fp16" ? halved(bytes, {&start, 1}) : exchange(bytes, {&start, 1});
}

Seconds MessageReducer::time(Bytes bytes) {
  if (job_.spec().ranks() < 2) return {};
  double share = compression_ == "fp16" ? 0.5 : 1.0;
  if (compression_ == "power-sgd") share = power_sgd_.whole + power_sgd_.p + power_sgd_.q;
  return job_.message_cost(CollectiveOp::kAllReduce, share * bytes, job_.spec().group, library_)
      .time;
}

Bytes reducer_bytes_sent(const JobSpec& job, const StrategyOptions& options, Bytes bytes) {
  const int n = job.ranks();
  if (n < 2) return {};
  const double density = options.number("density");
  if (options.is("compression", "top-k")) {
    return static_cast<double>(n - 1) * kIndexAndValue * density * bytes;
  }
  if (options.is("compression", "gtop-k")) return 2 * rounds(n) * kIndexAndValue * density * bytes;
  if (options.is("compression", "fp16")) bytes /= 2;
  if (options.is("compression", "power-sgd")) {
    const PowerSgdShares shares = power_sgd_shares(job.profile.gradients, options.count("rank"));
    bytes *= shares.whole + shares.p + shares.q;
  }
  const bool flat = options.is("aggregation", "all-reduce") || !options.is("library", "nccl") ||
                    job.group.machines == 1 || job.group.per_machine == 1;
  if (flat) return bus_factor(CollectiveOp::kAllReduce, n) * bytes;
  const double inside = 2 * bus_factor(CollectiveOp::kAllGather, job.group.per_machine);
  const double between = bus_factor(CollectiveOp::kAllReduce, job.group.machines);
  return (inside + between / job.group.per_machine) * bytes;
}

Bytes reducer_buffers(const JobSpec& job, const StrategyOptions& options) {
  const Bytes gradients = job.profile.gradient_bytes();
  if (options.is("compression", "none")) return {};
  if (options.is("compression", "fp16")) return gradients / 2;
  if (options.is("compression", "power-sgd")) {
    const PowerSgdShares shares = power_sgd_shares(job.profile.gradients, options.count("rank"));
    return (1 - shares.whole + shares.p + shares.q) * gradients;  // errors and factors
  }
  return gradients + kIndexAndValue * options.number("density") * gradients;
}

}  // namespace paceline

// PyTorch DistributedDataParallel: gradients in buckets; a bucket is all-reduced when its gradients
// are final and the buckets before it have been launched (torch/csrc/distributed/c10d/reducer.cpp).
// The last bucket, of the first layers, is always exposed.
#include "simulator/strategies/parts/buckets.h"
#include "simulator/strategies/parts/message_reducer.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

std::vector<Bucket> buckets_of(const JobSpec& job, const StrategyOptions& options) {
  return ddp_buckets(job.profile.gradients, Bytes(options.number("first_bucket_mib") * kMiB),
                     Bytes(options.number("bucket_cap_mib") * kMiB));
}

class Run : public UpdateAfterAll {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : UpdateAfterAll(job),
        reducer_(job, options),
        buckets_(buckets_of(job.spec(), options)),
        copies_(!options.on("gradient_as_bucket_view")),
        find_unused_(options.on("find_unused_parameters")) {
    bucket_of_.resize(job.gradients().size());
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      for (const std::uint32_t gradient : buckets_[b].gradients) bucket_of_[gradient] = b;
    }
    reset();
  }

  void gradient_ready(std::uint32_t gradient) override {
    --missing_[bucket_of_[gradient]];
    while (next_ < buckets_.size() && missing_[next_] == 0) launch(buckets_[next_++]);
  }

  void end_backward() override {
    if (find_unused_) {
      // Which parameters any rank has used: one 32-bit word each, after the last bucket.
      const TaskId after[] = {job().latest(0)};
      arrives(job().collective(0, CollectiveOp::kAllReduce,
                               Bytes(4.0 * static_cast<double>(job().gradients().size())), after));
    }
    reset();
  }

 private:
  void reset() {
    missing_.clear();
    for (const Bucket& bucket : buckets_) missing_.push_back(bucket.gradients.size());
    next_ = 0;
  }

  void launch(const Bucket& bucket) {
    TaskId packed = job().latest(0);
    const auto tensors = static_cast<double>(bucket.gradients.size());
    if (copies_) {
      packed = job().kernel(0, bucket.bytes, bucket.bytes, {&packed, 1}, job().compute(0), tensors);
    }
    TaskId summed = reducer_.reduce(bucket.bytes, {&packed, 1});
    if (copies_) {
      summed = job().kernel(0, bucket.bytes, bucket.bytes, {&summed, 1}, job().queue(0, "unpack"),
                            tensors);
    }
    arrives(summed);
  }

  MessageReducer reducer_;
  std::vector<Bucket> buckets_;
  std::vector<std::size_t> bucket_of_;
  std::vector<std::size_t> missing_;
  std::size_t next_ = 0;
  bool copies_;
  bool find_unused_;
};

class Ddp : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = {
        {.name = "bucket_cap_mib",
         .kind = OptionKind::kNumber,
         .fallback = "25",
         .choices = {},
         .summary = "a bucket closes when it holds this many MiB",
         .example = "35"},
        {.name = "first_bucket_mib",
         .kind = OptionKind::kNumber,
         .fallback = "1",
         .choices = {},
         .summary = "the same for the first bucket",
         .example = "25"},
        {.name = "gradient_as_bucket_view",
         .kind = OptionKind::kSwitch,
         .fallback = "off",
         .choices = {},
         .summary = "gradients lie in the buckets, so that they are not copied",
         .example = "on"},
        {.name = "find_unused_parameters",
         .kind = OptionKind::kSwitch,
         .fallback = "off",
         .choices = {},
         .summary = "one more all-reduce: which parameters were used",
         .example = "on"}};
    for (StrategyOption& option : reducer_options()) options.push_back(std::move(option));
    return options;
  }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    check_reducer(job, options);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    if (job.spec().ranks() < 2) return std::make_unique<UpdateAfterAll>(job);
    return std::make_unique<Run>(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    Bytes total;
    if (job.ranks() < 2) return total;
    for (const Bucket& bucket : buckets_of(job, options)) {
      total += reducer_bytes_sent(job, options, bucket.bytes);
    }
    if (options.on("find_unused_parameters")) {
      total += bus_factor(CollectiveOp::kAllReduce, job.ranks()) *
               Bytes(4.0 * static_cast<double>(job.profile.gradients.size()));
    }
    return total;
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    const Bytes buckets =
        options.on("gradient_as_bucket_view") ? Bytes() : job.profile.gradient_bytes();
    return buckets + reducer_buffers(job, options);
  }
};

}  // namespace

void register_ddp(StrategyRegistry& registry) {
  registry.add("ddp", "PyTorch DistributedDataParallel: all-reduced buckets during backward",
               [] { return std::make_unique<const Ddp>(); });
}

}  // namespace paceline

#include "simulator/strategies/parts/zero.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr double kElement = 4;  // bytes

}  // namespace

std::vector<StrategyOption> Zero::options() const {
  std::vector<StrategyOption> options = {{.name = "offload_optimizer",
                                          .kind = OptionKind::kSwitch,
                                          .fallback = "off",
                                          .choices = {},
                                          .summary =
                                              "update on the processor: gradients go to host "
                                              "memory, weights come back",
                                          .example = "on"}};
  if (stage_ == 1) return options;
  options.push_back({.name = "overlap_comm",
                     .kind = OptionKind::kSwitch,
                     .fallback = stage_ == 3 ? "on" : "off",
                     .choices = {},
                     .summary = "reduce gradients while the backward pass goes on",
                     .example = stage_ == 3 ? "off" : "on",
                     .only_with = {},
                     .only_values = {},
                     .example_with = {{"reduce_bucket_size", "10000"}}});
  options.push_back({.name = "reduce_bucket_size",
                     .kind = OptionKind::kCount,
                     .fallback = "500000000",
                     .choices = {},
                     .summary = "elements that are reduced together",
                     .example = "10000"});
  return options;
}

Sharding Zero::sharding(const StrategyOptions& options) const {
  Sharding out;
  out.offload = options.on("offload_optimizer");
  out.wrap = "layer";
  if (stage_ == 1) return out;
  out.gradients = true;
  out.overlap = options.on("overlap_comm");
  out.bucket = Bytes(kElement * options.count("reduce_bucket_size"));
  out.weights = stage_ == 3;
  return out;
}

std::unique_ptr<Aggregation> Zero::start(JobBuilder& job, const StrategyOptions& options) const {
  return start_sharded(job, sharding(options));
}

Bytes Zero::bytes_sent(const JobSpec& job, const StrategyOptions& options) const {
  return sharded_bytes_sent(job, sharding(options));
}

Bytes Zero::buffers(const JobSpec& job, const StrategyOptions& options) const {
  if (job.ranks() < 2) return {};
  const Sharding how = sharding(options);
  return std::min(how.bucket, job.profile.gradient_bytes()) + gathered_bytes(job, how);
}

Strategy::Shares Zero::shares(const JobSpec& job, const StrategyOptions& options) const {
  const double one = 1.0 / job.ranks();
  return {stage_ == 3 ? one : 1.0, stage_ >= 2 ? one : 1.0,
          options.on("offload_optimizer") ? 0.0 : one};
}

}  // namespace paceline

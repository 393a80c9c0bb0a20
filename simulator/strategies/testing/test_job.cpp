#include "simulator/strategies/testing/test_job.h"

#include "model/cost/roofline.h"
#include "model/hardware/cluster_builder.h"

namespace paceline {
namespace {

constexpr int kLayers = 8;

ComputeProfile profile() {
  ComputeProfile out;
  out.begin = Seconds(1e-4);
  out.update = Seconds(2e-3);
  for (int layer = 0; layer < kLayers; ++layer) {
    const auto index = static_cast<std::uint32_t>(layer);
    out.layers.push_back("block" + std::to_string(layer / 2) + ".layer" + std::to_string(layer));
    out.forward.push_back({.layer = index, .time = Seconds(4e-3), .host = Seconds(1.5e-3)});
    for (const std::int64_t elements : {std::int64_t{300'000} * (layer + 1), std::int64_t{1024}}) {
      out.gradients.push_back({.name = out.layers.back() + "/" + std::to_string(elements),
                               .layer = index,
                               .elements = elements,
                               .rows = elements > 1024 ? 500 : elements,
                               .bytes = Bytes(4.0 * static_cast<double>(elements))});
    }
  }
  for (int layer = kLayers; layer-- > 0;) {
    const auto index = static_cast<std::uint32_t>(layer);
    out.backward.push_back({.layer = index,
                            .time = Seconds(8e-3),
                            .host = Seconds(3e-3),
                            .gradients = {2 * index + 1, 2 * index}});
  }
  return out;
}

}  // namespace

TestJob test_job(int machines, int per_machine, const std::string& net, const std::string& intra) {
  TestJob job;
  ClusterFlags flags;
  flags.gpus = machines * per_machine;
  flags.gpus_per_node = per_machine;
  flags.intra = intra;
  if (machines > 1) flags.net = net;
  job.spec.cluster = build_cluster(flags, LinkCatalog::shipped());
  job.spec.group = {machines, per_machine};
  job.spec.profile = profile();
  job.costs = std::make_shared<const RooflineCostModel>(
      RooflineLimits{.peak = {{Precision::kFp32, FlopsPerSecond(1e13)}},
                     .bandwidth = BytesPerSecond(5e11),
                     .cores = 0,
                     .source = "test"});
  job.spec.costs = job.costs.get();
  job.spec.processor_rate = BytesPerSecond(8e9);
  return job;
}

JobResult run(const TestJob& job, const std::string& strategy,
              const std::map<std::string, std::string>& set) {
  const auto made = strategy_registry().make(strategy);
  const StrategyOptions options(strategy, all_options(*made), set);
  const CommunicationModels models;
  Communicator communicator(models, job.spec.cluster, "volta", 0);
  return simulate_job(job.spec, *made, options, communicator);
}

}  // namespace paceline

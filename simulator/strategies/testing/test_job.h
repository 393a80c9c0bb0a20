// Jobs of no particular machine, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "simulator/job/simulate_job.h"
#include "simulator/strategies/strategy.h"

namespace paceline {

struct TestJob {
  JobSpec spec;
  std::shared_ptr<const CostModel> costs;
};

// `machines` of `per_machine` devices on PCIe and a network; eight layers with a weight and a bias.
TestJob test_job(int machines, int per_machine, const std::string& net = "10gbe",
                 const std::string& intra = "pcie3-x16");
JobResult run(const TestJob& job, const std::string& strategy,
              const std::map<std::string, std::string>& set = {});

}  // namespace paceline

#include "model/analytic/computing_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace paceline {
namespace {

using testing::DoubleNear;

PlannedKernel kernel(const std::string& family, double seconds, double shared_sd, double own_sd) {
  PlannedKernel planned;
  planned.kernel.implementation = family;
  planned.cost.family = family;
  planned.cost.time = Seconds(seconds);
  planned.cost.shared_sd = shared_sd;
  planned.cost.own_sd = own_sd;
  return planned;
}

// Each kernel runs once, nothing of the host.
IterationPlan plan_of(std::vector<PlannedKernel> kernels) {
  IterationPlan plan;
  plan.layers = {"fc"};
  plan.kernels = std::move(kernels);
  for (std::uint32_t i = 0; i < plan.kernels.size(); ++i) {
    plan.micro_batch.push_back({Phase::kForward, 0, i, Seconds(0), 1});
  }
  return plan;
}

const ErrorScopes kHere = {"v100", "v100|pytorch", "resnet50"};
const ErrorScopes kElsewhere = {"t4", "t4|pytorch", "resnet50 on t4"};

// A family's error moves every kernel of it alike, so iterations of that family alone err alike.
TEST(ComputingErrors, OfOneFamilyOfADeviceAreTheSameHoweverManyKernels) {
  const IterationPlan one = plan_of({kernel("gemm", 1e-3, 0.1, 0)});
  const IterationPlan ten = plan_of({kernel("gemm", 9e-3, 0.1, 0), kernel("gemm", 1e-3, 0.1, 0)});
  EXPECT_THAT(correlation(computing_errors(one, kHere), computing_errors(ten, kHere)),
              DoubleNear(1, 1e-9));
}

TEST(ComputingErrors, OfTwoDevicesOrOfTwoFamiliesHaveNothingInCommon) {
  const IterationPlan gemm = plan_of({kernel("gemm", 1e-3, 0.1, 0.05)});
  const IterationPlan conv = plan_of({kernel("conv", 1e-3, 0.1, 0.05)});
  EXPECT_EQ(correlation(computing_errors(gemm, kHere), computing_errors(gemm, kElsewhere)), 0);
  EXPECT_LT(correlation(computing_errors(gemm, kHere), computing_errors(conv, kHere)), 1e-9);
}

// Three parts of the time in gemm and one in conv, against gemm alone, all sd equal: the angle
// between (3, 1) and (1, 0).
TEST(ComputingErrors, AreCommonByTheTimeThatIterationsSpendInTheSameFamilies) {
  const IterationPlan both = plan_of({kernel("gemm", 3e-3, 0.1, 0), kernel("conv", 1e-3, 0.1, 0)});
  const IterationPlan gemm = plan_of({kernel("gemm", 1e-3, 0.1, 0)});
  EXPECT_THAT(correlation(computing_errors(both, kHere), computing_errors(gemm, kHere)),
              DoubleNear(3 / std::sqrt(10.0), 0.01));
}

// What families of an unmeasured device have in common also ties iterations of different families.
TEST(ComputingErrors, OfAnUnmeasuredDeviceTieDifferentFamilies) {
  IterationPlan gemm = plan_of({kernel("gemm", 1e-3, 0.1, 0)});
  IterationPlan conv = plan_of({kernel("conv", 1e-3, 0.1, 0)});
  gemm.kernels[0].cost.common_share = conv.kernels[0].cost.common_share = 0.5;
  EXPECT_THAT(correlation(computing_errors(gemm, kHere), computing_errors(conv, kHere)),
              DoubleNear(0.5, 1e-9));
}

// Kernels that the host hides do not decide the time: then only the host's error counts.
TEST(ComputingErrors, OfAnIterationThatWaitsForItsHostAreThoseOfTheHost) {
  IterationPlan plan = plan_of({kernel("gemm", 1e-6, 0.3, 0), kernel("gemm", 1e-6, 0.3, 0)});
  plan.dispatch = Dispatch::kAsynchronous;
  plan.host_sd = 0.3;
  for (PlannedCall& call : plan.micro_batch) call.host = Seconds(1e-3);
  IterationPlan host_only = plan;
  for (PlannedKernel& planned : host_only.kernels) planned.cost.shared_sd = 0;
  EXPECT_GT(correlation(computing_errors(plan, kHere), computing_errors(host_only, kHere)), 0.999);
}

TEST(ComputingErrors, AreNoneWhereNothingIsUncertain) {
  EXPECT_TRUE(computing_errors(plan_of({kernel("gemm", 1e-3, 0, 0)}), kHere).shares().empty());
}

}  // namespace
}  // namespace paceline

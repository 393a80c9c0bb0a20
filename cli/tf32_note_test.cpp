// What PyTorch does in TF32 though nobody asked for it is said where a prediction in fp32 does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_program.h"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kNote =
    "fp32 without TF32, which pytorch uses for convolutions by default: --precision tf32";

std::string output(const std::string& arguments) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

TEST(Tf32Note, IsOnEveryScreenThatRanksOrExplains) {
  const std::string job = "--model resnet50 --batch 64 --device a100-sxm-80g ";
  EXPECT_THAT(output("predict " + job), HasSubstr(kNote));
  EXPECT_THAT(output("predict " + job + "--json"), HasSubstr(kNote));
  EXPECT_THAT(output("explain " + job), HasSubstr(kNote));
  EXPECT_THAT(output("plan " + job + "--samples 1M --deadline 30d"), HasSubstr(kNote));
  EXPECT_THAT(output("compare --model resnet50 --batch 64 --device "
                     "v100-sxm2-16g,a100-sxm-80g,h100-sxm,rtx-3090,rtx-4090"),
              HasSubstr(kNote));
}

// Who names a precision wants it; older GPUs have no TF32; PyTorch's products are fp32.
TEST(Tf32Note, IsOnlyWhereItActs) {
  for (const char* job : {"--model resnet50 --batch 8 --device a100-sxm-80g --precision fp32",
                          "--model resnet50 --batch 8 --device a100-sxm-80g --precision tf32",
                          "--model resnet50 --batch 8 --device v100-sxm2-16g",
                          "--model bert-base --batch 8 --device a100-sxm-80g",
                          "--model resnet50 --batch 8 --device a100-sxm-80g --framework mxnet"}) {
    EXPECT_THAT(output(std::string("predict ") + job), Not(HasSubstr("TF32"))) << job;
  }
  EXPECT_THAT(output("predict --model bert-base --batch 8 --device a100-sxm-80g --framework "
                     "tensorflow2"),
              HasSubstr("which tensorflow2 uses for products by default"));
}

}  // namespace
}  // namespace paceline

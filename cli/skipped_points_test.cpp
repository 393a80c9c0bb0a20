// Points of a sweep that cannot be are left out and said once a reason; the others are answered.
#include "cli/skipped_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/test_program.h"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TestOutcome run(const std::string& arguments) {
  const TestFolder folder;
  return run_program_in(folder, arguments);
}

auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

// In the order in which the reasons came, however their points are mixed.
TEST(SkippedPoints, AreCountedByReason) {
  SkippedPoints skipped;
  EXPECT_TRUE(skipped.empty());
  skipped.add(UsageError("no fp8"));
  skipped.add(InputError("no file"));
  skipped.add(UsageError("no fp8"));
  std::ostringstream text;
  skipped.print(text);
  EXPECT_EQ(text.str(), "paceline: 2 points skipped: no fp8\npaceline: skipped: no file\n");
  ASSERT_TRUE(skipped.first());
  EXPECT_EQ(skipped.first()->code(), ExitCode::kUsage);
}

// Four sizes on each of two devices, of which one has no fp8.
TEST(SkippedPoints, OfAKernelShareALine) {
  const TestOutcome got =
      run("kernel --op gemm --m 1024-8192*2 --n 1024 --k 1024 --precision fp8 "
          "--device a100-sxm-80g,h100-sxm --csv");
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(lines(got.out), 5) << got.out;
  EXPECT_EQ(lines(got.err), 1) << got.err;
  EXPECT_THAT(got.err, HasSubstr("paceline: 4 points skipped: "));
}

TEST(SkippedPoints, OfAPredictionShareALine) {
  for (const std::string command : {"predict", "compare", "memory", "plan --samples 1M"}) {
    const TestOutcome got =
        run(command + " --model fcn-r --batch 32,64 --device good.json,none.json --csv");
    EXPECT_EQ(got.code, 0) << command << ": " << got.err;
    EXPECT_EQ(lines(got.out), 3) << got.out;
    EXPECT_EQ(lines(got.err), 1) << got.err;
    EXPECT_THAT(got.err, AllOf(HasSubstr("2 points skipped: "), HasSubstr("none.json")));
  }
}

// 64 samples go over 1, 2 and 4 devices, not over 3.
TEST(SkippedPoints, OfAGlobalBatchThatCannotBeDivided) {
  for (const std::string command : {"predict", "compare", "memory", "plan --samples 1M"}) {
    const TestOutcome got = run(command +
                                " --model fcn-r --global-batch 64 --gpus 1,2,3,4 "
                                "--intra pcie3-x16 --device v100-sxm2-16g --csv");
    EXPECT_EQ(got.code, 0) << command << ": " << got.err;
    EXPECT_EQ(lines(got.out), 4) << got.out;
    EXPECT_EQ(got.err, "paceline: skipped: --global-batch 64 cannot be divided over --gpus 3\n");
  }
}

TEST(SkippedPoints, OfMicroBatchesThatCannotBeDivided) {
  const TestOutcome got =
      run("predict --model fcn-r --gpus 4 --intra pcie3-x16 --device v100-sxm2-16g "
          "--global-batch 64,128 --grad-accum 1,2,4,5 --csv");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(lines(got.out), 7) << got.out;
  EXPECT_THAT(got.err, AllOf(HasSubstr("--global-batch 64 cannot be divided over --gpus 4 times"),
                             HasSubstr("--global-batch 128 cannot")));
}

// As a clock of CPUs is.
TEST(SkippedPoints, OfSocketsThatADeviceCannotHave) {
  for (const std::string other : {"t4", "i7-3820"}) {
    const TestOutcome got = run("predict --model resnet50 --batch 16 --device e5-2630-v3," + other +
                                " --set sockets=2 --csv");
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(lines(got.out), 2) << got.out;
    EXPECT_THAT(got.err, AllOf(HasSubstr("skipped: --set sockets"), HasSubstr(other)));
  }
}

// A program that asked for several gets a list.
TEST(SkippedPoints, LeaveAListEvenOfOnePoint) {
  const TestOutcome got =
      run("predict --model fcn-r --global-batch 64 --gpus 2,3 --intra pcie3-x16 "
          "--device v100-sxm2-16g --json");
  EXPECT_EQ(got.code, 0) << got.err;
  const nlohmann::json points = nlohmann::json::parse(got.out);
  ASSERT_TRUE(points.is_array());
  EXPECT_EQ(points.size(), 1u);
}

TEST(SkippedPoints, ThatAreAllThereIsFailAsTheFirst) {
  const TestOutcome got =
      run("compare --model fcn-r --global-batch 9 --gpus 2,4 --intra pcie3-x16 --device t4");
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.err, "paceline: --global-batch 9 cannot be divided over --gpus 2\n");
}

}  // namespace
}  // namespace paceline

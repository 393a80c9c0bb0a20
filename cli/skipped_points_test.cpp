// Points of a sweep that cannot be are left out and said once a reason; the others are answered.
#include "cli/skipped_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace paceline

// paceline record finds the recorder and passes on what it understands; `echo` stands for Python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_program.h"

namespace paceline {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class RecordCommand : public testing::Test {
 protected:
  TestOutcome run(const std::string& arguments, const std::string& python = "echo") {
    return run_program_in(folder_, "record " + arguments, "export PYTHON=" + python);
  }
  TestFolder folder_;
};

TEST_F(RecordCommand, OfTheCpuPassesOnPlanOrNetworks) {
  const TestOutcome plan = run("--device cpu --plan tiny --rounds 2 --append -o r.json");
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(
      plan.out,
      EndsWith(
          "validation/recorders/record_pytorch.py --rounds 2 --append --plan tiny -o r.json\n"));
  EXPECT_THAT(run("--device cpu --model resnet50 --batch 8,16 --threads 1 -o r.json").out,
              EndsWith("record_pytorch.py --model resnet50 --batch 8,16 --threads 1 -o r.json\n"));
}

TEST_F(RecordCommand, OfAGpuUsesTheCatalogsName) {
  EXPECT_THAT(
      run("--device 'Tesla T4' --plan full --budget 60 --profiles p -o r.json").out,
      EndsWith("validation/recorders/gpu/record_gpu.py --device t4 --budget 60 --profiles p "
               "--plan full -o r.json\n"));
}

TEST_F(RecordCommand, RefusesWhatTheRecorderDoesNotHave) {
  const TestOutcome gpu = run("--device t4 --batch 8 -o r.json");
  EXPECT_EQ(gpu.code, 2);
  EXPECT_THAT(gpu.err, HasSubstr("--batch does not apply to --device t4"));
  EXPECT_EQ(run("--device cpu --profiles p -o r.json").code, 2);
  const TestOutcome unknown = run("--device t44 -o r.json");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean t4"));
  EXPECT_THAT(run("--device cpu --plan tiny").err, HasSubstr("-o"));
}

// The recorder's exit code is the command's; a recorder that cannot run leaves no file.
TEST_F(RecordCommand, EndsAsTheRecorderDoes) {
  EXPECT_EQ(run("--device t4 -o r.json", "false").code, 1);
  const TestOutcome none = run("--device t4 -o r.json", "no-such-python");
  EXPECT_EQ(none.code, 5);
  EXPECT_THAT(none.err, HasSubstr("cannot run no-such-python: No such file or directory; PYTHON"));
  EXPECT_THAT(none.out, IsEmpty());
}

}  // namespace
}  // namespace paceline

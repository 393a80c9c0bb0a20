// check, compare and explain as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of nccl-tests 2.13 without the line that names the operation, and without its ranks.
constexpr char kLog[] =
    "printf '   1073741824     268435456     float     sum      -1   8171.6  131.40  229.95      0 "
    " "
    " 8171.6  131.40  229.95      0\\n# Avg bus bandwidth    : 229.95\\n' > x.log";

TEST(CheckCommand, TakesFromTheMachineWhatALogDoesNotSay) {
  const TestFolder folder;
  const TestOutcome of_cluster =
      run_program_in(folder, "check x.log --cluster dgx-a100 --op all-reduce", kLog);
  EXPECT_EQ(of_cluster.code, 0) << of_cluster.err;
  EXPECT_THAT(of_cluster.out, HasSubstr("of 1 GiB over 8 ranks")) << "as nccl-tests counts";
  const TestOutcome of_flags = run_program_in(folder, "check x.log --gpus 8 --op all-reduce", kLog);
  EXPECT_EQ(of_flags.code, 0) << of_flags.err;
}

TEST(CheckCommand, NamesTheFlagThatWouldHelp) {
  const TestFolder folder;
  EXPECT_THAT(run_program_in(folder, "check x.log --cluster dgx-a100", kLog).err,
              HasSubstr("give --op"));
  EXPECT_THAT(run_program_in(folder, "check x.log --op all-reduce", kLog).err,
              HasSubstr("give --gpus or --cluster"));
  EXPECT_THAT(run_program_in(folder, "import nccl-tests x.log --op all-reduce -o y.json", kLog).err,
              HasSubstr("give --ranks"));
}

// Ranks, machines and the operation on the command line for a log that lists none of them.
TEST(CheckCommand, SaysWhatItDidNotCheck) {
  const TestFolder folder;
  const TestOutcome table =
      run_program_in(folder, "check s.csv --model resnet50 --batch 64 --device t4",
                     "printf 'gpus,samples_per_s\\n1,330\\n8,2500\\n' > s.csv");
  EXPECT_THAT(table.out, HasSubstr("not checked: the prediction and the arithmetic peak"));
  const TestOutcome job = run_program_in(
      folder, "check --measured '600 samples/s' --model resnet50 --batch 32 --device t4 --gpus 4");
  EXPECT_THAT(job.out, HasSubstr("not checked: the scaling efficiency"));
}

TEST(CheckCommand, DoesNotTakeALimitForAnExpectation) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder,
      "check --measured '100 samples/s' --model resnet50 --batch 32 --device t4 --gpus 8 "
      "--intra pcie3-x16");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("at most 1.00"), HasSubstr("8 x ")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("expected 1.00")));
}

// The counted arithmetic is beyond the peak, and the screen says why that is no error.
TEST(PredictCommand, ExplainsAUtilizationAboveOne) {
  const TestFolder folder;
  const TestOutcome outcome =
      run_program_in(folder, "predict --model vgg16 --batch 32 --device v100-sxm2-16g");
  EXPECT_THAT(outcome.out, HasSubstr("Winograd and FFT algorithms save arithmetic"));
}

// 5000 samples/s of a T4 in fp32 are far beyond its peak; 100 are not.
TEST(PredictCommand, DoubtsACalibrationBeyondThePeak) {
  const TestFolder folder;
  const std::string job = "predict --model resnet50 --batch 32 --device t4 --calibrate ";
  EXPECT_THAT(run_program_in(folder, job + "'5000 samples/s'").out,
              HasSubstr("times what the device can do"));
  EXPECT_THAT(run_program_in(folder, job + "'100 samples/s'").out,
              Not(HasSubstr("times what the device can do")));
}

TEST(CompareCommand, ListsEachWarningOnce) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder,
      "compare --model resnet50 --batch 32 --device v100-pcie-16g --gpus 4,8 --intra "
      "pcie3-x16");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string warning = "two sockets with half of the devices each assumed";
  const std::size_t first = outcome.out.find(warning);
  ASSERT_NE(first, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(warning, first + 1), std::string::npos);
  EXPECT_THAT(outcome.out, Not(HasSubstr("gpus_per_node"))) << "nobody set it";
}

// 1979 TFLOP/s of an H100 counts zeros; a rate is held against it as a claimed utilization is.
TEST(CheckCommand, HoldsAMeasuredRateAgainstThePeakThatWasAssumed) {
  const TestFolder folder;
  const std::string run =
      "check --measured '2500 samples/s' --model resnet50 --batch 64 --device h100-sxm "
      "--precision bf16";
  const TestOutcome alone = run_program_in(folder, run);
  const TestOutcome against = run_program_in(folder, run + " --peak '1979 TFLOP/s'");
  EXPECT_EQ(against.err, alone.err);
  EXPECT_THAT(against.out, HasSubstr("sparsity"));
  EXPECT_THAT(alone.out, Not(HasSubstr("sparsity")));
}

TEST(CompareCommand, GivesOptionsToTheStrategiesThatHaveThem) {
  const TestFolder folder;
  const std::string job =
      "compare --model vgg16 --batch 32 --device v100-pcie-16g --gpus 4 --gpus-per-node 2 --intra "
      "pcie3-x16 --net 10gbe ";
  const TestOutcome both =
      run_program_in(folder, job + "--strategy ddp,parameter-server --set servers=1 --json");
  ASSERT_EQ(both.code, 0) << both.err;
  const json points = json::parse(both.out);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_FALSE(points[0]["config"]["set"].contains("servers"));
  EXPECT_EQ(points[1]["config"]["set"]["servers"], "1");
  const TestOutcome alone = run_program_in(folder, job + "--strategy ddp --set servers=1");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, AllOf(HasSubstr("--strategy ddp"), HasSubstr("parameter-server")));
}

TEST(CompareCommand, ExplainsMoreThanLinearScaling) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder,
      "compare --model alexnet --batch 128 --device k40m --framework mxnet --gpus 1,2 "
      "--intra pcie3-x16 --json");
  for (const json& point : json::parse(outcome.out)) {
    const bool above = point["scaling_efficiency"].get<double>() > 1.005;
    EXPECT_EQ(point["warnings"].dump().find("more than linear") != std::string::npos, above);
    EXPECT_EQ(above, point["config"]["gpus"] == 2);
  }
}

// The shares are of the path, which is as long as the iterations that it spans.
TEST(ExplainCommand, SaysHowManyIterationsItsCriticalPathSpans) {
  const TestFolder folder;
  const TestOutcome outcome =
      run_program_in(folder, "explain --model alexnet --batch 32 --device t4 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  const double iterations = found["critical_path_iterations"];
  double length = 0, shares = 0;
  for (const json& part : found["critical_path"]) {
    length += part["time_s"].get<double>();
    shares += part["share"].get<double>();
  }
  EXPECT_NEAR(shares, 1, 1e-6);
  EXPECT_NEAR(length / iterations / found["iteration_time_s"]["median"].get<double>(), 1, 0.05);
}

// A trace that Paceline wrote of the same experiment: every layer, to the picosecond.
TEST(ExplainCommand, MatchesEveryLayerOfItsOwnTrace) {
  const TestFolder folder;
  for (const char* experiment : {"--model resnet50 --batch 8 --device t4 ",
                                 "--model alexnet --batch 4 --device good.json "}) {
    const TestOutcome written =
        run_program_in(folder, std::string("predict --trace own.json ") + experiment);
    ASSERT_EQ(written.code, 0) << written.err;
    const TestOutcome outcome =
        run_program_in(folder, std::string("explain --against own.json --json ") + experiment);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json against = json::parse(outcome.out)["against"];
    EXPECT_GT(against["layers"].size(), 10u);
    EXPECT_EQ(against["matched_layers"], against["layers"].size()) << experiment;
    for (const json& layer : against["layers"]) {
      for (const char* pass : {"forward_s", "backward_s"}) {
        const double predicted = layer["predicted"][pass];
        EXPECT_NEAR(layer["measured"][pass].get<double>(), predicted, 1e-6 * predicted + 1e-10)
            << layer["layer"];
      }
    }
  }
}

// The trace of a job knows layers with weights only; of several ranks the first is compared. What
// its collectives take from the kernels beside them is in the trace and not in a layer's
// prediction.
TEST(ExplainCommand, MatchesTheTraceOfAJobButForContention) {
  const TestFolder folder;
  const std::string experiment =
      "--model resnet50 --batch 8 --device t4 --gpus 4 --intra pcie3-x16 ";
  ASSERT_EQ(run_program_in(folder, "predict --trace own.json " + experiment).code, 0);
  const TestOutcome outcome =
      run_program_in(folder, "explain --against own.json --json " + experiment);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json against = json::parse(outcome.out)["against"];
  EXPECT_GT(against["layers"].size(), 100u);
  EXPECT_EQ(against["matched_layers"], against["layers"].size());
  EXPECT_GT(against["joined_layers"], 10);
  for (const json& layer : against["layers"]) {
    const double forward = layer["predicted"]["forward_s"];
    const double backward = layer["predicted"]["backward_s"];
    EXPECT_NEAR(layer["measured"]["forward_s"].get<double>(), forward, 1e-6 * forward + 1e-10);
    EXPECT_GE(layer["measured"]["backward_s"].get<double>(), (1 - 1e-6) * backward);
    EXPECT_LE(layer["measured"]["backward_s"].get<double>(), 1.2 * backward) << layer["layer"];
  }
}

TEST(PredictCommand, SaysOnceThatAnIntervalIsWide) {
  const TestFolder folder;
  const std::string job = "predict --json --model resnet50 --batch 32 --device k80 ";
  for (const char* devices : {"", "--gpus 4 --intra pcie3-x16"}) {
    const TestOutcome outcome = run_program_in(folder, job + devices);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    int said = 0;
    const json report = json::parse(outcome.out);
    for (const json& warning : report["warnings"]) {
      said += warning.get<std::string>().starts_with("the interval is wide") ? 1 : 0;
    }
    EXPECT_EQ(said, 1) << outcome.out;
  }
}

TEST(KernelCommand, SaysWhatNoDeviceOfTheKindCouldHold) {
  const TestFolder folder;
  const std::string gemm = "kernel --op gemm --device t4 --n 40000 --k 40000 --m ";
  EXPECT_THAT(run_program_in(folder, gemm + "400000").out, HasSubstr("cannot run"));
  EXPECT_THAT(run_program_in(folder, gemm + "400").out, Not(HasSubstr("cannot run")));
  // In place: 10 GB are read and written where they lie.
  EXPECT_THAT(run_program_in(folder, "kernel --op elementwise --bytes 20GB --device t4").out,
              Not(HasSubstr("cannot run")));
}

TEST(Help, ListsTheKindsOfImportAndList) {
  const TestFolder folder;
  EXPECT_THAT(run_program_in(folder, "list --help").out, HasSubstr("strategies"));
  const std::string import = run_program_in(folder, "import --help").out;
  EXPECT_THAT(import, AllOf(HasSubstr("kineto"), HasSubstr("nccl-tests"), Not(HasSubstr("0x"))));
}

// What a cluster says about the job counts as much as the flags do.
TEST(CheckCommand, TakesDeviceAndNumberFromTheCluster) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder,
      "check --json --measured '2600 samples/s' --model resnet50 --batch 64 --cluster dgx-1-v100");
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("8 x "));
}

TEST(CheckCommand, DoubtsWhatWouldNotFit) {
  const TestFolder folder;
  const std::string job =
      "check --model resnet50 --device v100-sxm2-16g --measured '340 samples/s' ";
  EXPECT_EQ(run_program_in(folder, job + "--batch 64").code, 0);
  const TestOutcome outcome = run_program_in(folder, job + "--batch 640");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("does not fit"));
}

// One that is far off is held against inference too, of which several devices exchange nothing.
TEST(CheckCommand, LooksForExplanationsOfJobs) {
  const TestFolder folder;
  const std::string job =
      "--model resnet50 --batch 64 --device v100-sxm2-16g --gpus 8 --intra nvlink2-cube-mesh ";
  EXPECT_EQ(run_program_in(folder, "check --measured '100 samples/s' " + job).code, 4);
  const TestOutcome forward = run_program_in(folder, "predict --set phases=forward " + job);
  EXPECT_EQ(forward.code, 2);
  EXPECT_THAT(forward.err, HasSubstr("phases=forward"));
}

// A swept option has a column, or rows could not be told apart.
TEST(SweepTables, ShowTheOptionsThatDiffer) {
  const TestFolder folder;
  const std::string sweep =
      " --csv --model resnet50 --batch 8 --device v100-sxm2-16g --framework mxnet "
      "--set recompute=none,mirror";
  for (const char* command : {"memory", "predict"}) {
    const TestOutcome outcome = run_program_in(folder, command + sweep);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("recompute"), HasSubstr("mirror"))) << command;
    EXPECT_THAT(outcome.out, Not(HasSubstr("threads"))) << command;
  }
}

}  // namespace
}  // namespace paceline

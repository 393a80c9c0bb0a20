// What screens say to people, and how wide they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cli/test_program.h"
#include "core/screen_text.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string screen(const std::string& command) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

std::size_t columns(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

#define ON_8_GPUS                                                                            \
  "--device v100-sxm2-16g --gpus 8 --gpus-per-node 4 --intra nvlink2-cube-mesh --net 10gbe " \
  "--strategy ddp "

#define ON_8_GPUS_OF_A_CLUSTER \
  "--device v100-sxm2-16g --gpus 8 --gpus-per-node 4 --intra nvlink2-cube-mesh --net 10gbe"

// Nobody has asked for more than the essential yet: it is seen without scrolling.
TEST(FirstScreen, FitsATerminal) {
  for (const char* command :
       {"predict --model resnet50 --batch 8 --device e5-2630-v3",
        "predict --model gpt2 --batch 4 --device a100-sxm-80g --precision bf16 --gpus 64 "
        "--gpus-per-node 8 --intra nvswitch2 --net 100gbe --strategy zero-3",
        "predict --model resnet50 --batch 8-64*2 --device v100-sxm2-16g --precision fp32,fp16",
        "compare --model resnet50 --batch 8-64*2 --device v100-sxm2-16g --gpus 2-8*2 "
        "--gpus-per-node 4 --intra pcie3-x16 --net 10gbe --strategy ddp,wfbp",
        "compare --model bert-base --batch 16 --seq 128 --precision fp16 --device "
        "t4,v100-sxm2-16g,a100-pcie-40g",
        "plan --model resnet50 --batch 64 --device v100-sxm2-16g,a100-sxm-80g,t4 --gpus 1-64*2 "
        "--gpus-per-node 8 --intra pcie3-x16 --net 10gbe,100gbe --samples 100M --deadline 60d",
        "memory --model resnet50 --batch 64 --device v100-sxm2-16g",
        "kernel --op gemm --m 1024 --n 1024 --k 1024 --precision fp16 --device v100-sxm2-16g",
        "collective --op all-reduce --bytes '1 GiB' " ON_8_GPUS_OF_A_CLUSTER,
        "check --measured '2000 samples/s' --model resnet50 --batch 32 " ON_8_GPUS,
        "validate --only cpu-1-thread",
        "validate --only lab-mxnet,cpu-1-thread,lab-overlap,"
        "torchtitan-llama3-8b",
        "explain --model resnet50 --batch 8 --device good.json",
        "explain --model resnet50 --batch 32 --device v100-sxm2-16g",
        "explain --model resnet50 --batch 32 " ON_8_GPUS,
        "explain --model gpt2 --batch 4 --device a100-sxm-80g --precision bf16 --gpus 64 "
        "--gpus-per-node 8 --intra nvswitch2 --net 100gbe --strategy zero-3",
        "explain --model vgg16 --batch 32 --device v100-sxm2-16g --gpus 8 --gpus-per-node 4 "
        "--intra nvlink2-cube-mesh --net 10gbe --strategy parameter-server --framework "
        "tensorflow"}) {
    const std::string text = screen(command);
    EXPECT_LE(screen_rows(text), kScreenRows) << command << "\n" << text;
  }
}

TEST(CompareCommand, ShowsEveryRowAndColumnIfAsked) {
  const std::string compare =
      "compare --model resnet50 --batch 8-64*2 --device v100-sxm2-16g --gpus 2-8*2 --gpus-per-node "
      "4 "
      "--intra pcie3-x16 --net 10gbe --strategy ddp,wfbp ";
  const std::string first = screen(compare);
  EXPECT_THAT(first, AllOf(HasSubstr("more (--top N shows them)"), Not(HasSubstr("spare"))));
  const std::string all = screen(compare + "--all");
  EXPECT_THAT(all, AllOf(HasSubstr("spare"), HasSubstr("largest batch"),
                         Not(HasSubstr("and "
                                       "1 more"))));
  EXPECT_GT(lines_of(all).size(), 25u);
  // Twenty-four points and their header.
  EXPECT_GE(lines_of(screen(compare + "--top 24")).size(), 25u);
}

// In a pipe nobody scrolls: programs read the whole list.
TEST(ListCommand, IsCutOnATerminalOnly) {
  const TestFolder folder;
  const auto on_terminal = [&](const std::string& more) {
    return run_program_in(
        folder, "list devices " + more,
        "script -qec \"'" PACELINE_PROGRAM "' list devices " + more + "\" /dev/null >typescript");
  };
  if (on_terminal("").code != 0) GTEST_SKIP() << "no script(1)";
  const std::string cut = TestFolder::read(folder.path() / "typescript");
  EXPECT_LE(screen_rows(cut), kScreenRows) << cut;
  EXPECT_THAT(cut, HasSubstr("more (--all lists them)"));
  EXPECT_GT(lines_of(on_terminal("--all").out).size(), kScreenRows);
  EXPECT_GT(lines_of(TestFolder::read(folder.path() / "typescript")).size(), kScreenRows);
}

// Of a network whose large layers are convolutions, fp8 concerns a small part.
TEST(PredictCommand, SaysHowMuchRunsInFp8) {
  EXPECT_THAT(screen("predict --model vgg16 --batch 32 --device h100-sxm --precision fp8 --json"),
              HasSubstr("of the arithmetic runs in fp8"));
  EXPECT_THAT(
      screen("predict --model bert-large --batch 8 --device h100-sxm --precision fp8 --json"),
      Not(HasSubstr("of the arithmetic runs in fp8")));
}

TEST(ExplainCommand, SaysTheEssentialFirst) {
  const std::string text = screen("explain --model resnet50 --batch 32 " ON_8_GPUS);
  for (const char* label : {"bottleneck  ", "exposed     ", "gains       ", "knee        ",
                            "path        ", "kernels     ", "memory      ", "warning     "}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n  ") + label));
  }
  EXPECT_THAT(text, AllOf(HasSubstr("twice the bandwidth of 10gbe"), HasSubstr("--all shows")));
  const std::string alone = screen("explain --model resnet50 --batch 32 --device v100-sxm2-16g");
  EXPECT_THAT(alone, AllOf(HasSubstr("twice as fast"), Not(HasSubstr("exposed     "))));
}

// The bar's shares, to a tenth of a percent.
TEST(ExplainCommand, SplitsTheWholeIteration) {
  for (const char* job : {"--model resnet50 --batch 32 " ON_8_GPUS,
                          "--model alexnet --batch 32 --device v100-sxm2-16g"}) {
    const std::string text = screen(std::string("explain ") + job);
    const std::size_t from = text.find("]\n  F forward");
    ASSERT_NE(from, std::string::npos) << text;
    std::istringstream line(text.substr(from + 2, text.find('\n', from + 2) - from - 2));
    std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
    double sum = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "%" && words[i - 1][0] != '<') sum += std::stod(words[i - 1]);
    }
    EXPECT_NEAR(sum, 100, 1e-9) << text;
  }
}

TEST(ExplainCommand, ShowsEveryTableIfAsked) {
  const std::string job = "explain --model resnet50 --batch 32 " ON_8_GPUS;
  for (const char* more : {"--all", "--top 3"}) {
    EXPECT_THAT(screen(job + more),
                AllOf(HasSubstr("critical path of 2 iterations"), HasSubstr("knee: above"),
                      HasSubstr("FLOP/B"), HasSubstr("implementation ")));
  }
  const TestFolder folder;
  const TestOutcome refused = run_program_in(folder, job + "--all --json");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--all has no effect with --json"));
}

TEST(ValidateCommand, Fits120Columns) {
  for (const char* sets : {"cpu-1-thread", "torchtitan-llama3-8b", "lab-mxnet"}) {
    const std::string text = screen(std::string("validate --only ") + sets);
    EXPECT_LE(columns(text), 120u) << text;
    EXPECT_THAT(text, HasSubstr(sets));
  }
  EXPECT_LE(columns(screen("validate --kernels")), 120u);
}

TEST(ValidateCommand, ShowsCasesOfAFewSetsOnly) {
  const std::string few = "validate --only cpu-1-thread,lab-mxnet,torchtitan-llama3-8b";
  EXPECT_THAT(screen(few), HasSubstr("times in ms"));
  EXPECT_THAT(screen(few + ",lab-overlap"),
              AllOf(Not(HasSubstr("times in ms")), HasSubstr("--only SET")));
}

TEST(ListCommand, ShowsMemoryBandwidthAndPeakOfDevices) {
  const std::string text = screen("list devices");
  std::istringstream lines(text);
  std::string header, v100;
  std::getline(lines, header);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("v100-sxm2-16g ")) v100 = line;
  }
  EXPECT_THAT(header, AllOf(HasSubstr("capacity"), HasSubstr("bandwidth"), HasSubstr("peak")));
  EXPECT_THAT(v100, AllOf(HasSubstr("HBM2"), HasSubstr("17.2 GB"), HasSubstr("900 GB/s"),
                          HasSubstr("15.7 TFLOP/s"), HasSubstr("125 TFLOP/s fp16")));
}

TEST(PlanCommand, SaysThatANetworkIsOneCardOfAMachine) {
  const std::string plan =
      "plan --model resnet50 --batch 64 --device v100-sxm2-16g --gpus 16 --gpus-per-node 8 --intra "
      "nvlink2-cube-mesh --samples 1M --deadline 3d --net ";
  EXPECT_THAT(screen(plan + "100g-ib"), HasSubstr("--net \"100g-ib*8\""));
  EXPECT_THAT(screen(plan + "'100g-ib*8'"), Not(HasSubstr("one card per machine")));
}

// A plan rests on one prediction more than on the others: what limits it and what is not known of
// it.
TEST(PlanCommand, SaysWhatLimitsTheBestConfiguration) {
  EXPECT_THAT(screen("plan --model vgg16 --batch 32 --device v100-pcie-16g --gpus 2,8 "
                     "--gpus-per-node 1 --net 10gbe --strategy ddp --samples 1M --deadline 30d"),
              AllOf(HasSubstr("bottleneck of rank 1: "), HasSubstr("warning of rank 1: ")));
}

// The resource that binds, the strategy's way and the kernels that differ are named.
TEST(CompareCommand, NamesTheMechanismOfEachReason) {
  const std::string strategies = screen(
      "compare --model vgg16 --batch 32 --device v100-pcie-16g --gpus 8 --gpus-per-node 4 --intra "
      "pcie3-x16 --net 10gbe --strategy ddp,parameter-server");
  EXPECT_THAT(strategies, AllOf(HasSubstr("why: parameter-server takes"),
                                HasSubstr("each variable in one place, fetched by every device"),
                                HasSubstr(": busy ")));
  const std::string frameworks = screen(
      "compare --model lstm-ptb --batch 128 --framework cntk,mxnet --device titan-x-maxwell");
  EXPECT_THAT(frameworks, AllOf(HasSubstr("why: mxnet takes"), HasSubstr("kernels: ")));
}

// Two TCP connections bound every one of these networks: one warning, and not behind the others.
TEST(CompareCommand, SaysThatConnectionsBindEveryNetwork) {
  EXPECT_THAT(screen("compare --model resnet50 --batch 64 --device v100-pcie-16g --gpus 8 "
                     "--gpus-per-node 4 --intra pcie3-x16 --strategy ddp --net "
                     "25gbe,40gbe,100gbe,200gbe,400gbe"),
              HasSubstr("warning (5 of 5 points, with other numbers): 2 tcp connections carry"));
}

// Parameters that were transferred cannot be measured again: they never were.
TEST(PredictCommand, SaysWhatWouldNarrowTheIntervalOfACpuThatNobodyMeasured) {
  const std::string text = screen("predict --model resnet50 --batch 8 --device e5-2630-v3 --json");
  EXPECT_THAT(text, AllOf(HasSubstr("nobody has measured this CPU"), Not(HasSubstr("again"))));
}

// The first warning says so, nothing of it is called measured, and its memory is no fact.
TEST(PredictCommand, SaysFirstThatNobodyMeasuredACpu) {
  const std::string text = screen(
      "predict --model alexnet --batch 128 --device e5-2630-v3 --threads 8 --framework torch7");
  const std::size_t first = text.find("  warning ");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_THAT(text.substr(first, text.find('\n', first) - first),
              HasSubstr("nobody has measured this CPU"));
  EXPECT_THAT(text, AllOf(HasSubstr("of the data-sheet peak"), Not(HasSubstr("measured peak")),
                          HasSubstr("if fully equipped: fits")));
}

// What a file says of a device is enough for jobs of several: its links, and its class of NCCL's
// tables.
TEST(DeviceOfAFile, RunsInJobsAsTheSameDeviceOfTheCatalog) {
  const TestFolder folder;
  const std::string job =
      "predict --model alexnet --batch 32 --gpus 4 --intra pcie3-x16 --strategy ddp --json "
      "--device ";
  const TestOutcome copy = run_program_in(folder, job + "t4-copy.json");
  const TestOutcome mine = run_program_in(folder, job + "my-device.json");
  ASSERT_EQ(copy.code, 0) << copy.err;
  ASSERT_EQ(mine.code, 0) << mine.err;
  EXPECT_EQ(run_program_in(folder,
                           "compare --model alexnet --batch 32 --gpus 2,4 --intra pcie3-x16 "
                           "--strategy ddp,wfbp --device my-device.json")
                .code,
            0);
}

}  // namespace
}  // namespace paceline

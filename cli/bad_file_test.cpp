// Files that cannot be read, written or believed, through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bad_input.h"
#include "cli/test_program.h"
#include "core/provenance.h"

namespace paceline {
namespace {

using testing::HasSubstr;

#define GOOD "--model resnet50 --batch 8 --device good.json "
const BadInput kBadFiles[] = {
    // Outputs.
    {"OutputToNothing", "predict " GOOD "--json -o ''", 2, "empty"},
    {"TraceToNothing", "predict " GOOD "--trace ''", 2, "empty"},
    {"OutputToDash", "predict " GOOD "-o -", 2, "./-"},
    {"OutputToThisFolder", "predict " GOOD "-o .", 3, "this is a folder"},
    {"OutputDeepInMissingFolders", "predict " GOOD "-o x/y/z", 3, "no folder \"x/y\""},
    {"OneFileForTwoOutputs", "predict " GOOD "--json -o t.json --trace ./t.json", 2, "both write"},
    {"OutputReplacesInput", "predict " GOOD "--json -o ./good.json", 2, "--device reads"},
    {"OutputReplacesArgument", "check scaling.csv -o scaling.csv", 2, "FILE reads"},
    {"TraceBesideBadOutput", "predict " GOOD "--trace t.json -o nowhere/t.json", 3, "no folder"},
    // Parameters.
    {"EndlessFile", "predict --model resnet50 --batch 8 --device endless.json", 3, "a device"},
    {"CoresThatWrap", "predict --model resnet50 --batch 8 --device wrapping.json", 3,
     "provenance/host/cores"},
    {"AbsurdError", "predict --model resnet50 --batch 8 --device absurd-error.json", 3, "own_sd"},
    {"AbsurdTime", "predict --model resnet50 --batch 8 --device absurd-time.json", 3,
     "make no sense"},
    {"NegativeMemory", "predict --model resnet50 --batch 8 --device no-memory.json", 3,
     "memory_bytes"},
    {"NumberOutOfRange", "predict --model resnet50 --batch 8 --device out-of-range.json", 3,
     "1e999 at line"},
    {"WithoutHostCosts", "predict --model resnet50 --batch 8 --device no-host.json", 3,
     "--host-recording"},
    {"EndlessIteration",
     "predict --model resnet50 --batch 1000000 --grad-accum 1048576 "
     "--device good.json",
     2, "fewer samples"},
    // Device files and probes.
    {"DeviceWithANameOfTheCatalog", "predict --model resnet50 --batch 8 --device t4-changed.json",
     3, "t4-changed.json:/name: \"t4\""},
    {"DeviceWithEndlessMemory", "predict --model resnet50 --batch 8 --device t4-huge.json", 3,
     "t4-huge.json:/memory/capacity/value"},
    {"DeviceWithAnUnknownChip", "predict --model resnet50 --batch 8 --device t4-kin.json", 3,
     "did you mean t4"},
    {"ProbeOfANegativeShape",
     "predict --model resnet50 --batch 8 --device t4 --probe probe-shape.json", 3,
     "probe-shape.json:/results/0: axis m is -5"},
    {"ProbeFasterThanThePeak",
     "predict --model resnet50 --batch 8 --device t4 --probe probe-fast.json", 3,
     "times the data-sheet peak"},
    {"ProbeOfAnUnknownPrecision",
     "predict --model resnet50 --batch 8 --device t4 --probe probe-fp31.json", 3,
     "probe-fp31.json:/results/0: unknown precision"},
    {"ProbeOfAPrecisionTheGpuLacks",
     "predict --model resnet50 --batch 8 --device t4 --probe probe-bf16.json", 3,
     "probe-bf16.json:/results/0: t4 has no bf16"},
    // Model files.
    {"ConvolutionStrideZero", "predict --model conv-stride.json --batch 8 --device good.json", 3,
     "conv-stride.json:/operations/0/stride"},
    {"ConvolutionKernelZero", "predict --model conv-kernel.json --batch 8 --device good.json", 3,
     "operations/0/kernel"},
    {"ConvolutionNegativePad", "predict --model conv-pad.json --batch 8 --device good.json", 3,
     "operations/0/pad"},
    {"MaxPoolStrideZero", "predict --model max-pool-stride.json --batch 8 --device good.json", 3,
     "operations/0/stride"},
    {"MaxPoolKernelZero", "predict --model max-pool-kernel.json --batch 8 --device good.json", 3,
     "operations/0/kernel"},
    {"AveragePoolStrideZero",
     "predict --model average-pool-stride.json --batch 8 --device good.json", 3,
     "operations/0/stride"},
    {"AxisThatWraps", "predict --model axis.json --batch 8 --device good.json", 3, "axes"},
    {"NetworkWithoutLoss", "predict --model no-loss.json --batch 8 --device good.json", 3, "loss"},
    {"TooManyLayers", "predict --model deep-config.json --batch 8 --device good.json", 3,
     "num_hidden_layers"},
    {"TooManyPositions", "predict --model long-config.json --batch 8 --device good.json", 3,
     "max_position_embeddings"},
    // Measurements.
    {"CalibrateNothing", "calibrate", 2, "paceline: FILE is required"},
    {"ListNothing", "list", 2, "workloads"},
    {"OneShapeIsNoFit", "calibrate one-shape.json -o out.json", 3, "too few shapes"},
    {"OneShapeIsNotInstalled", "calibrate one-shape.json --install", 3, "nothing is written"},
    {"MeasuredOnABusyMachine", "calibrate busy.json -o out.json", 3, "too busy"},
    {"MeasuredWithoutThreads", "calibrate no-threads.json -o out.json", 3,
     "\"threads\" is missing"},
    {"MeasuredWithoutCache", "calibrate no-cache.json -o out.json", 3, "\"cache\" is missing"},
    {"NoKernelMeasured", "calibrate no-kernel.json -o out.json", 3, "no kernel"},
};

class BadFiles : public testing::TestWithParam<BadInput> {};

TEST_P(BadFiles, AreRefusedInOneHelpfulLineWithoutTrace) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadFiles, testing::ValuesIn(kBadFiles),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(GoodInput, NamesIgnoreCase) {
  const TestFolder folder;
  for (const char* arguments :
       {"predict --model ResNet-50 --batch 8 --device good.json --precision FP32 --framework "
        "PyTorch",
        "list Workloads", "kernel --op GEMM --m 64 --n 64 --k 64 --device T4 --precision FP16"}) {
    const TestOutcome outcome = run_program_in(folder, arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
  }
  EXPECT_THAT(run_program_in(folder, "predict --model resnet50 --batch 8 --device CPU").err,
              HasSubstr("not calibrated"));
}

TEST(GoodInput, MayBeADeviceFileOfItsOwnOrACopyOfAShippedOne) {
  const TestFolder folder;
  for (const char* device : {"my-device.json", "t4-copy.json"}) {
    const TestOutcome outcome = run_program_in(
        folder, std::string("predict --model resnet50 --batch 8 --device ") + device);
    EXPECT_EQ(outcome.code, 0) << device << ": " << outcome.err;
  }
}

// The files behind a number can be told apart by their hashes, the model's too.
TEST(GoodInput, IsListedWithItsHash) {
  const TestFolder folder;
  const TestOutcome outcome =
      run_program_in(folder, "predict --model net.json --batch 8 --device good.json --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"net.json\""));
  EXPECT_THAT(outcome.out, HasSubstr(sha256_hex(TestFolder::read(folder.path() / "net.json"))));
}

TEST(List, OfWorkloadsIsSorted) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, "list workloads --json");
  EXPECT_LT(outcome.out.find("\"alexnet\""), outcome.out.find("\"bert-base\""));
  EXPECT_LT(outcome.out.find("\"bert-base\""), outcome.out.find("\"vgg16\""));
}

// A file may not grow beyond 512 bytes: as on a full disk, nothing is left of it.
TEST(Output, ThatBreaksOffLeavesNothing) {
  const TestFolder folder;
  const std::vector<std::string> before = folder.files();
  const TestOutcome outcome =
      run_program_in(folder, "predict " GOOD "--json -o out.json", "ulimit -f 1");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("could not be written completely"));
  EXPECT_EQ(folder.files(), before);
}

}  // namespace
}  // namespace paceline

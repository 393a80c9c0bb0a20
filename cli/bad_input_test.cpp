// Wrong input through the real program: the exit code says what kind of mistake it was, exactly one
// line on stderr says what was found and what is allowed, and nothing is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/bad_input.h"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

#define GOOD "--model resnet50 --batch 8 --device good.json "
const BadInput kBadInputs[] = {
    // Commands and flags.
    {"NoCommand", "", 2, "paceline --help"},
    {"UnknownCommand", "pedict", 2, "did you mean predict"},
    {"UnknownFlag", "predict " GOOD "--batchsize 8", 2, "unknown flag --batchsize"},
    {"MistypedFlag", "predict --model resnet50 --bach 8 --device good.json", 2, "--batch"},
    {"FlagWithoutValue", "predict --model resnet50 --device good.json --batch", 2,
     "--batch needs a value"},
    {"FlagTwice", "predict " GOOD "--batch 9", 2, "--batch is given twice"},
    {"SwitchTwice", "predict " GOOD "--json --json", 2, "--json is given twice"},
    {"TwoFormats", "predict " GOOD "--json --csv", 2, "exclude one another"},
    {"StrayArgument", "predict " GOOD "resnet101", 2, "unexpected argument \"resnet101\""},
    {"MissingModel", "predict --batch 8 --device good.json", 2, "--model is required"},
    {"MissingDevice", "predict --model resnet50 --batch 8", 2, "--device is required"},
    {"MissingBatch", "predict --model resnet50 --device good.json", 2, "--batch"},
    {"UnknownModelBeforeMissingBatch", "predict --model resnet5 --device t4", 2, "resnet50"},
    {"NetworkOfOneDevice", "predict " GOOD "--net 10gbe", 2, "no effect on one device"},
    {"LinkOfOneDevice", "compare " GOOD "--set recompute=none --intra pcie3-x16", 2,
     "no effect on one device"},
    {"TransportOfOneDevice", "predict --model alexnet --batch 8 --device t4 --set transport=tcp", 2,
     "has no effect on one device; give --gpus"},
    {"ContentionOfOneDevice", "memory --model alexnet --batch 8 --device t4 --set contention=off",
     2, "has no effect on one device"},
    {"SharedCoresOfOneCpu", "predict " GOOD "--set shared_cores=4", 2,
     "has no effect on one device"},
    {"OptimizerOfForwardAlone",
     "predict --model alexnet --batch 8 --device t4 --set phases=forward --set optimizer=adam", 2,
     "phases=forward, which updates no weight"},
    {"EmbeddingOfANetworkWithoutOne",
     "predict --model alexnet --batch 8 --device t4 --framework tensorflow --set embedding=device",
     2, "has no effect on alexnet: the prediction is the same with host"},
    {"EmbeddingOfNoNetworkOfASweep",
     "compare --model alexnet,vgg16 --batch 8 --device t4 --framework tensorflow --set "
     "embedding=host,device",
     2, "has no effect on "},
    {"Fp8OfAnImageNetwork", "predict --model resnet50 --batch 7 --device h100-sxm --precision fp8",
     2, "--precision fp8 has no effect on resnet50"},
    {"Fp8OfTheMemoryOfAnImageNetwork",
     "memory --model resnet50 --batch 7 --device h100-sxm --precision fp8", 2, "give bf16"},
    {"RecurrentNetworkOfCaffeOnACpu",
     "predict --framework caffe --model lstm-ptb --batch 8 --device e5-2630-v3", 2,
     "is recurrent, which caffe has no layer for"},
    {"OptionOfNobody", "predict " GOOD "--set serverz=1", 2, "serverz"},
    {"TwoBatches", "predict " GOOD "--global-batch 8", 2, "exclude one another"},
    // Names.
    {"MistypedModel", "predict --model resnet5 --batch 8 --device good.json", 2, "resnet50"},
    {"UnknownModel", "predict --model zzzzzz --batch 8 --device good.json", 2, "unknown model"},
    {"EmptyModel", "predict --model '' --batch 8 --device good.json", 2, "--model"},
    {"MistypedFramework", "predict " GOOD "--framework pytroch", 2, "pytorch"},
    {"MistypedStrategy", "predict " GOOD "--strategy dpd", 2, "ddp"},
    {"UnsupportedStrategy", "predict " GOOD "--strategy megatron", 2, "not supported yet"},
    {"UnknownPrecision", "predict " GOOD "--precision fp31", 2, "fp32"},
    {"UnsupportedPrecision", "predict " GOOD "--precision bf16", 2, "not supported yet"},
    {"MistypedListKind", "list framworks", 2, "frameworks"},
    {"UnknownValidationSet", "validate --only no-such-set", 2, "no-such-set"},
    {"MistypedGpu", "predict --model resnet50 --batch 8 --device gtx-1800", 2, "gtx-1080"},
    {"AmbiguousGpu", "predict --model resnet50 --batch 8 --device v100", 2, "v100-sxm2-16g"},
    {"SocketsOfACpu", "predict --model resnet50 --batch 8 --device i7-3820 --set sockets=no", 2,
     "expected a number from 1"},
    {"SocketsOfAGpu", "predict --model resnet50 --batch 8 --device t4 --set sockets=2", 2,
     "t4 is a GPU"},
    {"MoreSocketsThanThereAre",
     "predict --model resnet50 --batch 8 --device e5-2630-v3 --set sockets=8", 2,
     "1 to 2, the most that a machine of e5-2630-v3 has (vendor data sheet"},
    {"EmptyElementOfAKernel", "kernel --op gemm --m 1,,2 --n 64 --k 64 --device t4", 2,
     "empty element"},
    {"TooManyKernels", "kernel --op gemm --m 1-4096 --n 1-4096 --k 64 --device t4", 2,
     "16777216 points or more; at most 100000 are allowed"},
    {"KernelSweepOfNothing", "kernel --op gemm --m 1,2 --n 64 --k 64 --device t5", 2, "t4"},
    {"ThreadsOfACpu", "predict --model resnet50 --batch 8 --device i7-3820 --threads 9", 2,
     "1 to 8"},
    {"KernelsAndSets", "validate --kernels --only caffe-hkbu", 2, "does not go with --kernels"},
    {"PrecisionTheGpuLacks",
     "predict --model resnet50 --batch 8 --device p100-pcie --precision bf16", 2,
     "it has fp32, fp16"},
    {"ThreadsOfAGpu", "predict --model resnet50 --batch 8 --device t4 --threads 4", 2, "is a GPU"},
    {"MistypedOptimizer", "predict --model resnet50 --batch 8 --device t4 --set optimizer=adem", 2,
     "adam"},
    {"ImpossibleClock", "predict --model resnet50 --batch 8 --device k80 --set clock=5GHz", 2,
     "875 MHz"},
    {"ClockWithoutUnit", "predict --model resnet50 --batch 8 --device k80 --set clock=562", 2,
     "562"},
    {"CompileOnACpu", "predict " GOOD "--set compile=on", 2, "an option of pytorch on GPUs"},
    {"ClockOfACpu", "predict " GOOD "--set clock=2GHz", 2, "is of GPUs"},
    {"ClockOfACpuOfTheCatalog",
     "kernel --op gemm --m 64 --n 64 --k 64 --device e5-2630-v3 --clock 1GHz", 2,
     "paceline: a clock is of GPUs; e5-2630-v3 is a CPU"},
    {"KernelAtNoClock", "kernel --op gemm --m 64 --n 64 --k 64 --device t4 --clock 0Hz", 2,
     "paceline: a clock of 0Hz: expected more than 0 Hz"},
    {"MistypedSockets", "predict --model resnet50 --batch 8 --device e5-2630-v3 --set socket=2", 2,
     "did you mean sockets"},
    {"MistypedClock", "predict --model resnet50 --batch 8 --device t4 --set clok=1GHz", 2,
     "did you mean clock"},
    {"OptionThatNoGpuHas", "predict --model resnet50 --batch 8 --device t4 --set zzzzzzzzzz=2", 2,
     "clock, power"},
    {"ProbeOfACpuOfTheCatalog",
     "predict --model resnet50 --batch 8 --device e5-2630-v3 --probe good.json", 2,
     "paceline: --probe is of GPUs"},
    {"MissingProbe", "predict --model resnet50 --batch 8 --device t4 --probe no.json", 3,
     "no.json"},
    {"ProbeOfACpu", "predict --model resnet50 --batch 8 --device t4 --probe good.json", 3,
     "good.json"},
    {"MoreThreadsThanCores", "predict " GOOD "--threads 3", 2, "1 to 2 are allowed"},
    {"KernelOfMoreThreadsThanCores",
     "kernel --op gemm --m 64 --n 64 --k 64 --device e5-2630-v3 --threads 33", 2, "1 to 16 are"},
    {"UniformAtFp32", "predict --model resnet50 --batch 8 --device t4 --set mixed=uniform", 2,
     "no effect with --precision fp32"},
    {"KernelOfTwoSizes", "kernel --op softmax --bytes 1MB --rows 8 --row 8 --device t4", 2,
     "exclude each other"},
    {"KernelOfNoElement", "kernel --op elementwise --bytes '1 B' --device t4", 2, "one element"},
    {"KernelOfEndlessBytes", "kernel --op elementwise --bytes '1e300 B' --device t4", 2,
     "one element"},
    {"KernelThatACpuLacks", "kernel --op lstm --hidden 8 --batch 1 --steps 1 --device good.json", 2,
     "no single library call"},
    // Numbers.
    {"NegativeBatch", "predict --model resnet50 --batch -4 --device good.json", 2, "\"-4\""},
    {"ZeroBatch", "predict --model resnet50 --batch 0 --device good.json", 2, "\"0\""},
    {"FractionalBatch", "predict --model resnet50 --batch 1.5 --device good.json", 2, "\"1.5\""},
    {"TextBatch", "predict --model resnet50 --batch eight --device good.json", 2, "\"eight\""},
    {"NanBatch", "predict --model resnet50 --batch nan --device good.json", 2, "\"nan\""},
    {"HugeBatch", "predict --model resnet50 --batch 99999999999999999999 --device good.json", 2,
     "whole number"},
    {"EmptyListElement", "predict --model resnet50 --batch 1,,2 --device good.json", 2,
     "empty element"},
    {"EmptyRange", "predict --model resnet50 --batch 8-4 --device good.json", 2, "empty range"},
    {"EndlessRange", "predict --model resnet50 --batch 1-8*1 --device good.json", 2, "\"1\""},
    {"TooManyPoints", "predict --model resnet50 --batch 1-100000 --device good.json", 2, "4096"},
    {"TooManyPointsOfTwoLists",
     "predict --model resnet50 --batch 1-4096 --threads 1-4096 --device good.json", 2,
     "16777216 points or more; at most 100000 are allowed"},
    {"BatchBeyondTheSearch", "predict --model resnet50 --batch 1048577 --device good.json", 2,
     "1048576"},
    {"ZeroThreads", "predict " GOOD "--threads 0", 2, "--threads"},
    {"OneDraw", "predict " GOOD "--draws 1", 2, "at least 20"},
    {"ZeroDraws", "predict " GOOD "--draws 0", 2, "--draws"},
    {"TextSeed", "predict " GOOD "--seed x", 2, "--seed"},
    {"SequenceOfAnImageNetwork", "predict " GOOD "--seq 128", 2, "seq"},
    {"TooManyTokens",
     "predict --model transformer-tiny --batch 1000000 --seq 1000000 --device good.json", 2,
     "tokens"},
    {"PercentOfNothing", "validate --recording text.json --device good.json --fail-above many", 2,
     "--fail-above"},
    // Options and flags of later parts.
    {"SetWithoutValue", "predict " GOOD "--set bucket", 2, "KEY=VALUE"},
    {"SetTwice", "predict " GOOD "--set a=1 --set a=2", 2, "--set a is given twice"},
    {"UnknownSetKey", "predict " GOOD "--set bucket_cap_mib=35", 2, "bucket_cap_mib"},
    {"ManyGpusWithoutLinks", "predict " GOOD "--gpus 4", 2, "--intra is missing"},
    {"UnknownNetwork", "predict " GOOD "--gpus 4 --gpus-per-node 1 --net 10gb", 2, "10gbe"},
    {"UnknownCluster", "predict " GOOD "--gpus 4 --cluster dgx", 2, "dgx-a100"},
    {"MissingProfile", "predict " GOOD "--profile x.csv", 3, "x.csv"},
    {"CalibrateWithoutUnit", "predict " GOOD "--calibrate 5", 2, "no unit"},
    {"CalibrateNegative", "predict " GOOD "--calibrate '-1 s'", 2, "negative"},
    {"UnevenGlobalBatch",
     "predict --model resnet50 --global-batch 9 --device good.json --gpus 2 --intra pcie3-x16", 2,
     "cannot be divided"},
    {"UnevenGlobalBatchOfMicroBatches",
     "predict --model resnet50 --global-batch 10 --grad-accum 2 --device good.json --gpus 2 "
     "--intra pcie3-x16",
     2, "--gpus 2 times --grad-accum 2"},
    {"OptionOfAnotherStrategy",
     "predict " GOOD "--gpus 2 --intra pcie3-x16 --strategy wfbp --set bucket_cap_mib=35", 2,
     "bucket_cap_mib"},
    {"OptionWithoutEffect",
     "predict " GOOD "--gpus 2 --intra pcie3-x16 --strategy ddp --set density=0.1", 2,
     "compression"},
    {"OptionOutOfRange",
     "predict " GOOD "--gpus 2 --intra pcie3-x16 --strategy ddp --set bucket_cap_mib=0", 2,
     "positive"},
    {"SyncWithoutAccumulation",
     "predict " GOOD "--gpus 2 --intra pcie3-x16 --strategy ddp --set sync=every", 2,
     "--grad-accum"},
    {"RecordingWithoutDevice", "validate --recording good.json", 2, "go together"},
    {"MeasureCudaRounds", "measure --device cuda --rounds 2 -o m.json", 2, "--rounds"},
    {"MeasureCudaWithoutGpu", "measure --device cuda --gpu 1000 -o m.json", 5,
     "cannot measure a GPU here"},
    {"ImportOfNothing", "import kineto absent.json -o o.json", 3, "absent.json"},
    {"ImportOfNoEvents", "import kineto empty.json -o o.json", 3, "holds no trace events"},
    {"ImportOfAnUnknownKind", "import kinetto text.json -o o.json", 2, "did you mean kineto"},
    {"ImportWithTheWrongFlag", "import kineto text.json --ranks 4 -o o.json", 2, "--ranks"},
    {"ExplainAgainstNoTrace", "explain " GOOD "--against text.json", 3, "none of the traces"},
    {"MeasureNowhere", "measure --device cpu", 2, "-o is required"},
    {"CalibrateToNowhere", "calibrate good.json", 2, "-o FILE"},
    {"ExplainSweep", "explain --model resnet50 --batch 4,8 --device good.json", 2, "sweep"},
    {"TraceOfSweep", "predict --model resnet50 --batch 4,8 --device good.json --trace t.json", 2,
     "sweep"},
    // Files.
    {"NotCalibrated", "predict --model resnet50 --batch 8 --device cpu", 3, "paceline measure"},
    {"MissingFile", "predict --model resnet50 --batch 8 --device none.json", 3, "none.json"},
    {"FolderAsFile", "predict --model resnet50 --batch 8 --device ./folder", 3, "folder"},
    {"TruncatedFile", "predict --model resnet50 --batch 8 --device truncated.json", 3,
     "truncated.json"},
    {"EmptyFile", "predict --model resnet50 --batch 8 --device empty.json", 3, "empty.json"},
    {"TextFile", "predict --model resnet50 --batch 8 --device text.json", 3, "text.json"},
    {"ListFile", "predict --model resnet50 --batch 8 --device list.json", 3, "list.json"},
    {"OtherSchema", "predict --model resnet50 --batch 8 --device other.json", 3,
     "paceline.parameters/1"},
    {"NewerSchema", "predict --model resnet50 --batch 8 --device newer.json", 3,
     "paceline.parameters/9"},
    {"DuplicateKey", "predict --model resnet50 --batch 8 --device duplicate.json", 3, "device"},
    {"UnknownKey", "predict --model resnet50 --batch 8 --device unknown-key.json", 3, "devi"},
    {"NanInFile", "predict --model resnet50 --batch 8 --device nan.json", 3, "nan.json"},
    {"NegativeRate", "predict --model resnet50 --batch 8 --device negative.json", 3, "value"},
    {"MissingFit", "predict --model fcn-r --batch 8 --device no-sgemm.json", 3, "openblas.sgemm"},
    {"OutputToMissingFolder", "predict " GOOD "--json -o nowhere/out.json", 3, "nowhere/out.json"},
    {"OutputToFolder", "predict " GOOD "--json -o folder", 3, "folder"},
    {"TraceToMissingFolder", "predict " GOOD "--trace nowhere/t.json", 3, "nowhere/t.json"},
    {"CalibrateParameters", "calibrate good.json -o out.json", 3, "paceline.measurements/1"},
    {"CalibrateMissing", "calibrate none.json -o out.json", 3, "none.json"},
    {"ValidateMissing", "validate --recording none.json --device good.json", 3, "none.json"},
    {"ValidateOtherSchema", "validate --recording good.json --device good.json", 3,
     "paceline.recording/1"},
};

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, IsRefusedInOneHelpfulLineWithoutTrace) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadInputs, testing::ValuesIn(kBadInputs),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(GoodInput, IsAnsweredOnOneScreen) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, "predict " GOOD);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 25);
  EXPECT_THAT(outcome.out, HasSubstr("90 % interval"));
  EXPECT_THAT(outcome.out, HasSubstr("bottleneck"));
}

TEST(GoodInput, GivesTheSameBytesAgain) {
  const TestFolder folder;
  const TestOutcome first = run_program_in(folder, "predict " GOOD "--json");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, run_program_in(folder, "predict " GOOD "--json").out);
  EXPECT_EQ(run_program_in(folder, "predict " GOOD "--json -o out.json").code, 0);
  EXPECT_EQ(TestFolder::read(folder.path() / "out.json"), first.out);
}

TEST(GoodInput, MemorySaysWhatFits) {
  const TestFolder folder;
  const TestOutcome fits = run_program_in(folder, "memory " GOOD "--json --plot plot.svg");
  EXPECT_EQ(fits.code, 0) << fits.err;
  for (const char* key : {"config", "memory_bytes", "feature_maps", "largest_batch", "warnings"}) {
    EXPECT_THAT(fits.out, HasSubstr("\"" + std::string(key) + "\""));
  }
  EXPECT_THAT(TestFolder::read(folder.path() / "plot.svg"), HasSubstr("feature maps"));
  const TestOutcome none =
      run_program_in(folder, "memory --model resnet50 --batch 1024 --device good.json");
  EXPECT_EQ(none.code, 5);
  EXPECT_THAT(none.out, HasSubstr("DOES NOT FIT"));
  EXPECT_THAT(none.out, HasSubstr("largest batch"));
}

// Kepler's context is recalled, Pascal's was measured; where the capacity is inside of the interval
// neither a yes nor a no is certain.
TEST(GoodInput, MemorySaysHowSureItIs) {
  const TestFolder folder;
  const std::string network = " --model resnet50 --framework caffe --batch ";
  const TestOutcome kepler = run_program_in(folder, "memory --device k80" + network + "32");
  EXPECT_THAT(kepler.out, HasSubstr("not measured there"));
  EXPECT_THAT(kepler.out, HasSubstr("90 % interval"));
  EXPECT_THAT(kepler.out, HasSubstr("none of this framework"));
  const TestOutcome pascal = run_program_in(folder, "memory --device titan-xp" + network + "32");
  EXPECT_THAT(pascal.out, Not(HasSubstr("not measured there")));
  const TestOutcome sweep =
      run_program_in(folder, "memory --csv --device p40" + network + "60,80-92,98");
  for (const char* fit : {"certain", "likely", "possible", "unlikely", "impossible"}) {
    EXPECT_THAT(sweep.out, HasSubstr("," + std::string(fit) + ","));
  }
}

TEST(GoodInput, SweepsGiveOneElementPerPointInOrderAndSkipThoseThatFail) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder, "predict --model fcn-r --batch 64,32 --device good.json,none.json --csv");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("none.json"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3);
  EXPECT_LT(outcome.out.find("64"), outcome.out.find("32,"));
}

}  // namespace
}  // namespace paceline

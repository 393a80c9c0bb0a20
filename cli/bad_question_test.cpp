// Wrong input to commands that answer questions from predictions: memory, check, plan, compare.
#include "cli/bad_input.h"

namespace paceline {
namespace {

#define GOOD "--model resnet50 --batch 8 --device good.json "
const BadInput kBadQuestions[] = {
    // Memory.
    {"MemoryOfTwoBatches", "memory " GOOD "--global-batch 8", 2, "exclude one another"},
    {"MemoryMistypedModel", "memory --model resnet5 --batch 8 --device good.json", 2, "resnet50"},
    {"MemoryMistypedFramework", "memory " GOOD "--framework pytroch", 2, "pytorch"},
    {"MemoryUnknownRecomputation", "memory " GOOD "--set recompute=half", 2, "selective"},
    {"MemoryOfBlocksThatAreNotThere",
     "memory --model fcn-r --batch 8 --device good.json --set recompute=full", 2, "no blocks"},
    {"MemoryWorkspaceWithoutUnit",
     "memory --model resnet50 --batch 8 --device v100-sxm2-16g --set workspace_limit=8", 2,
     "workspace_limit"},
    {"MemoryPlotOfSweep", "memory --model resnet50 --batch 4,8 --device good.json --plot p.svg", 2,
     "sweep"},
    {"MemoryMissingFile", "memory --model resnet50 --batch 8 --device none.json", 3, "none.json"},
    {"MemoryPlotToMissingFolder", "memory " GOOD "--plot nowhere/p.svg", 3, "nowhere/p.svg"},
    {"EccWhereItTakesNoMemory", "memory --model resnet50 --device v100-sxm2-16g --set ecc=off", 2,
     "which v100-sxm2-16g is not known to be"},
    {"EccOfACpu", "memory " GOOD "--set ecc=off", 2, "is of GPUs"},
    {"EccThatIsNoMode", "memory --model resnet50 --device t4 --set ecc=yes", 2,
     "--set ecc=yes: expected on or off"},
    {"FusedAttentionBeforeAmpere",
     "predict --model gpt2 --batch 1 --precision fp16 --device v100-sxm2-16g --set attention=fused",
     2, "v100-sxm2-16g is volta, where it is attention=unfused"},
    // Checks of measured numbers.
    {"CheckNothing", "check", 2, "--measured"},
    {"CheckTwoThings", "check scaling.csv --mfu 50% --device t4", 2, "give one of"},
    {"CheckMissingFile", "check none.csv", 3, "none.csv"},
    {"CheckFolder", "check folder", 3, "folder"},
    {"CheckEmptyFile", "check empty.json", 3, "empty.json"},
    {"CheckForeignText", "check text.json", 3, "text.json"},
    {"CheckNanInTable", "check nan.csv", 3, "nan.csv:3"},
    {"CheckShortRow", "check short.csv", 3, "short.csv:3"},
    {"CheckTooManyDevices", "check huge.csv", 3, "1000000"},
    {"CheckTruncatedLog", "check truncated.log --op all-reduce --gpus 8", 3, "truncated.log"},
    {"CheckMfuText", "check --mfu half --device t4", 2, "not a positive share"},
    {"CheckMfuNan", "check --mfu nan --device t4", 2, "not a positive share"},
    {"CheckMfuOfTwoMeanings", "check --mfu 33 --device t4", 2, "write 33%"},
    {"CheckMfuWithAnIdleFlag", "check --mfu 33% --device t4 --op all-reduce", 2, "no effect"},
    {"CheckRateWithAnIdleFlag",
     "check --measured '1 samples/s' --model resnet50 --batch 1 --device t4 --nodes 2", 2,
     "no effect"},
    {"CheckMfuWithoutDevice", "check --mfu 50%", 2, "--device is required"},
    {"CheckMfuOfUnknownDevice", "check --mfu 50% --device h101", 2, "h100"},
    {"CheckMfuPrecision", "check --mfu 50% --device k80 --precision bf16", 2, "bf16"},
    {"CheckPeakWithoutUnit", "check --mfu 50% --device t4 --peak 1979", 2, "no unit"},
    {"CheckRateWithoutUnit", "check --measured 500 --model resnet50 --batch 8 --device t4", 2,
     "no unit"},
    {"CheckRateUnit", "check --measured '500 GB/s' --model resnet50 --batch 8 --device t4", 2,
     "unknown unit"},
    {"CheckAbsurdRate", "check --measured '1e308 it/s' --model resnet50 --batch 8 --device t4", 2,
     "1e18 per second"},
    {"CheckNegativeRate", "check --measured '-5 it/s' --model resnet50 --batch 8 --device t4", 2,
     "not positive"},
    {"CheckTokensOfImages", "check --measured '5 tokens/s' --model resnet50 --batch 8 --device t4",
     2, "no tokens"},
    {"CheckWithoutModel", "check --measured '5 it/s' --device t4", 2, "--model is required"},
    {"CheckWithoutBatch", "check --measured '5 it/s' --model resnet50 --device t4", 2, "--batch"},
    {"CheckBillionGpus",
     "check --measured '5 it/s' --model resnet50 --batch 8 --device t4 --gpus 1000000000", 2,
     "1000000"},
    {"CheckUnevenGlobalBatch",
     "check --measured '5 it/s' --model resnet50 --global-batch 9 --device t4 --gpus 2", 2,
     "cannot be divided"},
    // Plans and prices.
    {"PlanWithoutAmount", "plan " GOOD "--deadline 3d", 2, "--samples or --tokens"},
    {"PlanTwoAmounts", "plan " GOOD "--samples 5 --tokens 5", 2, "exclude one another"},
    {"PlanAmount", "plan " GOOD "--samples 5Q", 2, "1.28M"},
    {"PlanAbsurdAmount", "plan " GOOD "--samples 1e40", 2, "1.28M"},
    {"PlanDeadlineUnit", "plan " GOOD "--samples 5 --deadline 14", 2, "--deadline"},
    {"PlanNegativeDeadline", "plan " GOOD "--samples 5 --deadline=-1d", 2, "--deadline"},
    {"PlanBudgetWithoutPrices", "plan " GOOD "--samples 5 --budget '$5'", 2, "--prices"},
    {"PlanBudgetText", "plan " GOOD "--samples 5 --budget five", 2, "--budget"},
    {"PlanTokensOfImages", "plan " GOOD "--tokens 5k", 2, "no tokens"},
    {"PlanEvaluationWithoutCount", "plan " GOOD "--samples 5 --evaluation 5s", 2, "--evaluations"},
    {"PlanFailuresWithoutCheckpoint", "plan " GOOD "--samples 5 --mtbf 5d", 2, "--checkpoint"},
    {"PlanEndlessLoader", "plan " GOOD "--samples 5M --loader '1e-308 samples/s' --json", 2,
     "--loader"},
    {"PlanEndlessEvaluation",
     "plan " GOOD "--samples 5M --evaluation 1e300d --evaluations 1000000000 --json", 2,
     "--evaluations"},
    {"PlanConstantFailure", "plan " GOOD "--samples 5 --mtbf 1s --checkpoint 1h", 2, "--mtbf"},
    {"PricesMissing", "compare " GOOD "--prices none.json", 3, "none.json"},
    {"PricesOfAnotherKind", "compare " GOOD "--prices good.json", 3, "paceline.prices/1"},
    {"PricesOfUnknownDevice", "compare " GOOD "--prices prices.json", 3, "h100"},
    {"OrderByPriceWithoutPrices", "compare " GOOD "--by price", 2, "--prices"},
    {"OrderByName", "compare " GOOD "--by name", 2, "throughput"},
    {"HtmlToMissingFolder", "predict " GOOD "--html nowhere/a.html", 3, "nowhere/a.html"},
    {"ExplainASweep", "explain --model fcn-r --batch 8,16 --device good.json", 2,
     "paceline compare"},
    {"CompletionOfNoShell", "completion", 2, "SHELL"},
    {"CompletionOfUnknownShell", "completion bsh", 2, "bash"},
};

class BadQuestions : public testing::TestWithParam<BadInput> {};

TEST_P(BadQuestions, AreRefusedInOneHelpfulLineWithoutTrace) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadQuestions, testing::ValuesIn(kBadQuestions),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace paceline

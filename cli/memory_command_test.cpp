// paceline memory as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json memory(const std::string& flags, int code = 0) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, "memory --json " + flags);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  return json::parse(outcome.out);
}

// Without a batch the answer is that of the largest, which is the one that any batch finds.
TEST(MemoryCommand, AnswersWithoutABatchForTheLargest) {
  const std::string job = "--model resnet50 --device v100-sxm2-16g ";
  const json any = memory(job);
  const json given = memory(job + "--batch 32");
  const std::int64_t largest = given["largest_batch"];
  EXPECT_EQ(any["largest_batch"], largest);
  EXPECT_EQ(any["config"]["batch"], largest);
  EXPECT_TRUE(any["memory_bytes"]["fits"]);
  EXPECT_EQ(any["memory_bytes"],
            memory(job + "--batch " + std::to_string(largest))["memory_bytes"]);
}

// What any batch needs and what each sample adds give the peak at one sample and at the largest
// batch, by definition, and between them roughly: slack and workspace go in steps.
TEST(MemoryCommand, SplitsThePeakIntoAnyBatchAndEachSample) {
  const std::string job = "--model resnet50 --device v100-sxm2-16g ";
  const json any = memory(job);
  const double fixed = any["any_batch_bytes"], sample = any["bytes_per_sample"];
  const double largest = any["largest_batch"];
  EXPECT_NEAR(fixed + sample * largest, any["memory_bytes"]["peak"].get<double>(), largest);
  EXPECT_NEAR(fixed + sample, memory(job + "--batch 1")["memory_bytes"]["peak"].get<double>(), 2);
  const double at_64 = memory(job + "--batch 64")["memory_bytes"]["peak"];
  EXPECT_NEAR((fixed + 64 * sample) / at_64, 1, 0.2);
  EXPECT_FALSE(memory(job + "--batch 64").contains("bytes_per_sample"));
  const TestFolder folder;
  const TestOutcome screen = run_program_in(folder, "memory " + job);
  EXPECT_THAT(screen.out, HasSubstr("each sample"));
}

// The largest batch is as good as a coin toss; the largest certain one fits even at the 95 %
// quantile of its peak, and none between the two does.
TEST(MemoryCommand, NamesTheLargestBatchThatFitsForCertain) {
  const std::string job = "--model bert-large --precision bf16 --device a100-sxm-40g ";
  const json any = memory(job);
  EXPECT_EQ(any["memory_bytes"]["fit"], "possible");
  const std::int64_t sure = any["largest_certain_batch"];
  EXPECT_LT(sure, any["largest_batch"]);
  const auto fit = [&](std::int64_t batch) {
    return memory(job + "--batch " + std::to_string(batch))["memory_bytes"]["fit"];
  };
  EXPECT_EQ(fit(sure), "certain");
  ASSERT_EQ(any["largest_certain_batch_step"], 1);
  for (std::int64_t batch = sure + 1; batch < any["largest_batch"]; ++batch) {
    EXPECT_NE(fit(batch), "certain") << batch;
  }
  const TestFolder folder;
  const std::string text = run_program_in(folder, "memory " + job).out;
  EXPECT_THAT(text, HasSubstr(std::to_string(sure) + " for certain and none of those between"));
  EXPECT_THAT(text, HasSubstr("may fit"));
}

// PyTorch keeps segments that nobody uses until it needs them elsewhere. With them the interval of
// VGG-16's peak reaches beyond the device from 54 samples on, and falls back at 57, where they have
// to go. What goes when it must makes no batch unsafe.
TEST(MemoryCommand, WhatWouldBeGivenBackMakesNoBatchUnsafe) {
  const std::string job = "--model vgg16 --device gtx-1080-ti --batch ";
  const json kept = memory(job + "56");
  const json& bytes = kept["memory_bytes"];
  EXPECT_EQ(bytes["fit"], "certain");
  EXPECT_EQ(bytes["p95"], bytes["capacity"]);
  EXPECT_GT(bytes["slack"], memory(job + "64")["memory_bytes"]["slack"]);
  EXPECT_EQ(memory(job + "64")["memory_bytes"]["fit"], "certain");
  const std::int64_t sure = kept["largest_certain_batch"];
  EXPECT_GT(sure, 64);
  EXPECT_LT(sure, kept["largest_batch"]);
}

// 16 GiB of a T4 are 15.8 GB for a process, since ECC bits take a sixteenth: what needs 15.6 GB
// fits for certain no more, and would without ECC.
TEST(MemoryCommand, FitsIntoWhatAProcessCanUse) {
  const std::string job = "--model bert-large --seq 512 --precision fp16 --device t4 ";
  const json any = memory(job);
  const double usable = any["memory_bytes"]["capacity"];
  EXPECT_NEAR(usable / 15.84e9, 1, 0.001);
  EXPECT_LE(any["memory_bytes"]["peak"], usable);
  const json without = memory(job + "--set ecc=off");
  EXPECT_NEAR(without["memory_bytes"]["capacity"].get<double>() - usable, 1073741824, 1);
  EXPECT_GE(without["largest_batch"], any["largest_batch"]);
  const TestFolder folder;
  EXPECT_THAT(run_program_in(folder, "memory " + job).out,
              testing::AllOf(HasSubstr("of 15.8 GB usable"), HasSubstr("usable of 17.2 GB: ECC")));
  EXPECT_THAT(run_program_in(folder, "predict --batch 1 " + job).out,
              HasSubstr("of 15.8 GB usable"));
}

// Not even one sample of gpt2-xl and Adam fits 12 GB.
TEST(MemoryCommand, SaysWithoutABatchThatNothingFits) {
  const json none = memory("--model gpt2-xl --device titan-x-pascal --set optimizer=adam", 5);
  EXPECT_EQ(none["largest_batch"], 0);
  EXPECT_EQ(none["config"]["batch"], 1);
  EXPECT_GT(none["bytes_per_sample"], 0);
}

}  // namespace
}  // namespace paceline

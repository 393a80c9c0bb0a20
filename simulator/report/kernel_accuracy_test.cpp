#include "simulator/report/kernel_accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/text_file.h"

namespace paceline {
namespace {

using testing::HasSubstr;

// Two devices: one predicted 10 % too slow throughout, one exactly, both by a roofline that is
// twice too fast.
FoldResidualFile two_folds() {
  FoldResidualFile out;
  const double tenth = std::log(1.1), half = std::log(0.5);
  out.folds = {{"gpu.gemm.matrix",
                "t4",
                std::string(kLeftOut),
                {tenth, tenth},
                {0.1, 0.01},
                {half, half},
                {0.0, 0.0}},
               {"gpu.gemm.matrix",
                "l4",
                std::string(kLeftOut),
                {0, 0},
                {0.1, 0.1},
                {half, half},
                {0.0, 0.0}}};
  out.rankings = {{"gpu.gemm.matrix", std::string(kLeftOut), 4, 0.5, 3, 1.0},
                  {"gpu.gemm.vector", std::string(kLeftOut), 12, 1.0, 9, 1.0}};
  out.notes["gpu.gemm.matrix"] = {"No fit of k80."};
  return out;
}

TEST(KernelAccuracy, CountsTimingsEquallyOverDevicesAndEachDeviceAlone) {
  const std::vector<KernelScore> scores = score_kernels(two_folds());
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].device, "");
  EXPECT_NEAR(scores[0].errors.mape, 0.05, 1e-12);
  EXPECT_NEAR(scores[0].roofline.mape, 0.5, 1e-12);
  // One of four errors, ln 1.1, is more than 1.64 times the stated 0.01.
  EXPECT_DOUBLE_EQ(scores[0].coverage90, 0.75);
  EXPECT_EQ(scores[2].device, "t4");
  EXPECT_NEAR(scores[2].errors.bias, 0.1, 1e-12);
}

TEST(KernelAccuracy, ComesBackFromItsFileToFourDigits) {
  const TemporaryFolder folder;
  write_text_file(folder / "residuals.json", fold_residuals_text(two_folds()));
  const FoldResidualFile back = read_fold_residuals(folder / "residuals.json");
  EXPECT_EQ(fold_residuals_text(back), fold_residuals_text(two_folds()));
  EXPECT_NEAR(back.folds[0].error[0], std::log(1.1), 5e-5);
}

TEST(KernelAccuracy, RefusesAFileWhoseNumbersDoNotBelongTogether) {
  const TemporaryFolder folder;
  FoldResidualFile residuals = two_folds();
  residuals.folds[1].sd.pop_back();
  write_text_file(folder / "residuals.json", fold_residuals_text(residuals));
  try {
    read_fold_residuals(folder / "residuals.json");
    FAIL() << "read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/folds/1/sd: expected 2 numbers, found 1"));
  }
}

std::string refusal(const FoldResidualFile& residuals) {
  const TemporaryFolder folder;
  write_text_file(folder / "residuals.json", fold_residuals_text(residuals));
  try {
    read_fold_residuals(folder / "residuals.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(KernelAccuracy, RefusesResidualsThatCannotBe) {
  const auto changed = [](const auto& change) {
    FoldResidualFile residuals = two_folds();
    change(residuals);
    return refusal(residuals);
  };
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.folds[0].error[1] = -51; }),
              HasSubstr("residuals.json:/folds/0/error/1: found -51"));
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.folds[1].sd[0] = 0; }),
              HasSubstr("/folds/1/sd/0: found 0"));
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.folds[1].device = "t4"; }),
              HasSubstr("/folds/1/device: found t4, left out, of gpu.gemm.matrix in fold 0 too"));
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.folds.clear(); }),
              HasSubstr("/folds: found none"));
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.rankings[0].tau = 1.5; }),
              HasSubstr("/rankings/0/tau: found 1.50000; expected -1 to 1"));
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.rankings[0].pairs = -1; }),
              HasSubstr("/rankings/0/pairs: found -1"));
  EXPECT_THAT(changed([](FoldResidualFile& r) { r.rankings[0].clear_pairs = 5; }),
              HasSubstr("/rankings/0/clear_pairs: found 5; expected 0 to 4"));
}

TEST(KernelAccuracy, DocumentAndJsonSayTheSame) {
  const std::string document = kernel_accuracy_document(two_folds());
  EXPECT_THAT(document, HasSubstr("No fit of k80."));
  EXPECT_THAT(document, HasSubstr("50.0 / 50.0 / 50.0"));
  const nlohmann::ordered_json json = kernel_accuracy_json(two_folds());
  EXPECT_EQ(json["kernels"].size(), 3u);
  EXPECT_NEAR(json["kernels"][0]["null"]["roofline"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(json["rankings"][0]["kendall_tau"], 0.5);
  EXPECT_EQ(json["rankings"][0]["clear_pairs"], 3);
  // Over all families pairs count equally: (4 x 0.5 + 12) / 16.
  EXPECT_THAT(document, HasSubstr("| all             | left out |    16 | 0.875 |"));
}

// docs/accuracy-kernels.md is what the shipped residuals say.
TEST(KernelAccuracy, DocumentIsUpToDate) {
  const std::filesystem::path root = PACELINE_SOURCE_DIR;
  const FoldResidualFile residuals =
      read_fold_residuals(root / "calibration/fitted/gpu/residuals.json");
  EXPECT_EQ(read_text_file(root / "docs/accuracy-kernels.md"), kernel_accuracy_document(residuals))
      << "renew with: paceline validate --kernels --md -o docs/accuracy-kernels.md";
}

}  // namespace
}  // namespace paceline

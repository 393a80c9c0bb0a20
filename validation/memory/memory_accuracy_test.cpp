// Predicted against measured memory, and the document that says how far they are apart.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/statistics.h"
#include "validation/memory/memory_set.h"

namespace paceline {
namespace {

// The median error of totals and of categories stays below what the set's file allows.
TEST(MemoryAccuracy, OfEverySetIsWithinItsLimits) {
  const MemoryScorer scorer;
  for (const MemorySet& set : shipped_memory_sets()) {
    std::vector<double> totals, categories;
    for (const MemoryError& e : score(set, scorer)) {
      if (e.counted) (e.is_total() ? totals : categories).push_back(std::abs(e.error()));
    }
    EXPECT_FALSE(totals.empty() && categories.empty()) << set.name;
    const auto median = [](const std::vector<double>& errors) {
      return errors.empty() ? 0 : quantile(errors, 0.5);
    };
    EXPECT_LE(median(totals), set.total_limit) << set.name;
    EXPECT_LE(median(categories), set.category_limit) << set.name;
  }
}

// Echo's sweep of Sockeye over six batches: what a sample more takes is within 3 %.
TEST(MemoryAccuracy, GrowthWithTheBatchIsWithinThreePercent) {
  const MemoryScorer scorer;
  int sweeps = 0;
  for (const MemorySet& set : shipped_memory_sets()) {
    const std::optional<double> slope = slope_error(score(set, scorer));
    if (!slope) continue;
    ++sweeps;
    EXPECT_LE(std::abs(*slope), 0.03) << set.name;
  }
  EXPECT_GE(sweeps, 1);
}

// A line through the origin against one that is a tenth steeper.
TEST(MemoryAccuracy, SlopesAreComparedAndOffsetsAreNot) {
  std::vector<MemoryError> errors;
  for (const std::int64_t batch : {1, 2, 4}) {
    errors.push_back({"set", "case", "total", batch, 100 * batch, 7 + 110 * batch, true});
  }
  EXPECT_NEAR(slope_error(errors).value(), 0.1, 1e-12);
  errors.pop_back();
  EXPECT_FALSE(slope_error(errors).has_value());
}

// The named file holds `text`; renews it if PACELINE_UPDATE_DOCS is set.
void expect_up_to_date(const std::string& name, const std::string& text) {
  const std::string file = PACELINE_SOURCE_DIR "/" + name;
  if (std::getenv("PACELINE_UPDATE_DOCS") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  const std::string found((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(found, text) << "run this test with PACELINE_UPDATE_DOCS=1";
}

// What intervals are made of is how far the shipped sets are off now.
TEST(MemoryAccuracy, ResidualsAreUpToDate) {
  expect_up_to_date("calibration/fitted/memory/residuals.json",
                    memory_residuals_text(memory_residuals(shipped_memory_sets(), MemoryScorer())));
}

TEST(MemoryAccuracy, DocumentIsUpToDate) {
  expect_up_to_date("docs/accuracy-memory.md",
                    memory_accuracy_text(shipped_memory_sets(), MemoryScorer()));
}

}  // namespace
}  // namespace paceline

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

TEST(MemoryAccuracy, DocumentIsUpToDate) {
  const std::string file = PACELINE_SOURCE_DIR "/docs/accuracy-memory.md";
  const std::string text = memory_accuracy_text(shipped_memory_sets(), MemoryScorer());
  if (std::getenv("PACELINE_UPDATE_DOCS") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  const std::string found((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(found, text) << "run this test with PACELINE_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace paceline

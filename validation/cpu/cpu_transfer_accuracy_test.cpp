// Prices of a CPU that was not measured against products timed on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "simulator/device/cpu_transfer.h"
#include "validation/cpu/cpu_product_set.h"

namespace paceline {
namespace {

// The interval of a CPU that nobody measured is as wide as transferred prices have been wrong.
TEST(CpuTransferAccuracy, IsTheWidthOfTheInterval) {
  const CpuTransfer transfer = read_cpu_transfer(
      data_directory() / "calibration/fitted/cpu-transfer.json", data_directory());
  const std::vector<CpuProductSet> sets = shipped_cpu_product_sets();
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_NEAR(transfer.log_sd, transfer_spread(score(sets[0])), 0.005);
}

// An undisturbed core of another make, vector width and clock computes large products as
// predicted; that is all that the transfer of arithmetic says.
TEST(CpuTransferAccuracy, OfOneCoreIsExactWhereNothingDisturbedIt) {
  int close = 0;
  for (const ScoredProduct& s : score(shipped_cpu_product_sets()[0])) {
    if (s.product.threads > 1 || s.product.m * s.product.n * s.product.k < 1000000000) continue;
    close += std::abs(s.product.measured / s.predicted - 1) < 0.05 ? 1 : 0;
  }
  EXPECT_GE(close, 25);
}

// With 20 threads 35 rows are not shared, 50 are: the rule of the library, seen from outside.
TEST(CpuTransferAccuracy, NarrowProductsStayOnOneThread) {
  const CpuProductSet set = shipped_cpu_product_sets()[0];
  int narrow = 0;
  for (const ScoredProduct& s : score(set)) {
    if (s.product.threads != 20 || s.product.m != 35) continue;
    ++narrow;
    EXPECT_NEAR(s.product.measured / s.predicted, 1, 0.1) << s.product.n << " x " << s.product.k;
  }
  EXPECT_EQ(narrow, 4);
  CpuProductSet shared = set;
  shared.lines_per_thread = 0;
  EXPECT_GT(transfer_spread(score(shared)), transfer_spread(score(set)) + 0.1);
}

TEST(CpuTransferAccuracy, RefusesAFileWithoutProducts) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "set.json";
  std::ofstream(file) << R"({"schema": "paceline.cpu-product-set/1", "name": "x", "summary": "x",
    "source": "x", "device": "power8", "sockets": 1, "lines_per_thread": 2, "products": []})";
  EXPECT_THROW(read_cpu_product_set(file), InputError);
}

TEST(CpuTransferAccuracy, DocumentIsUpToDate) {
  const std::string file = PACELINE_SOURCE_DIR "/docs/accuracy-cpu-transfer.md";
  const std::string text = cpu_transfer_accuracy_text(shipped_cpu_product_sets());
  if (std::getenv("PACELINE_UPDATE_DOCS") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  const std::string found((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(found, text) << "run this test with PACELINE_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace paceline

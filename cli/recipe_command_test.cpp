// `paceline calibrate --recipe` through the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibration/recipe_catalog.h"
#include "cli/test_program.h"
#include "model/parameters/parameter_set.h"

namespace paceline {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kShipped = fs::path(PACELINE_SOURCE_DIR) / "calibration/fitted";
const fs::path kData = fs::path(PACELINE_SOURCE_DIR) / "../shared/data";

struct Refused {
  const char* arguments;
  int code;
  const char* says;
};

// One line says what is wrong, and no file is written.
TEST(RecipeCommand, RefusesWhatCannotBeRepeated) {
  const TestFolder folder;
  fs::create_directory(folder.path() / "empty");
  fs::create_directories(folder.path() / "hollow/calibration/neusight");
  const Refused cases[] = {
      {"--recipe gpu.gemm.matrx --data empty", 2, "did you mean gpu.gemm.matrix"},
      {"--recipe nvswitch33 --data empty", 2, "nvswitch3"},
      {"--recipe gpu.stream.softmax", 2, "needs --data DIR"},
      {"--recipe gpu.stream.softmax --data nowhere", 3, "nowhere: no such folder"},
      {"--recipe gpu.stream.softmax --data empty", 3, "empty/neusight: no such folder"},
      {"--recipe gpu.stream.softmax --data hollow", 3, "neusight: holds no kernel timings"},
      {"--recipe nvswitch3 --data empty", 3, "aiconfigurator/derived/nccl.csv: no such file"},
      {"--recipe gpu.stream.softmax --data empty -o out.json", 2, "--folder FOLDER"},
      {"--recipe gpu.stream.softmax --data empty --install", 2, "--install"},
      {"--recipe gpu.stream.softmax --data empty good.json", 2, "FILE"},
      {"good.json --data empty", 2, "--recipe"},
      {"good.json --folder out", 2, "--recipe"},
  };
  const std::vector<std::string> before = folder.files();
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.arguments);
    const TestOutcome outcome =
        run_program_in(folder, std::string("calibrate ") + refused.arguments);
    EXPECT_EQ(outcome.code, refused.code);
    EXPECT_THAT(outcome.err, HasSubstr(refused.says));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(folder.files(), before);
}

// What is listed can be named, and nothing twice.
TEST(RecipeCommand, ListsEveryRecipeUnderItsName) {
  const std::vector<RecipeEntry> recipes = shipped_recipes();
  ASSERT_GT(recipes.size(), 20u);
  for (const RecipeEntry& recipe : recipes) {
    EXPECT_EQ(recipe_named(recipe.name).file, recipe.file);
    EXPECT_FALSE(recipe.summary.empty()) << recipe.name;
  }
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, "list recipes");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("gpu.convolution.vector.dgrad"));
  EXPECT_THAT(outcome.out, HasSubstr("400g-ib"));
}

// Every parameter of `path` in `folder` against the file that ships, to 1e-6 of its value.
void expect_shipped(const fs::path& folder, const std::string& path) {
  const ParameterSet ours = read_parameters(folder / path);
  const ParameterSet shipped = read_parameters(kShipped / path);
  ASSERT_FALSE(ours.fits.empty());
  for (const Fit& fit : ours.fits) {
    for (const Parameter& p : shipped.at(fit.implementation).parameters) {
      EXPECT_NEAR(fit.value(p.name), p.value, 1e-6 * std::abs(p.value))
          << path << " " << fit.implementation << " " << p.name;
    }
  }
  EXPECT_FALSE(ours.sources.empty());
  for (const SourceFile& source : ours.sources) EXPECT_EQ(source.sha256.size(), 64u);
}

// Softmax rests on one collection, weight gradients of recurrent layers on another: fitting them
// again gives what ships.
TEST(RecipeCommand, RepeatsTwoShippedFits) {
  if (!fs::is_directory(kData / "calibration/neusight") ||
      !fs::is_directory(kData / "calibration/deepbench")) {
    GTEST_SKIP() << "the public timings are not in " << kData;
  }
  const TestFolder folder;
  for (const std::string recipe : {"gpu.stream.softmax", "gpu.rnn.vector.wgrad"}) {
    const TestOutcome outcome = run_program_in(folder, "calibrate --recipe " + recipe + " --data " +
                                                           kData.string() + " --folder " + recipe);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("largest difference from the shipped parameters"));
  }
  expect_shipped(folder.path() / "gpu.stream.softmax", "gpu/t4.json");
  expect_shipped(folder.path() / "gpu.stream.softmax", "gpu/v100-pcie-32g.json");
  expect_shipped(folder.path() / "gpu.stream.softmax", "gpu/architecture-ada.json");
  expect_shipped(folder.path() / "gpu.rnn.vector.wgrad", "gpu/titan-x-maxwell.json");
  expect_shipped(folder.path() / "gpu.rnn.vector.wgrad", "gpu/architecture-kepler.json");
}

}  // namespace
}  // namespace paceline

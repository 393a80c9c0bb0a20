#include "core/names.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(Names, IgnoresCaseSeparatorsAndTheSpellingOfGigabytes) {
  EXPECT_EQ(normalized_name("V100-SXM2-16GB"), normalized_name("v100 sxm2 16g"));
  EXPECT_EQ(normalized_name("Tesla K80"), "teslak80");
  EXPECT_EQ(normalized_name("10GbE"), "10gbe");
}

TEST(Names, SuggestsTheNearestValidNames) {
  const std::vector<std::string> known = {"resnet50", "resnet56", "alexnet", "lstm-ptb"};
  EXPECT_EQ(nearest_names("resnet5", known, 2), (std::vector<std::string>{"resnet50", "resnet56"}));
  EXPECT_EQ(nearest_names("lstm", known), std::vector<std::string>{"lstm-ptb"});
  EXPECT_TRUE(nearest_names("quantum", known).empty());
}

// Two letters in the wrong order are one slip.
TEST(Names, SwappedLettersAreNear) {
  const std::vector<std::string> known = {"model", "batch"};
  EXPECT_EQ(nearest_names("modle", known), std::vector<std::string>{"model"});
}

TEST(Names, AnUnknownNameWithNothingNearListsAllThatIsKnown) {
  const std::vector<std::string> known = {"cpu", "gpu"};
  EXPECT_EQ(unknown_name_message("device", "abacus", known),
            "unknown device \"abacus\"; known: cpu, gpu");
}

}  // namespace
}  // namespace paceline

#include "cli/colour.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "core/error.h"

namespace paceline {
namespace {

bool wanted(std::map<std::string, std::vector<std::string>> values) {
  std::ostringstream out;
  return wants_colour(Arguments({}, std::move(values), out));
}

TEST(Colour, IsOnlyForTerminalsUnlessAskedFor) {
  EXPECT_FALSE(wanted({}));
  EXPECT_TRUE(wanted({{"color", {"always"}}}));
  EXPECT_FALSE(wanted({{"color", {"never"}}}));
  EXPECT_THROW(wanted({{"color", {"sometimes"}}}), UsageError);
}

TEST(Colour, MarksWarningsAndVerdictsOnly) {
  EXPECT_EQ(coloured("  warning  x\nall plausible\n"),
            "  \033[33mwarning\033[0m  x\nall plausible\n");
  EXPECT_EQ(coloured("impossible\n"), "\033[31mimpossible\033[0m\n");
  EXPECT_EQ(coloured("1 GB of 2 GB"), "1 GB of 2 GB");
  EXPECT_EQ(coloured(""), "");
}

}  // namespace
}  // namespace paceline

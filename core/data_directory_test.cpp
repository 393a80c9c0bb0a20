#include "core/data_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"

namespace paceline {
namespace {

TEST(DataDirectory, OfABuildTreeIsTheSourceTree) {
  ::unsetenv("PACELINE_DATA");
  EXPECT_EQ(data_directory(), PACELINE_SOURCE_DIR);
}

TEST(DataDirectory, CanBeSetAndMustExist) {
  ::setenv("PACELINE_DATA", "/usr", 1);
  EXPECT_EQ(data_directory(), "/usr");
  ::setenv("PACELINE_DATA", "/no/such/folder", 1);
  EXPECT_THROW(data_directory(), InputError);
  ::unsetenv("PACELINE_DATA");
}

TEST(UserDataDirectory, FollowsTheXdgSpecification) {
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(user_data_directory(), "/data/paceline");
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(user_data_directory(), "/home/someone/.local/share/paceline");
}

}  // namespace
}  // namespace paceline

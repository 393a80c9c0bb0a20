#include "core/plugin.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

TEST(Plugin, AMissingFileIsNamed) {
  try {
    load_plugin("paceline_nothing.so", "/nonexistent", "entry");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("lib/paceline/paceline_nothing.so"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace paceline

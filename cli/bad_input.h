// A wrong command line and what the program must say to it; for the tables of tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/test_program.h"

namespace paceline {

struct BadInput {
  const char* name;
  const char* arguments;
  int code;
  const char* says;  // part of the line on stderr
};

// The exit code, one line on stderr, nothing on stdout, no file left behind.
inline void expect_refused(const BadInput& input) {
  const TestFolder folder;
  const std::vector<std::string> before = folder.files();
  const TestOutcome outcome = run_program_in(folder, input.arguments);
  EXPECT_EQ(outcome.code, input.code);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, testing::HasSubstr("paceline: "));
  EXPECT_THAT(outcome.err, testing::HasSubstr(input.says));
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder.files(), before);
}

}  // namespace paceline

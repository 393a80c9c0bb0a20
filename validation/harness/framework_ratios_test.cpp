// How many times slower one framework is than another, on the board that frameworks are scored on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "validation/harness/score.h"

namespace paceline {
namespace {

// Nothing was fitted to these cells. The ratio of two frameworks' LSTM times, of all pairs, is
// within a quarter of the measured one, and so is the length of the sequence for each of them.
TEST(FrameworkRatios, OfLstmTimesAreWithinAQuarter) {
  std::map<std::string, std::map<std::string, const ScoredCase*>> by_length;  // "32", framework
  const Validation validation = validate(shipped_validation_sets({"guolinke-titan-x"}));
  for (const ScoredCase& c : validation.cases) {
    const std::size_t at = c.name.find("-lstm-");
    if (at == std::string::npos) continue;
    by_length[c.name.substr(at + 6)][c.name.substr(0, at)] = &c;
  }
  ASSERT_EQ(by_length.size(), 2U);
  for (const auto& [length, frameworks] : by_length) {
    ASSERT_EQ(frameworks.size(), 4U);
    for (const auto& [a, first] : frameworks) {
      for (const auto& [b, second] : frameworks) {
        const double measured = first->measured_s / second->measured_s;
        const double predicted = first->predicted_s / second->predicted_s;
        EXPECT_NEAR(predicted / measured, 1, 0.25) << a << " / " << b << ", length " << length;
      }
    }
  }
}

}  // namespace
}  // namespace paceline

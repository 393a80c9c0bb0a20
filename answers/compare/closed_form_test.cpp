#include "answers/compare/closed_form.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

const StepParts kStep{Seconds(0), Seconds(1), Seconds(2), Seconds(0.5), 1};

// Ready at 1 and 2, each takes 0.4: the first is hidden, the second is not.
TEST(ClosedForm, ExposesWhatEndsAfterTheBackwardPass) {
  const std::vector<ReadyMessage> messages = {{Bytes(1), Seconds(1)}, {Bytes(1), Seconds(2)}};
  const std::vector<Seconds> times(2, Seconds(0.4));
  const ClosedForm result = closed_form(kStep, messages, times);
  EXPECT_DOUBLE_EQ(result.exposed.si(), 0.4);
  EXPECT_DOUBLE_EQ(result.iteration.si(), 3.9);
  EXPECT_DOUBLE_EQ(result.communication.si(), 0.8);
}

// Each takes 3: the second waits for the first until 4 and ends at 7.
TEST(ClosedForm, MessagesWaitForOneAnother) {
  const std::vector<ReadyMessage> messages = {{Bytes(1), Seconds(1)}, {Bytes(1), Seconds(2)}};
  const std::vector<Seconds> times(2, Seconds(3));
  EXPECT_DOUBLE_EQ(closed_form(kStep, messages, times).exposed.si(), 5);
}

// One message of 0.5 that halves the speed of kernels, ready at 1 of 2: the pass ends 0.25 later,
// and nothing is exposed. Ready at the end, it slows nothing.
TEST(ClosedForm, KernelsBesideMessagesTakeLonger) {
  const std::vector<Seconds> times = {Seconds(0.5)};
  const std::vector<double> twice = {2};
  const std::vector<ReadyMessage> early = {{Bytes(1), Seconds(1)}};
  const ClosedForm hidden = closed_form(kStep, early, times, twice);
  EXPECT_DOUBLE_EQ(hidden.slowed.si(), 0.25);
  EXPECT_DOUBLE_EQ(hidden.exposed.si(), 0);
  EXPECT_DOUBLE_EQ(hidden.iteration.si(), 3.75);
  const std::vector<ReadyMessage> late = {{Bytes(1), Seconds(2)}};
  const ClosedForm shown = closed_form(kStep, late, times, twice);
  EXPECT_DOUBLE_EQ(shown.slowed.si(), 0);
  EXPECT_DOUBLE_EQ(shown.exposed.si(), 0.5);
}

TEST(ClosedForm, OfOneDeviceIsItsComputation) {
  StepParts step = kStep;
  step.micro_batches = 3;
  EXPECT_DOUBLE_EQ(closed_form(step, {}, {}).iteration.si(), 9.5);
}

}  // namespace
}  // namespace paceline

#include "simulator/strategies/parts/merged_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;

// Messages of a start-up of 10 ms and 1 ms a byte.
Seconds time(Bytes bytes) { return Seconds(10e-3 + 1e-3 * bytes.si()); }

std::vector<TimedGradient> ready_every(double seconds, int count) {
  std::vector<TimedGradient> out;
  for (int i = 0; i < count; ++i) {
    out.push_back({static_cast<std::uint32_t>(i), Bytes(1), Seconds(seconds * (i + 1))});
  }
  return out;
}

// A start-up is worth a wait that is shorter.
TEST(MergedMessages, MergesWhatIsReadyBeforeTheStartUpIsPaidBack) {
  EXPECT_THAT(merge_messages(ready_every(1e-3, 4), Seconds(10e-3), time),
              ElementsAre(ElementsAre(0, 1, 2, 3)));
}

// Nothing is gained by waiting for a gradient that comes after the message has been sent.
TEST(MergedMessages, SendsAtOnceWhenTheNextGradientComesLater) {
  EXPECT_THAT(merge_messages(ready_every(50e-3, 3), Seconds(10e-3), time),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

}  // namespace
}  // namespace paceline

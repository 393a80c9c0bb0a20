#include "model/graph/workload_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WorkloadBuilder, InfersTheShapesOfConvolutionsAndPooling) {
  WorkloadBuilder b("net", 2);
  TensorId x = b.input("images", {2, 3, 227, 227});
  x = b.conv("conv1", x, {.out_channels = 96, .kernel = 11, .stride = 4});
  EXPECT_THAT(b.shape(x).dims, ElementsAre(2, 96, 55, 55));
  x = b.max_pool("pool1", x, {.kernel = 3, .stride = 2});
  EXPECT_THAT(b.shape(x).dims, ElementsAre(2, 96, 27, 27));
  // 27 = 2 * 12 + 3 leaves nothing over, so rounding up changes nothing; 55/2 does with kernel 2.
  const TensorId up = b.max_pool("pool2", x, {.kernel = 2, .stride = 2, .ceil_mode = true});
  EXPECT_THAT(b.shape(up).dims, ElementsAre(2, 96, 14, 14));
}

TEST(WorkloadBuilder, NamesNetworkOperationAndShapesWhenTheyDoNotFit) {
  WorkloadBuilder b("net", 2);
  const TensorId x = b.input("images", {2, 3, 8, 8});
  EXPECT_THAT(
      message_of([&] { b.conv("conv1", x, {.out_channels = 4, .kernel = 11}); }),
      testing::AllOf(HasSubstr("net: conv1"), HasSubstr("2x3x8x8"), HasSubstr("does not fit")));
  EXPECT_THAT(message_of([&] {
                b.matmul("mm", x, b.input("other", {2, 3, 9, 8}));
              }),
              HasSubstr("inner dimensions"));
  EXPECT_THAT(message_of([&] { b.reshape("view", x, {5}); }), HasSubstr("number of elements"));
  EXPECT_THAT(message_of([&] {
                b.relu("same", x);
                b.relu("same", x);
              }),
              HasSubstr("two operations have this name"));
}

TEST(WorkloadBuilder, MarksViewsAndInPlaceResultsAsUsersOfOneMemory) {
  WorkloadBuilder b("net", 2);
  const TensorId x = b.linear("fc", b.input("x", {2, 12}), 12);
  const TensorId view = b.reshape("view", b.relu("relu", x, true), {2, 3, 4});
  EXPECT_EQ(b.graph().storage(view), x);
  // A transposed tensor is a view too, but making it row-major again takes a copy.
  const TensorId transposed = b.permute("t", view, {0, 2, 1});
  EXPECT_EQ(b.graph().storage(transposed), x);
  EXPECT_FALSE(b.graph().tensor(transposed).contiguous);
  const TensorId copy = b.reshape("merged", transposed, {2, 12});
  EXPECT_EQ(b.graph().storage(copy), copy);
  EXPECT_TRUE(b.graph().tensor(copy).contiguous);
  const TensorId fresh = b.relu("relu2", copy, false);
  EXPECT_EQ(b.graph().storage(fresh), fresh);
}

TEST(WorkloadBuilder, KnowsBehindWhichParametersGradientsFlow) {
  WorkloadBuilder b("net", 2);
  const TensorId frozen = b.linear("frozen", b.input("x", {2, 4}), 4);
  b.freeze();
  EXPECT_FALSE(b.graph().tensor(frozen).needs_gradient);
  const TensorId y = b.linear("trained", frozen, 4);
  EXPECT_TRUE(b.graph().tensor(y).needs_gradient);
  const TensorId through = b.linear("frozen2", y, 4);
  b.freeze();
  EXPECT_TRUE(b.graph().tensor(through).needs_gradient);
}

TEST(WorkloadBuilder, RefusesABatchBelowOneAndAnEmptyNetwork) {
  EXPECT_THROW(WorkloadBuilder("net", 0), UsageError);
  EXPECT_THROW(WorkloadBuilder("net", 1).build(), InputError);
}

}  // namespace
}  // namespace paceline

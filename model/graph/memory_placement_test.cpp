#include "model/graph/memory_placement.h"

#include <gtest/gtest.h>

#include "model/graph/workload_builder.h"

namespace paceline {
namespace {

TEST(MemoryPlacement, AReshapeIsAViewWhereDimensionsLieBehindOneAnother) {
  const TensorShape shape{{4, 6, 8}};
  const Strides row_major = row_major_strides(shape);
  EXPECT_EQ(row_major, (Strides{48, 8, 1}));
  EXPECT_EQ(view_strides(shape, row_major, {{24, 8}}), (Strides{8, 1}));
  EXPECT_EQ(view_strides(shape, row_major, {{4, 2, 3, 8}}), (Strides{48, 24, 8, 1}));
  EXPECT_EQ(view_strides(shape, row_major, {{4, 1, 6, 8, 1}}), (Strides{48, 48, 8, 1, 1}));
  // The first two dimensions transposed: splitting one is possible, joining them is not.
  const TensorShape swapped{{6, 4, 8}};
  const Strides of_swapped{8, 48, 1};
  EXPECT_EQ(view_strides(swapped, of_swapped, {{2, 3, 4, 8}}), (Strides{24, 8, 48, 1}));
  EXPECT_EQ(view_strides(swapped, of_swapped, {{24, 8}}), std::nullopt);
  EXPECT_EQ(view_strides(swapped, of_swapped, {{6, 32}}), std::nullopt);
}

// What PyTorch 1.13 prints for x.view(2, 5, 3, 4, 8).permute(2, 0, 3, 1, 4)[0] and for that
// times 2.
TEST(MemoryPlacement, ElementwiseOperationsKeepTheOrderOfDimensions) {
  WorkloadBuilder b("heads", 2);
  const TensorId qkv = b.linear("qkv", b.input("x", {2, 5, 32}), 96);
  const TensorId q =
      b.select("q", b.permute("p", b.reshape("r", qkv, {2, 5, 3, 4, 8}), {2, 0, 3, 1, 4}), 0, 0);
  EXPECT_EQ(b.graph().tensor(q).strides, (Strides{480, 8, 96, 1}));
  EXPECT_EQ(b.graph().storage(q), qkv);
  const TensorId scaled = b.add_op("scale", Scale{}, {q});
  EXPECT_EQ(b.graph().tensor(scaled).strides, (Strides{160, 8, 32, 1}));
  EXPECT_EQ(b.graph().storage(scaled), scaled);
}

TEST(MemoryPlacement, ExpandRepeatsWithoutMemory) {
  WorkloadBuilder b("expand", 2);
  const TensorId x = b.linear("fc", b.input("x", {2, 1, 5}), 6);
  const TensorId repeated = b.add_op("expand", Expand{{{2, 3, 6}}}, {x});
  EXPECT_EQ(b.graph().tensor(repeated).strides, (Strides{6, 0, 1}));
  EXPECT_EQ(b.graph().storage(repeated), x);
  // Joining the repeated dimension with another one takes a copy.
  const TensorId joined = b.reshape("joined", repeated, {6, 6});
  EXPECT_EQ(b.graph().storage(joined), joined);
}

}  // namespace
}  // namespace paceline

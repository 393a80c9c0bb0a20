#include "model/formula/collectives.h"

#include <gtest/gtest.h>

#include <set>

#include "model/formula/binary_tree.h"

namespace paceline::formula {
namespace {

const LinkCost<double> kLink{2e-6, 10e9};

// With no latency a ring moves 2(n-1)/n of the message at the link's rate.
TEST(RingAllReduce, ApproachesTwiceTheMessageOverTheRate) {
  const LinkCost<double> wire{0, 10e9};
  EXPECT_DOUBLE_EQ(ring_all_reduce_time(2, 1e9, wire), 0.1);
  EXPECT_NEAR(ring_all_reduce_time(64, 1e9, wire), 0.2 * 63 / 64, 1e-12);
}

// Among algorithms of equal volume, fewer steps win on small messages.
TEST(HalvingDoubling, BeatsTheRingOnSmallMessagesAndEqualsItOnTwoRanks) {
  EXPECT_LT(halving_doubling_time(16, 1e3, kLink), ring_all_reduce_time(16, 1e3, kLink));
  EXPECT_DOUBLE_EQ(halving_doubling_time(2, 1e6, kLink), ring_all_reduce_time(2, 1e6, kLink));
}

TEST(HalvingDoubling, PaysForRanksBeyondAPowerOfTwo) {
  EXPECT_GT(halving_doubling_time(5, 1e6, kLink), halving_doubling_time(4, 1e6, kLink));
  EXPECT_GT(halving_doubling_time(5, 1e6, kLink), halving_doubling_time(8, 1e6, kLink));
}

// Hierarchy over one machine, or over machines of one device, is the plain ring.
TEST(HierarchicalAllReduce, ReducesToARing) {
  EXPECT_DOUBLE_EQ(hierarchical_all_reduce_time(1, 8, 1e6, kLink, kLink),
                   ring_all_reduce_time(8, 1e6, kLink));
  EXPECT_DOUBLE_EQ(hierarchical_all_reduce_time(8, 1, 1e6, kLink, kLink),
                   ring_all_reduce_time(8, 1e6, kLink));
}

// One server for w workers receives w messages; w servers receive one message's worth each.
TEST(ParameterServer, IsBoundByItsServersUntilThereAreAsManyAsWorkers) {
  const double one = parameter_server_time(8, 1, 1e8, kLink, 10e9);
  const double eight = parameter_server_time(8, 8, 1e8, kLink, 10e9);
  EXPECT_NEAR(one / eight, 8, 0.01);
  EXPECT_DOUBLE_EQ(parameter_server_time(8, 16, 1e8, kLink, 10e9), eight);
}

TEST(SwitchReduction, MovesTheMessageOnceWhateverTheRanks) {
  const LinkCost<double> wire{0, 10e9};
  EXPECT_NEAR(switch_reduction_time(1000, 1e9, wire), 0.1, 2e-4);
}

// Every rank has one parent, the tree is connected, and in the pair no rank but the roots has
// children in both: that is what lets both trees use all links.
TEST(BinaryTree, PairCoversAllRanksWithFewSharedInnerRanks) {
  for (int n = 2; n <= 64; ++n) {
    const std::vector<TreeNode> first = in_order_tree(n);
    const std::vector<TreeNode> second = complementary_tree(n);
    for (const auto* tree : {&first, &second}) {
      int roots = 0;
      for (const TreeNode& node : *tree) {
        roots += node.parent < 0 ? 1 : 0;
        EXPECT_LE(node.children.size(), 2u);
      }
      EXPECT_EQ(roots, 1) << n;
      EXPECT_LE(tree_depth(*tree), ceil_log2(n) + 1) << n;
    }
    int inner_in_both = 0;
    for (int rank = 0; rank < n; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      inner_in_both += !first[at].children.empty() && !second[at].children.empty() ? 1 : 0;
    }
    EXPECT_LE(inner_in_both, 2) << n;
  }
}

}  // namespace
}  // namespace paceline::formula

#include "model/collective/connection_limit.h"

#include <gtest/gtest.h>

#include "model/hardware/link_catalog.h"

namespace paceline {
namespace {

// What the words say is what was said, for one connection and for several.
TEST(ConnectionLimit, IsReadBackFromItsWords) {
  const LinkCatalog catalog = LinkCatalog::shipped();
  const LinkSpec network = with_transport(catalog.at("100gbe"), "tcp");
  ASSERT_TRUE(network.per_flow.has_value());
  for (const int connections : {1, 2, 16}) {
    EXPECT_EQ(limiting_connections(connection_limit(connections, network)), connections);
    const std::string remedy = connection_remedy(connections, network, network.achieved);
    EXPECT_EQ(limiting_connections(remedy), connections) << remedy;
  }
}

TEST(ConnectionLimit, IsNotReadFromOtherWords) {
  for (const char* text :
       {"", "2", "gpu memory", "network cards of each machine (25gbe)", "2 tcp connections",
        "2.00 rings of nvlink2", "-1 tcp connections carry ",
        "100 % of the computing is kernels that were not measured"}) {
    EXPECT_FALSE(limiting_connections(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace paceline

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "model/hardware/link_catalog.h"
#include "model/hardware/link_file.h"

namespace paceline {
namespace {

const std::filesystem::path kLinks =
    std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/links";

std::string usage_message(std::string_view text, LinkUse use) {
  try {
    parse_link(text, use, LinkCatalog::load(kLinks));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LinkCatalog, KnowsTheLinksOfTheContract) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  for (const char* name : {"pcie2-x16",
                           "pcie3-x16",
                           "pcie3-x8",
                           "pcie4-x16",
                           "pcie5-x16",
                           "pcie6-x16",
                           "nvlink1",
                           "nvlink2",
                           "nvlink3",
                           "nvlink4",
                           "nvlink5",
                           "nvlink1-cube-mesh",
                           "nvlink2-cube-mesh",
                           "nvlink2-bridge",
                           "nvlink4-bridge",
                           "nvswitch1",
                           "nvswitch2",
                           "nvswitch3",
                           "nvswitch4",
                           "1gbe",
                           "veth-tbf",
                           "10gbe",
                           "25gbe",
                           "40gbe",
                           "100gbe",
                           "200gbe",
                           "400gbe",
                           "800gbe",
                           "56g-ib",
                           "100g-ib",
                           "200g-ib",
                           "400g-ib",
                           "800g-ib",
                           "efa-100g",
                           "efa-400g"}) {
    EXPECT_NE(catalog.find(name), nullptr) << name;
  }
}

// What copies achieve can approach the data sheet, never exceed it, and is at least a third of it;
// every figure says where it comes from.
TEST(LinkCatalog, AchievedRatesAreSourcedFractionsOfTheDataSheet) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  for (const LinkSpec& link : catalog.links()) {
    EXPECT_LE(link.achieved.si(), link.data_sheet.si()) << link.name;
    EXPECT_GE(link.achieved.si(), link.data_sheet.si() / 3) << link.name;
    for (const char* field : {"data_sheet", "achieved", "latency"}) {
      EXPECT_GT(link.sources.at(field).size(), 8u) << link.name << " " << field;
    }
  }
}

TEST(ParseLink, ReadsNamesInAnyCase) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  EXPECT_EQ(parse_link("PCIe3 x16", LinkUse::kInsideMachine, catalog).name, "pcie3-x16");
  EXPECT_EQ(parse_link("100G-IB", LinkUse::kNetwork, catalog).name, "100g-ib");
}

// A typed quantity is a line rate: 25 Gb/s is 3.125 GB/s, and its latency is the one given.
TEST(ParseLink, ReadsQuantities) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  const LinkSpec link = parse_link("25 Gb/s@5us", LinkUse::kNetwork, catalog);
  EXPECT_DOUBLE_EQ(link.data_sheet.si(), 3.125e9);
  EXPECT_DOUBLE_EQ(link.latency.si(), 5e-6);
  EXPECT_LT(link.achieved.si(), link.data_sheet.si());
  const LinkSpec four = parse_link("4x100 Gb/s", LinkUse::kNetwork, catalog);
  EXPECT_DOUBLE_EQ(four.data_sheet.si(), 50e9);
  EXPECT_EQ(four.lanes, 4);
}

// A link of the user's own in a file is read back as it was written, but for a network.
TEST(LinkFile, IsReadBackAsItWasWritten) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "own.json";
  for (const LinkSpec& link : catalog.links()) {
    if (is_network(link.kind)) continue;
    write_text_file(file, link_file_text(link));
    const LinkSpec back = read_link_file(file);
    EXPECT_EQ(link_file_text(back), link_file_text(link));
    EXPECT_NEAR(back.achieved / link.achieved, 1, 1e-5);
    EXPECT_EQ(back.wiring, link.wiring);
    EXPECT_EQ(back.mesh.size(), link.mesh.size());
  }
}

// Below a device a quantity is PCIe, inside a machine a switch; neither limits one connection.
TEST(ParseLink, AQuantityIsWhatItsUseMakesIt) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  EXPECT_EQ(parse_link("25 Gb/s", LinkUse::kHostLink, catalog).wiring, Wiring::kHostTree);
  EXPECT_EQ(parse_link("25 Gb/s", LinkUse::kInsideMachine, catalog).wiring, Wiring::kSwitch);
  EXPECT_FALSE(parse_link("100 Gb/s", LinkUse::kNetwork, catalog).per_flow.has_value());
}

// What a quantity leaves open is not silently filled in.
TEST(ParseLink, SaysWhatItAssumedAboutAQuantity) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  EXPECT_EQ(parse_link("25 Gb/s", LinkUse::kNetwork, catalog).warnings.size(), 2u);
  EXPECT_EQ(parse_link("25 Gb/s@5us", LinkUse::kNetwork, catalog).warnings.size(), 1u);
  EXPECT_TRUE(parse_link("25gbe", LinkUse::kNetwork, catalog).warnings.empty());
  const std::string rate = parse_link("100 Gb/s", LinkUse::kNetwork, catalog).warnings.front();
  EXPECT_THAT(rate, testing::HasSubstr("1.25 GB/s each")) << "a connection of 100gbe is limited";
  EXPECT_THAT(rate, testing::HasSubstr("--set transport=tcp"));
}

// Said, not assumed: rate and latency are those typed, the rest is the named link's, rates in
// proportion.
TEST(ParseLink, AQuantityCanBeToldWhichLinkItBehavesAs) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  const LinkSpec link = parse_link("200 Mb/s@2ms as veth-tbf", LinkUse::kNetwork, catalog);
  const LinkSpec& model = catalog.at("veth-tbf");
  EXPECT_EQ(link.behaves_as, "veth-tbf");
  EXPECT_DOUBLE_EQ(link.latency.si(), 0.002);
  EXPECT_DOUBLE_EQ(link.data_sheet.si(), 25e6);
  EXPECT_DOUBLE_EQ(link.achieved / link.data_sheet, model.achieved / model.data_sheet);
  EXPECT_TRUE(link.warnings.empty());
  EXPECT_EQ(parse_link("1 Gb/s as veth-tbf", LinkUse::kNetwork, catalog).latency, model.latency);
  EXPECT_NE(usage_message("1 Gb/s as veth-tfb", LinkUse::kNetwork).find("veth-tbf"),
            std::string::npos);
  EXPECT_NE(usage_message("1 GB/s as nvlink3", LinkUse::kNetwork).find("cannot stand for"),
            std::string::npos);
}

// Twice the line rate is twice what each transport achieves; a connection is as fast as before.
TEST(ParseLink, AFactorChangesRatesAlone) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  const LinkSpec link = parse_link("100gbe", LinkUse::kNetwork, catalog);
  const LinkSpec twice = parse_link("100gbe*2", LinkUse::kNetwork, catalog);
  EXPECT_DOUBLE_EQ(twice.data_sheet.si(), 2 * link.data_sheet.si());
  EXPECT_DOUBLE_EQ(twice.achieved.si(), 2 * link.achieved.si());
  EXPECT_EQ(twice.latency, link.latency);
  EXPECT_EQ(twice.per_flow, link.per_flow);
  EXPECT_DOUBLE_EQ(parse_link("25 Gb/s@5us*4", LinkUse::kNetwork, catalog).data_sheet.si(), 12.5e9);
}

TEST(ParseLink, RefusesAFactorThatIsNone) {
  for (const char* text : {"100gbe*", "100gbe*x", "100gbe*0", "100gbe*-1", "100gbe*nan", "*2"}) {
    EXPECT_FALSE(usage_message(text, LinkUse::kNetwork).empty()) << text;
  }
}

TEST(ParseLink, RefusesWhatIsNoLinkOfThatUse) {
  EXPECT_NE(usage_message("pcie3-x61", LinkUse::kInsideMachine).find("pcie3-x16"),
            std::string::npos);
  EXPECT_NE(usage_message("pcie3-x16", LinkUse::kNetwork).find("cannot be a network"),
            std::string::npos);
  EXPECT_NE(usage_message("0 GB/s", LinkUse::kNetwork).find("positive"), std::string::npos);
  EXPECT_NE(usage_message("-3 GB/s", LinkUse::kNetwork), "no error");
  EXPECT_NE(usage_message("25 Gb/s@0us", LinkUse::kNetwork).find("positive"), std::string::npos);
}

TEST(Transport, OneTcpConnectionIsSlowerThanTheCard) {
  const LinkCatalog catalog = LinkCatalog::load(kLinks);
  const LinkSpec tcp = with_transport(catalog.at("100gbe"), "tcp");
  ASSERT_TRUE(tcp.per_flow.has_value());
  EXPECT_LT(tcp.per_flow->si(), tcp.achieved.si());
  EXPECT_FALSE(with_transport(catalog.at("100gbe"), "rdma").per_flow.has_value());
  EXPECT_THROW(with_transport(catalog.at("pcie3-x16"), "tcp"), UsageError);
}

TEST(ReadLink, RefusesRatesThatCannotBe) {
  const auto message = [](const std::string& rates) -> std::string {
    const JsonDocument document = parse_json(
        R"({"schema":"paceline.links/1","name":"x","summary":"x","kind":"pcie","wiring":"cable",)" +
            rates +
            R"("latency":"1 us","sources":{"data_sheet":"a","achieved":"a","latency":"a"}})",
        "x.json", "paceline.links/1");
    try {
      read_link(document.root());
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(R"("data_sheet":"2 GB/s","achieved":"1 GB/s",)"), "no error");
  EXPECT_EQ(message(R"("data_sheet":"2 GB/s","achieved":"3 GB/s",)"),
            "x.json:/achieved: higher than the data sheet's 2.00 GB/s");
  EXPECT_EQ(message(R"("data_sheet":"2 GB/s","achieved":"0 GB/s",)"),
            "x.json:/achieved: a link rate must be positive, found 0 B/s");
}

}  // namespace
}  // namespace paceline

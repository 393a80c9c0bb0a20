// Device files of one's own that no device can be, through the real program: refused with file,
// field and what is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "cli/test_program.h"
#include "core/text_file.h"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class DeviceFile : public testing::Test {
 protected:
  using Changes = std::vector<std::pair<std::string, std::string>>;

  // A prediction for a device of the catalog under a name of its own, with these changes.
  TestOutcome predict(const std::string& device, Changes changes, const std::string& more = "") {
    const std::filesystem::path catalog =
        std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/devices";
    std::string text = TestFolder::read(catalog / (device + ".json"));
    changes.emplace_back("\"name\": \"" + device + "\"", "\"name\": \"mine\"");
    for (const auto& [from, to] : changes) {
      const std::size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      if (at != std::string::npos) text.replace(at, from.size(), to);
    }
    write_text_file(folder_.path() / "mine.json", text);
    return run_program_in(folder_,
                          "predict --model fcn-r --batch 8 --device mine.json --json " + more);
  }
  TestFolder folder_;
};

// So many sockets would have a memory that wraps around.
TEST_F(DeviceFile, OfMoreSocketsThanAnyMachineHasIsRefused) {
  const std::string sockets = R"("largest_sockets": { "value": )";
  const TestOutcome many =
      predict("e5-2630-v3", {{sockets + "2", sockets + "1000000000"}}, "--set sockets=100000000");
  EXPECT_EQ(many.code, 3) << many.out;
  EXPECT_THAT(many.err, AllOf(HasSubstr("mine.json:/cpu/largest_sockets/value: "),
                              HasSubstr("at most 64, found 1000000000")));
  const TestOutcome large =
      predict("e5-2630-v3", {{sockets + "2", sockets + "64"}, {"768 GiB", "100000000 GB"}});
  EXPECT_EQ(large.code, 3) << large.out;
  EXPECT_THAT(large.err,
              HasSubstr("mine.json:/cpu/largest_memory: expected 1 B to 1 EB in all 64"));
  EXPECT_EQ(predict("e5-2630-v3", {{sockets + "2", sockets + "4"}}, "--set sockets=4").code, 0);
}

TEST_F(DeviceFile, OfMoreThreadsThanAreCountedIsRefused) {
  const std::string threads = R"("threads_per_core": { "value": )";
  const TestOutcome got = predict("e5-2630-v3", {{threads + "2", threads + "1000000000"}});
  EXPECT_EQ(got.code, 3) << got.out;
  EXPECT_THAT(got.err,
              AllOf(HasSubstr("mine.json:/cpu/threads_per_core/value: "), HasSubstr("at most 64")));
}

TEST_F(DeviceFile, WithTheChipOfADeviceThatHasAnotherIsRefused) {
  const TestOutcome got = predict(
      "l40", {{R"("same_chip": { "devices": ["l40s"])", R"("same_chip": { "devices": ["t4"])"}});
  EXPECT_EQ(got.code, 3) << got.out;
  EXPECT_THAT(got.err, HasSubstr("mine.json:/same_chip/devices: \"t4\" is a gpu of architecture"));
  EXPECT_EQ(predict("l40", {}).code, 0);
}

// It is no parameter file that has the wrong schema.
TEST_F(DeviceFile, OfAnotherVersionIsToldTheOneThatIsRead) {
  const TestOutcome got = predict("t4", {{"paceline.device/1", "paceline.device/2"}});
  EXPECT_EQ(got.code, 3) << got.out;
  EXPECT_THAT(got.err, HasSubstr("mine.json:/schema: this is \"paceline.device/2\", expected "
                                 "\"paceline.device/1\""));
}

}  // namespace
}  // namespace paceline

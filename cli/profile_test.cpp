// --profile: measured layer times instead of the kernel model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_program.h"
#include "core/text_file.h"

namespace paceline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kHeader = "layer,forward_s,backward_s,tensors\n";
// The 14,205,962 parameters of fcn-r.
const std::string kFcnR = kHeader +
                          "fc1,0.001,0.002,1605632+2048\nfc2,0.001,0.002,8388608+4096\n"
                          "fc3,0.001,0.002,4194304+1024\nfc4,0.001,0.002,10240+10\n";

class Profile : public testing::Test {
 protected:
  TestOutcome predict(const std::string& csv, const std::string& more) {
    write_text_file(folder_.path() / "layers.csv", csv);
    return run_program_in(folder_,
                          "predict --device v100-sxm2-16g --batch 64 --gpus 2 "
                          "--intra pcie3-x16 --profile layers.csv " +
                              more);
  }
  TestFolder folder_;
};

TEST_F(Profile, OfTheNetworkIsTakenWithoutDoubt) {
  const TestOutcome got = predict(kFcnR, "--model fcn-r");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(got.out, AllOf(Not(HasSubstr("is it of this network")), HasSubstr("batch 64")));
}

TEST_F(Profile, OfAnotherNetworkIsSaidToBe) {
  const TestOutcome got = predict(kHeader + "a,0.1,0.2,9408\nb,0.1,0.2,64\n", "--model resnet50");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("2 layers with 9472 parameters, resnet50 has 25557032"));
}

// Spreadsheets put a byte order mark before the first character.
TEST_F(Profile, MayBeginWithAByteOrderMark) {
  const TestOutcome plain = predict(kFcnR, "--model fcn-r --json");
  const TestOutcome marked = predict("\xEF\xBB\xBF" + kFcnR, "--model fcn-r --json");
  ASSERT_EQ(marked.code, 0) << marked.err;
  EXPECT_EQ(plain.code, 0) << plain.err;
}

// The sum would wrap around.
TEST_F(Profile, RefusesMoreParametersThanAnyNetworkHas) {
  const std::string huge = "9000000000000000000";
  const std::string most = "600000000000000";  // two of them are too many
  for (const std::string& tensors : {huge, huge + "+" + huge, most + "+" + most}) {
    const TestOutcome got =
        predict(kHeader + "conv1,0.1,0.1," + tensors + "\n", "--model resnet50");
    EXPECT_EQ(got.code, 3) << tensors << ": " << got.out;
    EXPECT_THAT(got.err, AllOf(HasSubstr("layers.csv:2: tensors has"),
                               HasSubstr("at most 1000000000000000 elements")));
  }
  const TestOutcome rows =
      predict(kHeader + "a,0.1,0.1," + most + "\nb,0.1,0.1," + most + "\n", "--model resnet50");
  EXPECT_EQ(rows.code, 3) << rows.out;
  EXPECT_THAT(rows.err, HasSubstr("layers.csv:3: tensors has"));
}

// Longer than the simulated clock, in one layer or in all: said where it stands.
TEST_F(Profile, RefusesTimesThatNoNetworkTakes) {
  for (const auto& [rows, where] :
       {std::pair("a,1e308,0.1,64\n", "layers.csv:2: forward_s is \"1e308\""),
        std::pair("a,0.1,2e6,64\n", "layers.csv:2: backward_s is"),
        std::pair("a,6e5,0,64\nb,6e5,0,64\n", "layers.csv:3: forward_s")}) {
    const TestOutcome got = predict(kHeader + rows, "--model resnet50");
    EXPECT_EQ(got.code, 3) << rows << got.out;
    EXPECT_THAT(got.err, AllOf(HasSubstr(where), HasSubstr("at most 1e6 s"))) << rows;
  }
}

TEST_F(Profile, RefusesSettingsThatOnlyChangeTheTimesOfLayers) {
  for (const std::string setting :
       {"layout=channels-last", "\"workspace_limit=8 MiB\"", "graphs=on", "rnn=two-products"}) {
    const TestOutcome got = predict(kFcnR, "--model fcn-r --set " + setting);
    EXPECT_EQ(got.code, 2) << setting;
    EXPECT_THAT(got.err, HasSubstr("has no effect with --profile")) << setting;
  }
  EXPECT_EQ(predict(kFcnR, "--model fcn-r --set optimizer=adam").code, 0);
}

}  // namespace
}  // namespace paceline

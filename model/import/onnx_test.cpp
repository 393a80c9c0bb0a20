// Exports of real PyTorch networks (testdata/export_networks.py) against the built-in workloads and
// against what PyTorch counts.
#include "model/import/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "core/error.h"
#include "core/json_reader.h"
#include "model/graph/work.h"

namespace paceline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::filesystem::path kExports = PACELINE_SOURCE_DIR "/model/import/testdata";

std::vector<std::string> exported_names() {
  JsonDocument facts = read_json_file(kExports / "facts.json", "paceline.torch-facts/1");
  return facts.root().object("networks").keys();
}

ImportedModel load(const std::string& name) {
  const std::filesystem::path file = kExports / (name + ".onnx");
  return import_onnx(read_text_file(file), file.string());
}

class OnnxExport : public testing::TestWithParam<std::string> {};

TEST_P(OnnxExport, EqualsTheBuiltInWorkload) {
  const ImportedModel model = load(GetParam());
  const std::int64_t batch = 2;
  // The recurrent network has its batch second: the file's first dimension is the sequence.
  const std::int64_t file_batch = GetParam() == "lstm-ptb" ? 32 : batch;
  const WorkloadGraph imported = build_workload(model.name, model.workload, {.batch = file_batch});
  const WorkloadGraph built_in = build_workload(workload_registry(), GetParam(), {.batch = batch});
  EXPECT_EQ(imported.parameters(), built_in.parameters());
  EXPECT_EQ(imported.forward_flops(), built_in.forward_flops());
  EXPECT_EQ(imported.training_flops(), built_in.training_flops());
  EXPECT_EQ(imported.saved_bytes(), built_in.saved_bytes());
}

TEST_P(OnnxExport, EqualsWhatPyTorchCounts) {
  JsonDocument document = read_json_file(kExports / "facts.json", "paceline.torch-facts/1");
  JsonObject facts = document.root().object("networks").object(GetParam());
  const WorkloadGraph graph = build_workload(workload_registry(), GetParam(), {.batch = 2});
  EXPECT_EQ(graph.parameters(), facts.integer("parameters"));
  if (facts.has("forward_flops")) {
    EXPECT_EQ(graph.forward_flops().si(), facts.number("forward_flops"));
  }
  if (facts.has("saved_bytes")) {
    EXPECT_EQ(graph.saved_bytes().si(), facts.number("saved_bytes"));
  }
}

TEST_P(OnnxExport, ScalesToAnotherBatch) {
  if (GetParam() == "lstm-ptb") GTEST_SKIP() << "its first dimension is the sequence";
  const ImportedModel model = load(GetParam());
  const WorkloadGraph imported = build_workload(model.name, model.workload, {.batch = 6});
  const WorkloadGraph built_in = build_workload(workload_registry(), GetParam(), {.batch = 6});
  EXPECT_EQ(imported.forward_flops(), built_in.forward_flops());
  EXPECT_EQ(imported.saved_bytes(), built_in.saved_bytes());
}

INSTANTIATE_TEST_SUITE_P(Networks, OnnxExport, testing::ValuesIn(exported_names()),
                         [](const auto& test) {
                           return std::regex_replace(test.param, std::regex("[^A-Za-z0-9]"), "_");
                         });

std::string message(const std::string& bytes) {
  try {
    import_onnx(bytes, "net.onnx");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Every occurrence; both texts have the same length, as the format stores lengths.
std::string replaced(const std::string& bytes, const std::string& from, const std::string& to) {
  EXPECT_EQ(from.size(), to.size());
  return std::regex_replace(bytes, std::regex(from), to);
}

// Each is one line that opens with the file and says what is wrong.
TEST(OnnxFile, RefusesDamagedFiles) {
  const std::string good = read_text_file(kExports / "fcn-r.onnx");
  ASSERT_EQ(message(good), "no error");
  for (const std::size_t length : {good.size() / 2, good.size() - 1, std::size_t{3}}) {
    EXPECT_THAT(message(good.substr(0, length)), AllOf(HasSubstr("net.onnx"), HasSubstr("ONNX")));
  }
  EXPECT_THAT(message(""), HasSubstr("not a complete ONNX model"));
  EXPECT_THAT(message("hello, this is no protocol buffer"), HasSubstr("not a complete ONNX model"));
}

// One byte of a good file flipped, as a bad disk or download does it: the file is refused in words,
// or still is a network that can be built. Any other exception fails the test.
TEST(OnnxFile, RefusesOrBuildsWhateverAFlippedByteMakes) {
  int refused = 0;
  for (const auto& [name, stride] : std::vector<std::pair<std::string, std::size_t>>{
           {"fcn-r", 1}, {"lstm-ptb", 41}, {"transformer-tiny", 157}}) {
    const std::string good = read_text_file(kExports / (name + ".onnx"));
    for (std::size_t at = 0; at < good.size(); at += stride) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (at % 2 == 0 ? 0xef : 0x01));
      refused += message(bad) != "no error" ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 100);
}

// The operator's name is lost and its text became an unknown field.
TEST(OnnxFile, RefusesANodeWithoutAnOperator) {
  std::string bytes = read_text_file(kExports / "transformer-tiny.onnx");
  ASSERT_EQ(static_cast<unsigned char>(bytes[7880]), 34);
  bytes[7880] = static_cast<char>(205);
  EXPECT_THAT(message(bytes), AllOf(HasSubstr("unsupported operators"), HasSubstr("(no name)")));
}

TEST(OnnxFile, NamesUnknownOperators) {
  const std::string good = read_text_file(kExports / "fcn-r.onnx");
  EXPECT_THAT(message(replaced(good, "Sigmoid", "Sigmaid")),
              AllOf(HasSubstr("unsupported operators"), HasSubstr("Sigmaid")));
}

TEST(OnnxFile, RefusesCyclesMissingValuesShapesAndDynamicBatches) {
  for (const auto& [file, expected] :
       std::vector<std::pair<std::string, std::string>>{{"cyclic", "cycle"},
                                                        {"dangling", "which nothing makes"},
                                                        {"shapeless", "has no shape"},
                                                        {"dynamic-batch", "\"batch\""},
                                                        {"dilated", "dilations"}}) {
    const std::string found = message(read_text_file(kExports / "broken" / (file + ".onnx")));
    EXPECT_THAT(found, AllOf(HasSubstr("net.onnx"), HasSubstr(expected))) << file;
    EXPECT_EQ(found.find('\n'), std::string::npos) << file;
  }
}

TEST(LoadModel, TellsNamesAndFilesApart) {
  const WorkloadRegistry registry = workload_registry();
  EXPECT_EQ(load_model(registry, "ResNet-50").name, "resnet50");
  EXPECT_EQ(load_model(registry, (kExports / "fcn-r.onnx").string()).name, "fcn-r");
  EXPECT_THROW(load_model(registry, "resnet5"), UsageError);
  EXPECT_THROW(load_model(registry, "absent.onnx"), InputError);
  EXPECT_THROW(load_model(registry, "absent/config.json"), InputError);
}

}  // namespace
}  // namespace paceline

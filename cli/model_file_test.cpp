// Model files as a user gives them to the program: good ones are predicted like the networks of the
// catalog, every kind of bad one is refused in one line with exit code 3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/test_program.h"
#include "core/json_reader.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kExports = PACELINE_SOURCE_DIR "/model/import/testdata";

const std::string kLlama = R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 96,
  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 128,
  "max_position_embeddings": 32})";
const std::string kBert = R"({"model_type": "bert", "hidden_size": 64, "intermediate_size": 96,
  "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 128,
  "max_position_embeddings": 32, "hidden_act": "relu"})";
const std::string kMixtral = R"({"model_type": "mixtral", "hidden_size": 64,
  "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 128,
  "max_position_embeddings": 32, "num_local_experts": 2, "num_experts_per_tok": 3})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
    found = true;
  }
  EXPECT_TRUE(found) << from;
  return text;
}

// A test folder with model files beside the parameters.
class ModelFolder {
 public:
  ModelFolder() {
    const std::string onnx = read_text_file(kExports / "fcn-r.onnx");
    write_text_file(folder_.path() / "fcn-r.onnx", onnx);
    write_text_file(folder_.path() / "truncated.onnx", onnx.substr(0, onnx.size() / 2));
    write_text_file(folder_.path() / "empty.onnx", "");
    write_text_file(folder_.path() / "text.onnx", "this is no network\n");
    // Of equal length, as the format stores lengths.
    write_text_file(folder_.path() / "operator.onnx", replaced(onnx, "Sigmoid", "Sigmaid"));
    for (const auto& entry : fs::directory_iterator(kExports / "broken")) {
      fs::copy_file(entry.path(), folder_.path() / entry.path().filename());
    }
    write_config("bert", kBert);
    write_config("truncated", kLlama.substr(0, kLlama.size() / 2));
    write_config("missing", replaced(kLlama, "\"hidden_size\"", "\"hidden_sizes\""));
    write_config("null", replaced(kLlama, "\"vocab_size\": 128", "\"vocab_size\": null"));
    write_config("heads",
                 replaced(kLlama, "\"num_attention_heads\": 4", "\"num_attention_heads\": 5"));
    write_config("kv-heads",
                 replaced(kLlama, "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3"));
    write_config("experts", kMixtral);
    write_config("type", replaced(kLlama, "\"llama\"", "\"lama\""));
    write_config("negative",
                 replaced(kLlama, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": -2"));
    write_config("text", replaced(kLlama, "\"vocab_size\": 128", "\"vocab_size\": \"128\""));
    write_config("untyped", "{\"hidden_size\": 64}");
    write_text_file(folder_.path() / "list.json", "[1, 2]");
    write_config("other", R"({"architectures": ["GPT2LMHeadModel"], )" + kLlama.substr(1));
    // An operator's name that would clear the screen.
    write_text_file(folder_.path() / "escape.onnx", replaced(onnx, "Sigmoid", "\x1b[2Jabc"));
  }
  TestOutcome predict(const std::string& model, const std::string& more) const {
    return run_program_in(folder_, "predict --model " + model + " --device good.json " + more);
  }

 private:
  void write_config(const std::string& name, const std::string& text) {
    fs::create_directories(folder_.path() / name);
    write_text_file(folder_.path() / name / "config.json", text);
  }
  TestFolder folder_;
};

struct BadModel {
  const char* name;
  const char* model;
  const char* says;
};

const BadModel kBadModels[] = {
    {"TruncatedOnnx", "truncated.onnx", "not a complete ONNX model"},
    {"EmptyOnnx", "empty.onnx", "not a complete ONNX model"},
    {"TextAsOnnx", "text.onnx", "not a complete ONNX model"},
    {"UnknownOperator", "operator.onnx", "unsupported operators: Sigmaid"},
    {"CyclicOnnx", "cyclic.onnx", "cycle"},
    {"DanglingOnnx", "dangling.onnx", "which nothing makes"},
    {"ShapelessOnnx", "shapeless.onnx", "has no shape"},
    {"DynamicBatch", "dynamic-batch.onnx", "\"batch\""},
    {"UnsupportedAttribute", "dilated.onnx", "dilations"},
    {"MissingOnnx", "none.onnx", "none.onnx"},
    {"TruncatedConfig", "./truncated/config.json", "truncated/config.json"},
    {"MissingField", "./missing/config.json", "hidden_size"},
    {"NullField", "./null/config.json", "vocab_size"},
    {"ContradictoryHeads", "./heads/config.json", "does not divide hidden_size"},
    {"ContradictoryKeyHeads", "./kv-heads/config.json", "does not divide num_attention_heads"},
    {"ContradictoryExperts", "./experts/config.json", "more than num_local_experts"},
    {"UnknownType", "./type/config.json", "llama"},
    {"NegativeField", "./negative/config.json", "whole number from 1"},
    {"TextField", "./text/config.json", "vocab_size"},
    {"UntypedConfig", "./untyped/config.json", "model_type"},
    {"ListAsConfig", "./list.json", "list.json:/: expected an object"},
    {"OtherArchitecture", "./other/config.json", "LlamaForCausalLM"},
    {"ControlCharacters", "escape.onnx", "unsupported operators: \\x1b[2Jabc"},
    {"MissingConfig", "./none/config.json", "none/config.json"},
};

class BadModels : public testing::TestWithParam<BadModel> {};

TEST_P(BadModels, AreRefusedInOneLineWithExitCodeThree) {
  const ModelFolder folder;
  const TestOutcome outcome = folder.predict(GetParam().model, "--batch 2");
  if (outcome.err.find("libonnx-dev") != std::string::npos) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Table, BadModels, testing::ValuesIn(kBadModels),
                         [](const auto& test) { return std::string(test.param.name); });

double iteration_time(const std::string& json) {
  const JsonDocument document = parse_json(json, "output", "paceline.report/1");
  return document.root().object("iteration_time_s").number("median");
}

// An export of the same network is the same network.
TEST(GoodModel, AnExportIsPredictedLikeTheNetworkOfTheCatalog) {
  const ModelFolder folder;
  const TestOutcome exported = folder.predict("fcn-r.onnx", "--batch 64 --json");
  const TestOutcome built_in = folder.predict("fcn-r", "--batch 64 --json");
  if (exported.err.find("libonnx-dev") != std::string::npos) GTEST_SKIP() << exported.err;
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_DOUBLE_EQ(iteration_time(exported.out), iteration_time(built_in.out));
  EXPECT_THAT(exported.out, HasSubstr("cross-entropy"));  // the loss was assumed, which is said
}

TEST(GoodModel, DefaultsThatAConfigurationLeavesOutArePrinted) {
  const ModelFolder folder;
  for (const std::string model : {"./bert", "./bert/config.json"}) {
    const TestOutcome outcome = folder.predict(model, "--batch 2 --seq 16");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("type_vocab_size is absent: 2 assumed")) << model;
  }
}

}  // namespace
}  // namespace paceline

#include "model/import/workload_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kNet = R"({"schema": "paceline.workload/1", "name": "mine", "default_seq": 8,
  "inputs": [{"name": "tokens", "shape": ["batch", "seq"], "integer": true},
             {"name": "targets", "shape": ["batch", "seq"], "integer": true}],
  "operations": [
    {"op": "embedding", "name": "words", "inputs": ["tokens"], "rows": 100, "width": 16},
    {"op": "linear", "name": "up", "inputs": ["words"], "out_features": 32},
    {"op": "relu", "name": "act", "inputs": ["up"], "in_place": true},
    {"op": "linear", "name": "head", "inputs": ["act"], "out_features": 100, "bias": false},
    {"op": "cross_entropy", "name": "loss", "inputs": ["head", "targets"]}]})";

std::string message(const std::string& text) {
  try {
    const ImportedModel model = import_workload_file(text, "mine.json");
    build_workload(model.name, model.workload, {.batch = 8});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kNet;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(WorkloadFile, BuildsForAnyBatchAndSequence) {
  const ImportedModel model = import_workload_file(kNet, "mine.json");
  const WorkloadGraph graph = build_workload(model.name, model.workload, {.batch = 4, .seq = 10});
  EXPECT_EQ(graph.parameters(), 1600 + (16 * 32 + 32) + 3200);
  EXPECT_EQ(graph.forward_flops(), Flops(2.0 * 40 * (16 * 32 + 3200)));
  EXPECT_EQ(graph.tokens_per_sample(), 10);
}

TEST(WorkloadFile, SaysWhereAFileIsWrong) {
  EXPECT_EQ(message(kNet), "no error");
  EXPECT_THAT(message(with("\"relu\"", "\"rellu\"")),
              AllOf(HasSubstr("mine.json"), HasSubstr("operations/2"), HasSubstr("relu")));
  EXPECT_THAT(message(with("[\"up\"]", "[\"upp\"]")), HasSubstr("no earlier operation"));
  EXPECT_THAT(message(with("[\"up\"]", "[\"up\", \"words\"]")), HasSubstr("1 needed"));
  EXPECT_THAT(message(with("\"out_features\": 32", "\"out_feature\": 32")),
              HasSubstr("out_features"));
  EXPECT_THAT(message(with("\"seq\"]", "-1]")), HasSubstr("dimension -1"));
  EXPECT_THAT(message(with("\"words\"", "\"head\"")), HasSubstr("mine.json"));
  EXPECT_THAT(message(with("\"name\": \"mine\"", "\"nam\": \"mine\"")), HasSubstr("name"));
}

const std::string kImages = R"({"schema": "paceline.workload/1", "name": "mine",
  "inputs": [{"name": "image", "shape": ["batch", 3, 8, 8]},
             {"name": "classes", "shape": ["batch"], "integer": true}],
  "operations": [
    {"op": "conv2d", "name": "conv", "inputs": ["image"], "out_channels": 4, "kernel": 3, "pad": 1,
     "stride": 1},
    {"op": "max_pool2d", "name": "pool", "inputs": ["conv"], "kernel": 2, "stride": 2, "pad": 0},
    {"op": "concat", "name": "join", "inputs": ["pool"], "axis": 1},
    {"op": "permute", "name": "turn", "inputs": ["join"], "axes": [0, 2, 3, 1]},
    {"op": "reshape", "name": "flat", "inputs": ["turn"], "shape": ["batch", 64]},
    {"op": "linear", "name": "head", "inputs": ["flat"], "out_features": 10},
    {"op": "cross_entropy", "name": "loss", "inputs": ["head", "classes"]}]})";

// Numbers that no layer can have are refused where they stand, before they reach a division, a
// narrowing or an array.
TEST(WorkloadFile, RefusesExtentsThatNoLayerHas) {
  const auto changed = [](const char* from, const char* to) {
    std::string text = kImages;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return message(text.replace(at, std::string_view(from).size(), to));
  };
  EXPECT_EQ(message(kImages), "no error");
  for (const char* kernel : {"0", "-3", "4611686018427387904"}) {
    EXPECT_THAT(changed("\"kernel\": 3", ("\"kernel\": " + std::string(kernel)).c_str()),
                HasSubstr("operations/0/kernel"));
  }
  EXPECT_THAT(changed("\"stride\": 1", "\"stride\": 0"), HasSubstr("operations/0/stride"));
  EXPECT_THAT(changed("\"stride\": 1", "\"stride\": 4611686018427387904"), HasSubstr("stride"));
  EXPECT_THAT(changed("\"pad\": 1", "\"pad\": -1"), HasSubstr("operations/0/pad"));
  EXPECT_THAT(changed("\"kernel\": 2", "\"kernel\": 0"), HasSubstr("operations/1/kernel"));
  EXPECT_THAT(changed("\"stride\": 2", "\"stride\": 0"), HasSubstr("operations/1/stride"));
  EXPECT_THAT(changed("\"pad\": 0", "\"pad\": -1"), HasSubstr("operations/1/pad"));
  EXPECT_THAT(changed("\"pad\": 0", "\"pad\": 5"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(changed("\"axis\": 1", "\"axis\": 4294967297"), HasSubstr("operations/2/axis"));
  EXPECT_THAT(changed("3, 1]", "3, 4294967297]"), HasSubstr("operations/3/axes"));
  EXPECT_THAT(changed("\"out_features\": 10", "\"out_features\": 0"), HasSubstr("out_features"));
  EXPECT_THAT(changed("\"out_channels\": 4", "\"out_channels\": 1000000000"),
              HasSubstr("mine.json"));
}

// What does not fit together is shown in the shapes that were asked for.
TEST(WorkloadFile, SpeaksOfTheBatchThatWasAskedFor) {
  EXPECT_THAT(
      message(with("\"inputs\": [\"head\", \"targets\"]", "\"inputs\": [\"tokens\", \"head\"]")),
      HasSubstr("8x8"));
}

TEST(WorkloadFile, EndsInItsOnlyLoss) {
  std::string without = kImages;
  without = without.substr(0, without.find(",\n    {\"op\": \"cross_entropy\"")) + "]}";
  EXPECT_THAT(message(without), HasSubstr("must be a loss"));
  const std::string after = kImages.substr(0, kImages.size() - 2) +
                            R"(, {"op": "relu", "name": "late", "inputs": ["loss"]}]})";
  EXPECT_THAT(message(after), HasSubstr("a loss is the last operation"));
}

// A batch written as a number would stay while --batch changed what it is divided by.
TEST(WorkloadFile, RefusesInputsWhoseBatchIsANumber) {
  std::string fixed = kNet;
  for (int i = 0; i < 2; ++i) fixed.replace(fixed.find("[\"batch\""), 8, "[4");
  EXPECT_THAT(message(fixed), AllOf(HasSubstr("mine.json:/inputs/0/shape"), HasSubstr("batch")));
  EXPECT_THAT(message(with("\"targets\", \"shape\": [\"batch\"", "\"targets\", \"shape\": [8")),
              HasSubstr("mine.json:/inputs/1/shape"));
  EXPECT_THAT(message(with("[\"batch\", \"seq\"]", "[]")), HasSubstr("/inputs/0/shape"));
  EXPECT_THAT(message(with("[\"batch\", \"seq\"]", "[\"batch\", \"batch\"]")),
              AllOf(HasSubstr("/inputs/0/shape"), HasSubstr("nowhere else")));
  // Steps come first for recurrent layers, and positions are the same for every sample.
  const std::string steps = R"({"schema": "paceline.workload/1", "name": "mine", "default_seq": 8,
    "inputs": [{"name": "x", "shape": ["seq", "batch", 4]},
               {"name": "positions", "shape": ["seq"], "integer": true},
               {"name": "y", "shape": ["batch", "seq"], "integer": true}],
    "operations": [
      {"op": "lstm", "name": "rec", "inputs": ["x"], "hidden": 4},
      {"op": "permute", "name": "turn", "inputs": ["rec"], "axes": [1, 0, 2]},
      {"op": "embedding", "name": "places", "inputs": ["positions"], "rows": 8, "width": 4},
      {"op": "add", "name": "sum", "inputs": ["turn", "places"]},
      {"op": "cross_entropy", "name": "loss", "inputs": ["sum", "y"]}]})";
  EXPECT_EQ(message(steps), "no error");
}

// What nothing reads is no part of the iteration: it would be counted, and is a typing error.
TEST(WorkloadFile, RefusesWhatNothingReads) {
  EXPECT_THAT(message(with("\"inputs\": [\"act\"]", "\"inputs\": [\"words\"]")),
              AllOf(HasSubstr("operations/2/name"), HasSubstr("\"act\" is read by no operation")));
  EXPECT_THAT(message(with("\"inputs\": [",
                           "\"inputs\": [{\"name\": \"spare\", \"shape\": [\"batch\", 3]},")),
              AllOf(HasSubstr("inputs/0/name"), HasSubstr("spare")));
  EXPECT_THAT(message(with("\"name\": \"act\"", "\"name\": \"tokens\"")),
              AllOf(HasSubstr("operations/2/name"), HasSubstr("taken")));
}

TEST(WorkloadFile, FlattensOnlyFromADimensionThatThereIs) {
  std::string text = kImages;
  const std::string from =
      R"({"op": "reshape", "name": "flat", "inputs": ["turn"], "shape": ["batch", 64]})";
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  const auto flatten = [&](const std::string& first) {
    std::string changed = text;
    return message(changed.replace(
        at, from.size(),
        R"({"op": "flatten", "name": "flat", "inputs": ["turn"], "first": )" + first + "}"));
  };
  EXPECT_EQ(flatten("1"), "no error");
  EXPECT_THAT(flatten("4"), AllOf(HasSubstr("operations/4/first"), HasSubstr("from 0 to 3")));
  EXPECT_THAT(flatten("99"), HasSubstr("operations/4/first"));
}

TEST(WorkloadFile, RefusesRecurrentLayersAndTablesOfNoSize) {
  EXPECT_THAT(message(with("\"rows\": 100", "\"rows\": 0")), HasSubstr("operations/0/rows"));
  EXPECT_THAT(message(with("\"rows\": 100", "\"rows\": -1")), HasSubstr("operations/0/rows"));
  EXPECT_THAT(message(with("\"default_seq\": 8", "\"default_seq\": 0")), HasSubstr("default_seq"));
  const std::string lstm = R"({"op": "lstm", "name": "rec", "inputs": ["words"], "hidden": 4, )";
  const auto recurrent = [&](const std::string& attribute) {
    return message(
        with(R"({"op": "linear", "name": "up", "inputs": ["words"])",
             lstm + attribute + R"(}, {"op": "linear", "name": "up", "inputs": ["rec"])"));
  };
  EXPECT_EQ(recurrent("\"layers\": 2"), "no error");
  EXPECT_THAT(recurrent("\"layers\": 0"), HasSubstr("operations/1/layers"));
  EXPECT_THAT(recurrent("\"layers\": -1"), HasSubstr("operations/1/layers"));
  EXPECT_THAT(recurrent("\"layers\": 100000"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(recurrent("\"bias_sets\": -1"), HasSubstr("from 0 to 2"));
}

}  // namespace
}  // namespace paceline

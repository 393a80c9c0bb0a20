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
    import_workload_file(text, "mine.json");
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

}  // namespace
}  // namespace paceline

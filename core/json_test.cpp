#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

std::string message_of(const std::string& text, auto&& read) {
  try {
    const JsonDocument document = parse_json(text, "x.json", "paceline.test/1");
    JsonObject root = document.root();
    read(root);
    root.finish();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonReader, ReadsQuantitiesWithUnits) {
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/1","bandwidth":"450 GB/s"})",
                       [](JsonObject& root) {
                         EXPECT_DOUBLE_EQ(root.quantity<BytesPerSecond>("bandwidth").si(), 450e9);
                       }),
            "no error");
}

TEST(JsonReader, NamesPathFoundAndAllowed) {
  const auto read_rate = [](JsonObject& root) { root.quantity<BytesPerSecond>("bandwidth"); };
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/1","bandwidth":"450 GBps/s"})", read_rate),
            "x.json:/bandwidth: bandwidth \"450 GBps/s\" has the unknown unit \"GBps/s\"; use B/s, "
            "GB/s, GiB/s, Gb/s");
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/1","bandwidth":450})", read_rate),
            "x.json:/bandwidth: expected a string, found the number 450");
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/1","bandwith":"1 GB/s"})", read_rate),
            "x.json:/bandwidth: missing; found \"bandwith\" instead");
}

TEST(JsonReader, RefusesUnknownAndDuplicateKeys) {
  const auto read_nothing = [](JsonObject&) {};
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/1","extra":1})", read_nothing),
            "x.json:/: unknown key \"extra\"; known: schema");
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/1","a":1,"a":2})", read_nothing),
            "x.json: the key \"a\" occurs twice in one object");
}

TEST(JsonReader, SaysWhereTruncatedAndBrokenTextBreaks) {
  const auto read_nothing = [](JsonObject&) {};
  EXPECT_EQ(message_of("", read_nothing), "x.json: not valid JSON: the file is empty");
  EXPECT_EQ(message_of("{\"schema\": ", read_nothing),
            "x.json: not valid JSON: the text ends too early at line 1, column 12");
  EXPECT_EQ(message_of("{\n  oops}", read_nothing),
            "x.json: not valid JSON: unexpected text at line 2, column 3");
}

TEST(JsonReader, RefusesAnotherKindOrVersion) {
  const auto read_nothing = [](JsonObject&) {};
  EXPECT_EQ(message_of(R"({"schema":"paceline.test/2"})", read_nothing),
            "x.json:/schema: this is \"paceline.test/2\", expected \"paceline.test/1\" (written by "
            "another version of paceline)");
  EXPECT_EQ(message_of("[1]", read_nothing), "x.json:/: expected an object, found an array of 1");
}

TEST(JsonWriter, RefusesNumbersThatAreNotFinite) {
  nlohmann::ordered_json value = {{"a", {{"b", std::nan("")}}}};
  EXPECT_THROW(to_json_text(value), Error);
}

TEST(JsonWriter, WhatIsWrittenReadsBackEqual) {
  const nlohmann::ordered_json value = {{"schema", "paceline.test/1"},
                                        {"numbers", {1.5, 2, 1e-9}},
                                        {"empty", nlohmann::json::object()}};
  const auto file = std::filesystem::temp_directory_path() / "paceline_json_test.json";
  write_json_file(file, value);
  EXPECT_EQ(read_json_file(file, "paceline.test/1").value(), nlohmann::json(value));
  std::filesystem::remove(file);
}

TEST(JsonWriter, AMissingFolderIsOneClearLine) {
  EXPECT_THROW(write_text_file("/nonexistent/folder/x.json", "{}"), InputError);
}

}  // namespace
}  // namespace paceline

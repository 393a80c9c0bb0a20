#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"

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

// One key may stand in several objects, side by side or one inside the other, not twice in one.
TEST(JsonReader, KeysAreComparedWithinOneObject) {
  const JsonDocument document =
      parse_any_json(R"({"a": {"a": 1, "b": [{"a": 2}, {"a": 3}]}, "b": 4})", "x.json");
  EXPECT_EQ(document.value()["a"]["b"][1]["a"], 3);
  EXPECT_EQ(document.value()["b"], 4);
  for (const char* twice : {R"([1, {"b": 2, "a": {}, "b": 2}])", R"({"a": [{"b": 1, "b": 2}]})",
                            R"({"b": {"c": {}}, "b": {}})"}) {
    try {
      parse_any_json(twice, "x.json");
      ADD_FAILURE() << twice << " was read";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "x.json: the key \"b\" occurs twice in one object");
    }
  }
}

// Every kind of value, empty and nested, as the library's own parser reads it.
TEST(JsonReader, ReadsWhatAPlainParserReads) {
  for (const char* text :
       {R"({"n": null, "t": true, "i": -3, "u": 18446744073709551615, "d": 1.5e-3, "s": "\u00e9"})",
        R"([[], {}, [[1, [2]], 3], {"a": [{"b": []}], "c": ""}])", R"("only a string")", "7"}) {
    EXPECT_EQ(parse_any_json(text, "x.json").value(), nlohmann::json::parse(text)) << text;
  }
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

// 2^64 - 1 wraps to -1 and 2^32 + 1 to 1 where a reader narrows without looking.
TEST(JsonReader, IntegersThatDoNotFitAreRefused) {
  const JsonDocument document = parse_any_json(
      R"({"a": 18446744073709551615, "b": 4294967297, "c": -1, "d": 7, "e": [1, 1e3]})", "x.json");
  JsonObject root = document.root();
  EXPECT_THROW(root.integer("a"), InputError);
  EXPECT_THROW(root.count("a"), InputError);
  EXPECT_THROW(root.count("b"), InputError);
  EXPECT_THROW(root.count("c"), InputError);
  EXPECT_EQ(root.count("d", 1, 7), 7);
  EXPECT_THROW(root.count("d", 1, 6), InputError);
  EXPECT_EQ(root.count_or("absent", 3), 3);
  EXPECT_THROW(root.integers("e"), InputError);
}

TEST(JsonReader, SaysWhereANumberIsOutOfRange) {
  try {
    parse_any_json("{\"a\": \"1e999\",\n \"b\": 1e999}", "x.json");
    FAIL() << "1e999 was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("1e999 at line 2, column 7"), std::string::npos)
        << error.what();
  }
}

TEST(JsonWriter, RefusesNumbersThatAreNotFinite) {
  nlohmann::ordered_json value = {{"a", {{"b", std::nan("")}}}};
  EXPECT_THROW(to_json_text(value), Error);
}

TEST(JsonWriter, SaysWhereANumberIsNotFinite) {
  const nlohmann::ordered_json value = {{"a", {1, {{"b", {0.5, std::nan("")}}}}}};
  try {
    to_json_text(value);
    FAIL() << "NaN was written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "refused to write a number that is not finite at /a/1/b/1");
  }
}

// Texts that JSON must escape, and those that it need not, in keys and in values.
TEST(JsonWriter, EscapesWhatTheLibraryEscapes) {
  for (const char* text :
       {"", "plain", "a \"quote\"", "back\\slash", "line\nbreak\x01", "caf\u00e9"}) {
    const nlohmann::ordered_json value = {{text, text}};
    const std::string quoted = nlohmann::json(text).dump();
    EXPECT_EQ(to_json_text(value), "{\n  " + quoted + ": " + quoted + "\n}\n");
  }
}

TEST(JsonWriter, AListThatIsWrittenItemByItemIsTheSameText) {
  const nlohmann::ordered_json list = {{{"a", {1, 2}}, {"b", {{"c", {{{"d", nullptr}}}}}}},
                                       {{"a", nlohmann::json::array()}},
                                       {{"a", {{1}, {2.5}}}}};
  JsonListText text;
  for (const nlohmann::ordered_json& item : list) text.add(item);
  EXPECT_EQ(std::move(text).take(), to_json_text(list));
  EXPECT_EQ(JsonListText().take(), to_json_text(nlohmann::ordered_json::array()));
}

TEST(JsonWriter, WhatIsWrittenReadsBackEqual) {
  const nlohmann::ordered_json value = {{"schema", "paceline.test/1"},
                                        {"numbers", {1.5, 2, 1e-9}},
                                        {"empty", nlohmann::json::object()}};
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "value.json";
  write_json_file(file, value);
  EXPECT_EQ(read_json_file(file, "paceline.test/1").value(), nlohmann::json(value));
}

TEST(JsonWriter, AMissingFolderIsOneClearLine) {
  EXPECT_THROW(write_text_file("/nonexistent/folder/x.json", "{}"), InputError);
}

}  // namespace
}  // namespace paceline

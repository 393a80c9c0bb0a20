#include "traces/import/json_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A file of events, as text or compressed and cut off.
class EventFile {
 public:
  explicit EventFile(const std::string& text, bool compressed = false,
                     std::size_t cut = std::string::npos) {
    if (!compressed) {
      write_text_file(path_, text);
      return;
    }
    gzFile file = gzopen(path_.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    if (cut < std::filesystem::file_size(path_)) std::filesystem::resize_file(path_, cut);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "events.json";
};

struct Read {
  JsonEventsResult result;
  std::vector<std::string> names;
};

Read read(const EventFile& file) {
  Read out;
  out.result = read_json_events(
      file.path(), [&](const JsonEvent& event) { out.names.emplace_back(event.name); });
  return out;
}

std::string error_of(const EventFile& file) {
  try {
    read(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonEvents, AreFoundInAnObjectAndTheRestIsKept) {
  const Read got = read(EventFile(
      R"({"schemaVersion": 1, "traceEvents" : [ {"name": "a"}, {"name": "b", "args": {"x": [1, {}]}}
      ], "traceName": "t[{"})"));
  EXPECT_THAT(got.names, ElementsAre("a", "b"));
  EXPECT_EQ(got.result.frame, R"({"schemaVersion": 1, "traceEvents" : [], "traceName": "t[{"})");
  EXPECT_EQ(got.result.damage, "");
}

TEST(JsonEvents, AreFoundInAPlainArray) {
  EXPECT_THAT(read(EventFile(R"([{"name": "a"},{"name": "b"}])")).names, ElementsAre("a", "b"));
}

TEST(JsonEvents, BracketsAndQuotesInsideTextsEndNothing) {
  EXPECT_THAT(read(EventFile(R"([{"name": "f<int[2]>}\"]\\"},{"name": "b"}])")).names,
              ElementsAre("f<int[2]>}\"]\\", "b"));
}

// A kernel's name may be of any length, and a file of more than one piece cuts events anywhere.
TEST(JsonEvents, LongerThanOnePieceOfTheFileAreWhole) {
  const std::string huge(9'000'000, 'k');
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i)
    text += "{\"name\":\"event number " + std::to_string(i) + "\"},";
  text += "{\"name\":\"" + huge + "\"},{\"name\":\"last\"}]";
  const Read got = read(EventFile(text));
  ASSERT_EQ(got.names.size(), 100'002u);
  EXPECT_EQ(got.names[77'777], "event number 77777");
  EXPECT_EQ(got.names[100'000], huge);
  EXPECT_EQ(got.names[100'001], "last");
}

TEST(JsonEvents, OfACompressedFileAreTheSame) {
  EXPECT_THAT(read(EventFile(R"({"traceEvents":[{"name":"a"}]})", true)).names, ElementsAre("a"));
}

// A run that was killed while it wrote: what is there is used, and the reader is told.
TEST(JsonEvents, BeforeACutAreKept) {
  const Read plain = read(EventFile(R"({"traceEvents":[{"name":"a"},{"name":"b)"));
  EXPECT_THAT(plain.names, ElementsAre("a"));
  EXPECT_THAT(plain.result.damage, HasSubstr("ends inside"));
  std::string text = "{\"traceEvents\":[";
  for (int i = 0; i < 20'000; ++i) {
    text += "{\"name\":\"" + std::to_string(i * 2654435761u) + "\"},";
  }
  const Read compressed = read(EventFile(text + "{\"name\":\"z\"}]}", true, 30'000));
  EXPECT_GT(compressed.names.size(), 100u);
  EXPECT_LT(compressed.names.size(), 20'000u);
  EXPECT_THAT(compressed.result.damage, HasSubstr("compressed data ends early"));
}

// A flipped byte may have changed any number, also before the place where it is noticed: here in
// the checksum at the end, far behind the first piece.
TEST(JsonEvents, OfDamagedCompressedDataAreNotUsed) {
  std::string text = "[";
  for (int i = 0; i < 300'000; ++i) {
    text += "{\"name\":\"event number " + std::to_string(i) + "\"},";
  }
  const EventFile file(text + "{\"name\":\"z\"}]", true);
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file.path()));
  std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(size - 8);
  const int before = bytes.get();
  bytes.seekp(size - 8);
  bytes.put(static_cast<char>(before ^ 1));
  bytes.close();
  EXPECT_THAT(error_of(file), HasSubstr("events.json: incorrect data check; expected "));
}

TEST(JsonEvents, ThatCannotBeReadAreCountedAndThePlaceOfTheFirstIsKept) {
  const Read got = read(EventFile(
      R"([{"name":"a"},{"name":"b","args":{"bandwidth": inf}},{"name": 7},{"name":"c"}])"));
  EXPECT_THAT(got.names, ElementsAre("a", "c"));
  EXPECT_EQ(got.result.unreadable, 2u);
  EXPECT_THAT(got.result.first_error, HasSubstr("byte 14"));
}

TEST(JsonEvents, NumbersAreGivenAsWrittenWithOrWithoutQuotes) {
  const EventFile file(R"([{"ts": 1700000000123456.789, "dur": "2.5", "pid": "Spans", "tid": 3,
                               "args": {"correlation": "12", "Input Dims": [[8, 3]]}}])");
  read_json_events(file.path(), [](const JsonEvent& event) {
    EXPECT_EQ(event.timestamp, "1700000000123456.789");
    EXPECT_EQ(event.duration, "2.5");
    EXPECT_EQ(event.pid, "Spans");
    EXPECT_EQ(event.tid, "3");
    EXPECT_EQ(event.argument("correlation"), "12");
    EXPECT_EQ(event.argument("Input Dims"), "[[8, 3]]");
    EXPECT_EQ(event.argument("bytes"), "");
  });
}

TEST(JsonEvents, AreRefusedWithTheFileWhereThereAreNone) {
  EXPECT_THAT(error_of(EventFile(R"({"traceEvents": []})")), HasSubstr("holds no trace events"));
  EXPECT_THAT(error_of(EventFile("")), HasSubstr("holds no trace events"));
  EXPECT_THAT(error_of(EventFile(R"([{"name": nan}])")), HasSubstr("no event can be read"));
}

}  // namespace
}  // namespace paceline

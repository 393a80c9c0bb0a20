// What profiles of real programs are like in each format: cut short, of several ranks, rounded,
// numbers as texts. (Kineto's own: kineto_test.cpp.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zlib.h>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "traces/import/trace_importer.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

class OddTraces : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) {
    write_text_file(folder_ / name, text);
    return folder_ / name;
  }
  // Compressed, without the last `less` bytes.
  fs::path write_cut(const std::string& name, const std::string& text, std::size_t less) {
    const fs::path path = folder_ / name;
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    fs::resize_file(path, fs::file_size(path) - less);
    return path;
  }
  static std::vector<int> ranks(const Timeline& timeline) {
    std::vector<int> out;
    for (std::size_t i = 0; i < timeline.size(); ++i) out.push_back(timeline.at(i).label.rank);
    return out;
  }
  TemporaryFolder folder_;
};

// Kernels of different lengths, so that they do not compress to nothing.
std::string many_events(int count) {
  std::string out;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    out += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","cat":"kernel","name":"k)") +
           std::to_string(i * 2654435761u) + R"(","pid":0,"tid":7,"ts":)" + std::to_string(i) +
           R"(,"dur":0.5})";
  }
  return out;
}

TEST_F(OddTraces, OfChromeMayHaveNumbersAsTexts) {
  const fs::path file =
      write("a.json", R"([{"ph":"X","name":"a","pid":"1","tid":"2","ts":"10","dur":"5.5"}])");
  const MeasuredTimeline got = import_trace({file}, {});
  ASSERT_EQ(got.timeline.size(), 1u);
  EXPECT_EQ(got.timeline.at(0).duration().picoseconds(), 5'500'000);
}

// Rounded to microseconds, an inner event begins and ends with the outer one.
TEST_F(OddTraces, OfChromeMayBeRounded) {
  const fs::path file = write("a.json", R"([
      {"ph":"B","name":"outer","pid":1,"tid":2,"ts":1},{"ph":"B","name":"inner","pid":1,"tid":2,"ts":1},
      {"ph":"E","pid":1,"tid":2,"ts":1},{"ph":"E","pid":1,"tid":2,"ts":1}])");
  const MeasuredTimeline got = import_trace({file}, {});
  EXPECT_EQ(got.timeline.size(), 2u);
  EXPECT_EQ(got.timeline.makespan().picoseconds(), 0);
}

TEST_F(OddTraces, CompressedAndCutShortKeepWhatIsThereAndSaySo) {
  const std::string chrome = "[" + many_events(20'000) + "]";
  const std::string kineto = R"({"schemaVersion":1,"traceEvents":[)" + many_events(20'000) + "]}";
  for (const std::string& text : {chrome, kineto}) {
    const MeasuredTimeline got = import_trace({write_cut("cut.json.gz", text, 50'000)}, {});
    EXPECT_GT(got.timeline.size(), 100u) << got.source;
    EXPECT_LT(got.timeline.size(), 20'000u) << got.source;
    EXPECT_THAT(got.warnings, Contains(HasSubstr("compressed data ends early"))) << got.source;
  }
}

// A trace that paceline wrote: `count` iterations of 10 us, without its last `less` characters.
std::string iterations_of_ours(int count, std::size_t less) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) {
    for (int half = 0; half < 2; ++half) {
      out += out.size() == 1 ? "" : ",";
      out += R"({"ph":"X","cat":"forward","name":"k","pid":1,"tid":1,"dur":5,"ts":)" +
             std::to_string(10 * i + 5 * half) + R"(,"args":{"rank":0,"layer_name":"conv")" +
             R"(,"iteration":)" + std::to_string(i) + "}}";
    }
  }
  out += "]";
  return out.substr(0, out.size() - less);
}

// The half of an iteration that a cut left is no fast iteration.
TEST_F(OddTraces, OfChromeThatAreCutShortLackTheirLastIteration) {
  const auto imported = [&](int count, std::size_t less) {
    return import_trace({write("cut.json", iterations_of_ours(count, less))}, {});
  };
  const auto ten = testing::DoubleEq(10e-6);
  EXPECT_THAT(imported(3, 0).iterations_s, testing::ElementsAre(ten, ten, ten));
  const MeasuredTimeline got = imported(3, 10);
  EXPECT_THAT(got.iterations_s, testing::ElementsAre(ten, ten));
  EXPECT_EQ(got.timeline.size(), 5u);
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).forward.si(), 10e-6);
  EXPECT_THAT(got.warnings, Contains(HasSubstr("its last iteration does not count")));
  try {
    imported(1, 10);
    FAIL() << "half an iteration";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cut.json: the file ends inside its list of events, within "
                                        "its only iteration"));
  }
}

// Ranks are in the names of the files, in which order they are given does not matter.
TEST_F(OddTraces, OfSeveralRanksAreToldApart) {
  const std::string nvprof =
      "==4== NVPROF is profiling process 4, command: ./train\n==4== Profiling result:\n"
      "\"Start\",\"Duration\",\"Device\",\"Stream\",\"Name\"\nms,us,,,\n"
      "1.0,3.5,\"Tesla V100 (0)\",\"7\",\"k\"\n";
  const MeasuredTimeline of_nvprof =
      import_trace({write("n-rank1.csv", nvprof), write("n-rank0.csv", nvprof)}, {});
  EXPECT_THAT(ranks(of_nvprof.timeline), testing::UnorderedElementsAre(0, 1));

  for (const char* name : {"s-rank0.sqlite", "s-rank1.sqlite"}) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / name).c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database,
                           "CREATE TABLE StringIds(id INTEGER, value TEXT);"
                           "INSERT INTO StringIds VALUES (2,'sgemm');"
                           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT,"
                           " demangledName INT, shortName INT, correlationId INT, deviceId INT,"
                           " streamId INT);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 2, 2, 7, 0, 7);",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
  }
  const MeasuredTimeline of_nsys =
      import_trace({folder_ / "s-rank1.sqlite", folder_ / "s-rank0.sqlite"}, {});
  EXPECT_THAT(ranks(of_nsys.timeline), testing::UnorderedElementsAre(0, 1));
}

// One says itself which process did what.
TEST_F(OddTraces, OfChromeAreOneFileForAllRanks) {
  const std::string text = R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":1}])";
  EXPECT_THROW(import_trace({write("c-rank1.json", text), write("c-rank0.json", text)}, {}), Error);
}

// A row whose launch is not in the file, and one without a duration.
TEST_F(OddTraces, OfNvprofMayLackCorrelations) {
  const fs::path file =
      write("n.csv",
            "==4== NVPROF is profiling process 4, command: ./train\n==4== Profiling result:\n"
            "\"Start\",\"Duration\",\"Device\",\"Stream\",\"Name\",\"Correlation_ID\"\nms,us,,,,\n"
            "1.0,3.5,\"Tesla V100 (0)\",\"7\",\"k\",\n2.0,0,\"Tesla V100 (0)\",\"7\",\"k\",99\n");
  const MeasuredTimeline got = import_trace({file}, {});
  ASSERT_EQ(got.timeline.size(), 2u);
  EXPECT_EQ(got.timeline.at(0).cause, kNoSpan);
  EXPECT_EQ(got.timeline.at(1).cause, kNoSpan);
}

}  // namespace
}  // namespace paceline

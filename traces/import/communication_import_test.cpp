#include <gtest/gtest.h>

#include "core/error.h"
#include "traces/import/collective_csv.h"
#include "traces/import/nccl_tests.h"
#include "traces/import/nvbandwidth.h"
#include "traces/import/osu.h"

namespace paceline {
namespace {

// Shortened output of nccl-tests 2.0 on two devices.
constexpr const char* kTable =
    "# nThread 1 nGpus 2 minBytes 1 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#   Rank  0 Pid 112424 on localhost device  0 [0x00] A100-SXM4-40GB\n"
    "#   Rank  1 Pid 112424 on localhost device  1 [0x00] A100-SXM4-40GB\n"
    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw\n"
    "hostname:3442:3442 [0] NCCL INFO Launch mode Parallel\n"
    "           0             0   float     sum    35.20    0.00    0.00    N/A    34.05    0.00   "
    " "
    "0.00    N/A\n"
    "     1048576        262144   float     sum    74.78   14.02   14.02    N/A    76.17   13.77   "
    "13.77    N/A\n";
constexpr const char* kEnd = "# Avg bus bandwidth    : 68.4048\n";

CollectiveImportOptions all_reduce() { return {"all_reduce", std::nullopt, std::nullopt}; }

template <typename Import>
std::string message_of(Import&& import) {
  try {
    import();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImportNcclTests, ReadsBothTimesOfEverySizeAboveZero) {
  const MeasurementSet set = import_nccl_tests(std::string(kTable) + kEnd, "x", all_reduce());
  ASSERT_EQ(set.results.size(), 2u);
  EXPECT_EQ(set.results[0].benchmark, "nccl.all-reduce");
  EXPECT_EQ(set.results[0].integer("bytes"), 1048576);
  EXPECT_EQ(set.results[0].integer("ranks"), 2);
  EXPECT_EQ(set.results[0].integer("machines"), 1);
  EXPECT_DOUBLE_EQ(set.results[0].value().si(), 74.78e-6);
  EXPECT_EQ(set.results[1].text("in_place"), "yes");
  EXPECT_DOUBLE_EQ(set.results[1].value().si(), 76.17e-6);
}

// mpirun --tag-output puts the rank before every line.
TEST(ImportNcclTests, IgnoresLauncherPrefixes) {
  std::string prefixed;
  for (const TextLine& line : unprefixed_lines(std::string(kTable) + kEnd)) {
    prefixed += "[1,0]<stdout>:" + line.text + "\r\n";
  }
  EXPECT_EQ(import_nccl_tests(prefixed, "x", all_reduce()).results,
            import_nccl_tests(std::string(kTable) + kEnd, "x", all_reduce()).results);
}

TEST(ImportNcclTests, TakesALineOfTabsForABlankOne) {
  EXPECT_EQ(import_nccl_tests(std::string(kTable) + "\t \t\n" + kEnd, "x", all_reduce()).results,
            import_nccl_tests(std::string(kTable) + kEnd, "x", all_reduce()).results);
}

TEST(ImportNcclTests, TakesTheOperationFromTheFileWhereItIsStated) {
  std::string text =
      std::string("# Collective test starting: reduce_scatter_perf\n") + kTable + kEnd;
  // Half of the data cross a link of two ranks.
  text.replace(text.find("14.02   14.02"), 13, "14.02   7.01 ");
  text.replace(text.find("13.77   13.77"), 13, "13.77   6.89 ");
  EXPECT_EQ(import_nccl_tests(text, "x", {}).results[0].benchmark, "nccl.reduce-scatter");
  EXPECT_EQ(message_of([&] { import_nccl_tests(text, "x", all_reduce()); }),
            "x: the file timed reduce-scatter, but --op says all-reduce");
}

TEST(ImportNcclTests, RefusesTruncatedFiles) {
  EXPECT_EQ(message_of([] { import_nccl_tests(kTable, "x", all_reduce()); }),
            "x: no \"Avg bus bandwidth\" line: not the output of nccl-tests, or cut off before its "
            "end");
  const std::string cut =
      std::string(kTable) + "     2097152        524288   float     sum\n" + kEnd;
  EXPECT_EQ(message_of([&] { import_nccl_tests(cut, "x", all_reduce()); }),
            "x:8: a row of 4 columns, expected at least 11 (size, count, type, time, algbw, busbw, "
            "error twice); is it cut off?");
  EXPECT_NE(message_of([] { import_nccl_tests("", "x", all_reduce()); }), "no error");
}

// "N/A" is fine as an error count, not as a time.
TEST(ImportNcclTests, RefusesTimesThatAreNotNumbers) {
  const std::string row =
      "     2097152        524288   float     sum    N/A   14.02   24.54    0    76.17   13.77   "
      "24.09 "
      "   0\n";
  EXPECT_EQ(message_of([&] { import_nccl_tests(kTable + row + kEnd, "x", all_reduce()); }),
            "x:8: expected an out-of-place time in us, found \"N/A\"");
}

// Everything the tests print twice must agree, and a run that failed is no measurement.
TEST(ImportNcclTests, RefusesRunsThatFailedOrContradictThemselves) {
  const std::string good = std::string(kTable) + kEnd;
  const auto message = [&](const std::string& from, const std::string& to, const char* operation) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return message_of([&] {
      import_nccl_tests(text, "x", {operation, std::nullopt, std::nullopt});
    });
  };
  const std::string row = "262144   float     sum    74.78   14.02   14.02    N/A";
  const std::pair<const char*, const char*> bad[] = {
      {"262144   float     sum    74.78   14.02   14.02    3",
       "x:7: 3 wrong values: the run failed"},
      {"262144   float     sum    74.78   19.02   19.02    0",
       "x:7: 1048576 bytes in 74.78 us are 14.0 GB/s, but the row says 19.02"},
      {"262144   float     sum    74.78   14.02   24.54    0",
       "x:7: bus bandwidth 24.54 where all-reduce over 2 ranks has 14"},
      {"262143   float     sum    74.78   14.02   14.02    0",
       "x:7: 262143 elements of float are not 1048576 bytes"},
      {"262144   flaot     sum    74.78   14.02   14.02    0",
       "x:7: unknown type \"flaot\"; did you mean float?"}};
  for (const auto& [changed, expected] : bad) {
    EXPECT_EQ(message(row, changed, "all-reduce").find(expected), 0u)
        << message(row, changed, "all-reduce");
  }
  EXPECT_EQ(message(row, row, "all-gather").find("x:7: bus bandwidth 14.02 where all-gather"), 0u);
  const std::string end = kEnd;
  EXPECT_EQ(message(end, "# Out of bounds values : 3 FAILED\n" + end, "all-reduce"),
            "x:8: the results of the run were wrong: \"# Out of bounds values : 3 FAILED\"");
  EXPECT_EQ(message(end, end + good, "all-reduce"),
            "x:16: a second run ends here; import the runs one by one");
  EXPECT_EQ(
      message(end, "node0: Test NCCL failure common.cu:958 'unhandled error'\n" + end, "all-reduce")
          .find("x:8: the run failed"),
      0u);
  EXPECT_EQ(message_of([] {
              import_nccl_tests(R"({"collective": "all_gather_perf", "devices": [{}, {}],
                "results": [{"size": 8, "out_of_place": {"time": 1, "nwrong": "2"},
                             "in_place": {"time": 1}}]})",
                                "x", {std::nullopt, 2, 1});
            }),
            "x:/results/0/out_of_place/nwrong: 2 wrong values: the run failed");
}

TEST(ImportNcclTests, GuessesNothing) {
  const std::string text = std::string(kTable) + kEnd;
  EXPECT_EQ(message_of([&] { import_nccl_tests(text, "x", {}); }),
            "x: the file does not say which collective it timed; give --op");
  EXPECT_EQ(message_of([&] {
              import_nccl_tests(text, "x", {"all-reduce", 4, std::nullopt});
            }),
            "x: the file lists 2 ranks, but --ranks says 4");
}

TEST(ImportNcclTests, ReadsJson) {
  const std::string text = R"({"collective": "all_gather_perf",
    "devices": [{"hostname": "a"}, {"hostname": "b"}],
    "results": [{"size": 1024, "out_of_place": {"time": 11.5}, "in_place": {"time": 10.5}}]})";
  const MeasurementSet set = import_nccl_tests(text, "x", {});
  ASSERT_EQ(set.results.size(), 2u);
  EXPECT_EQ(set.results[0].benchmark, "nccl.all-gather");
  EXPECT_EQ(set.results[0].integer("machines"), 2);
  EXPECT_DOUBLE_EQ(set.results[0].value().si(), 11.5e-6);
  EXPECT_NE(message_of([&] {
              import_nccl_tests(R"({"results": [{"size": 1}]})", "x", {"reduce", 2, 1});
            }).find("/results/0"),
            std::string::npos);
}

TEST(ImportOsu, ReadsCollectiveLatency) {
  const std::string text =
      "# OSU MPI Allreduce Latency Test v5.4.0\n# Size       Avg Latency(us)\n4   31.92\n8  32.2\n";
  const MeasurementSet set = import_osu(text, "x", {std::nullopt, 4, std::nullopt});
  ASSERT_EQ(set.results.size(), 2u);
  EXPECT_EQ(set.results[0].benchmark, "mpi.all-reduce");
  EXPECT_DOUBLE_EQ(set.results[0].value().si(), 31.92e-6);
  EXPECT_EQ(message_of([&] { import_osu(text, "x", {}); }),
            "x: the file does not say the number of ranks; give --ranks");
}

TEST(ImportOsu, ReadsBandwidthAsTheTimeOfTheMessage) {
  const std::string text =
      "# OSU MPI Bandwidth Test v5.6\n# Size      Bandwidth (MB/s)\n1000000  1000\n";
  const MeasurementSet set = import_osu(text, "x", {});
  EXPECT_DOUBLE_EQ(set.results[0].value().si(), 1e-3);
  EXPECT_EQ(set.results[0].benchmark, "mpi.send-recv");
}

TEST(ImportOsu, RefusesRowsItCannotRead) {
  EXPECT_EQ(message_of([] { import_osu("4 31.92\n", "x", {}); }),
            "x:1: no \"# OSU ... Test\" line before the first row");
  EXPECT_EQ(message_of([] { import_osu("# OSU MPI Latency Test v5\n4\n", "x", {}); }),
            "x:2: a row without a value; is it cut off?");
}

TEST(ImportNvbandwidth, ReadsMatricesAndKeepsWhatCouldNotBeMeasured) {
  const std::string text = R"({"nvbandwidth": {"testcases": [
    {"name": "device_to_device_memcpy_read_ce", "status": "Passed",
     "bandwidth_matrix": [["N/A", "50.0"], ["25.0", "N/A"]]},
    {"name": "host_to_device_memcpy_sm", "status": "Waived"}]}})";
  const MeasurementSet set = import_nvbandwidth(text, "x", 1e9);
  ASSERT_EQ(set.results.size(), 5u);
  EXPECT_TRUE(set.results[0].skipped);
  EXPECT_DOUBLE_EQ(set.results[1].value().si(), 0.02);
  EXPECT_EQ(set.results[4].reason, "nvbandwidth reported Waived");
}

TEST(ImportNvbandwidth, NamesThePlaceOfABadCell) {
  const std::string text = R"({"nvbandwidth": {"testcases": [
    {"name": "t", "status": "Passed", "bandwidth_matrix": [["fast"]]}]}})";
  EXPECT_EQ(message_of([&] { import_nvbandwidth(text, "x", 1e9); }),
            "x:/nvbandwidth/testcases/0/bandwidth_matrix/0/0: expected GB/s or \"N/A\", found "
            "\"fast\"");
  EXPECT_NE(message_of([] { import_nvbandwidth("{}", "x", 1e9); }), "no error");
}

CollectiveCsvLayout csv_layout() {
  CollectiveCsvLayout layout;
  layout.operation_column = "op";
  layout.ranks_column = "gpus";
  layout.bytes_column = "elements";
  layout.bytes_per_unit = 2;
  layout.time_column = "ms";
  layout.seconds_per_unit = 1e-3;
  layout.where = {{"system", "a"}};
  return layout;
}

TEST(ImportCollectiveCsv, ReadsTheSelectedRows) {
  const auto rows = import_collective_csv(
      "system,op,gpus,elements,ms\na,all_reduce,2,512,0.01\nb,all_reduce,2,512,0.02\n", "x",
      csv_layout());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].integer("bytes"), 1024);
  EXPECT_DOUBLE_EQ(rows[0].value().si(), 1e-5);
}

TEST(ImportCollectiveCsv, RefusesWhatItCannotRead) {
  const auto message = [](const std::string& text) {
    return message_of([&] { import_collective_csv(text, "x", csv_layout()); });
  };
  EXPECT_EQ(message("system,op,gpus,elements,us\na,all_reduce,2,512,0.01\n"),
            "x:1: unknown column \"ms\"; did you mean us?");
  EXPECT_EQ(message("system,op,gpus,elements,ms\na,all_reduce,2\n"),
            "x:2: 3 cells, the header has 5");
  EXPECT_EQ(message("system,op,gpus,elements,ms\na,all_reduce,2,512,0\n"),
            "x:2: size and time must be positive");
  EXPECT_EQ(message("system,op,gpus,elements,ms\nb,all_reduce,2,512,1\n"),
            "x: no row fits the conditions");
}

}  // namespace
}  // namespace paceline

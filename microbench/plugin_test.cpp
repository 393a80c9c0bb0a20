// Runs over all benchmarks that the plug-in registers.
#include "microbench/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "microbench/harness/workspace.h"

// Read by AddressSanitizer where it is on: its leak check crashes on the threads and generated code
// of the libraries under test.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace paceline {
namespace {

class EveryBenchmark : public testing::Test {
 protected:
  void SetUp() override { cpu_kernel_plugin().register_benchmarks(registry_); }
  BenchmarkRegistry registry_;
};

TEST_F(EveryBenchmark, HasASummary) {
  ASSERT_FALSE(registry_.entries().empty());
  for (const auto& entry : registry_.entries()) EXPECT_NE(entry.summary, "") << entry.name;
}

TEST_F(EveryBenchmark, MeasuresEachShapeOnce) {
  for (const auto& entry : registry_.entries()) {
    std::set<Axes> seen;
    for (const Axes& axes : entry.benchmark->design(DesignSize::kFull)) {
      EXPECT_TRUE(seen.insert(axes).second) << entry.name << ": " << to_string(axes);
      EXPECT_FALSE(axes.contains("threads")) << entry.name << ": the harness adds it";
    }
    EXPECT_FALSE(seen.empty()) << entry.name;
  }
}

TEST_F(EveryBenchmark, QuickDesignIsPartOfTheFullOne) {
  for (const auto& entry : registry_.entries()) {
    const std::vector<Axes> full = entry.benchmark->design(DesignSize::kFull);
    const std::vector<Axes> quick = entry.benchmark->design(DesignSize::kQuick);
    EXPECT_FALSE(quick.empty()) << entry.name;
    EXPECT_LE(quick.size(), full.size()) << entry.name;
    for (const Axes& axes : quick) {
      EXPECT_THAT(full, testing::Contains(axes)) << entry.name << ": " << to_string(axes);
    }
  }
}

// Every kernel against its reference, in its first shape, with each cache state the harness uses.
TEST_F(EveryBenchmark, ComputesTheRightResult) {
  Workspace workspace(Bytes(256e6), Bytes(1e6));
  for (const auto& entry : registry_.entries()) {
    if (!entry.benchmark->unsupported().empty()) continue;
    for (const int threads : {1, 2}) {
      Axes axes = entry.benchmark->design(DesignSize::kFull).front();
      axes["threads"] = std::int64_t{threads};
      cpu_kernel_plugin().set_threads(threads);
      const auto kernel = entry.benchmark->prepare(axes, workspace);
      EXPECT_NO_THROW(kernel->check()) << entry.name << ": " << to_string(axes);
      EXPECT_NO_THROW(kernel->run()) << entry.name << ": " << to_string(axes);
    }
  }
}

TEST_F(EveryBenchmark, OfALibraryThatIsThereNamesItsVersion) {
  const auto versions = cpu_kernel_plugin().libraries();
  for (const auto& entry : registry_.entries()) {
    const std::string library = entry.name.substr(0, entry.name.find('.'));
    if (library == entry.name || library == "memory" || library == "openmp" || library == "tcp") {
      continue;  // not a library, or not in this build
    }
    EXPECT_TRUE(versions.contains(library)) << entry.name;
  }
}

}  // namespace
}  // namespace paceline

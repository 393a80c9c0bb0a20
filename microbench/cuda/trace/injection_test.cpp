// The library as a program gets it: loaded, started, and at the end of the process made to write.
// Without a GPU CUPTI records nothing; the program must not notice.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "core/temporary_folder.h"
#include "core/text_file.h"

namespace paceline::cuda_trace {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

struct Outcome {
  int code = -1;  // of the process that had the library loaded
  std::string errors;
};

class Injection : public testing::Test {
 protected:
  // A process that loads the library with these variables, calls what the driver would call, and
  // ends.
  Outcome run(const std::map<std::string, std::string>& variables) {
    const std::filesystem::path errors = folder_ / "stderr";
    const pid_t child = fork();
    if (child == 0) {
      const int file = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(file, STDERR_FILENO);
      for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
      void* library = dlopen(PACELINE_TRACE_LIBRARY, RTLD_NOW);
      if (library == nullptr) _exit(97);
      auto* const start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
      if (start == nullptr || start() != 1) _exit(98);
      std::exit(0);
    }
    Outcome out;
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
    out.errors = read_text_file(errors);
    return out;
  }
  std::string trace() const { return (folder_ / "trace.json").string(); }
  TemporaryFolder folder_;
};

// RTLD_NOW resolves every symbol: the library brings all that it needs.
TEST_F(Injection, LoadsIntoAProgramWithoutCudaAndWritesAnEmptyTrace) {
  const Outcome got = run({{"PACELINE_TRACE_FILE", trace()}});
  EXPECT_EQ(got.code, 0);
  EXPECT_THAT(read_text_file(trace()),
              MatchesRegex("\\{\"schemaVersion\": 1, \"traceEvents\": \\[\n\\], (.|\n)*\\}\n"));
}

TEST_F(Injection, WithoutAFileSaysSoAndLetsTheProgramGoOn) {
  EXPECT_THAT(run({}).errors, HasSubstr("paceline trace: set PACELINE_TRACE_FILE"));
  const Outcome got = run({{"PACELINE_TRACE_FILE", (folder_ / "none/trace.json").string()}});
  EXPECT_EQ(got.code, 0);
  EXPECT_THAT(got.errors, HasSubstr("a file that can be written"));
}

TEST_F(Injection, KnowsItsRank) {
  run({{"PACELINE_TRACE_FILE", trace()}, {"RANK", "5"}});
  EXPECT_THAT(read_text_file(trace()), HasSubstr("\"distributedInfo\": {\"rank\": 5}"));
  run({{"PACELINE_TRACE_FILE", trace()}, {"RANK", "five"}});
  EXPECT_THAT(read_text_file(trace()), Not(HasSubstr("distributedInfo")));
}

TEST_F(Injection, RefusesCountersItDoesNotKnowInOneLineAndTracesWithoutThem) {
  const Outcome got = run({{"PACELINE_TRACE_FILE", trace()}, {"PACELINE_TRACE_COUNTERS", "drum"}});
  EXPECT_EQ(got.code, 0);
  EXPECT_THAT(got.errors,
              HasSubstr("PACELINE_TRACE_COUNTERS: \"drum\" is none of default, dram-read"));
  const Outcome period = run({{"PACELINE_TRACE_FILE", trace()},
                              {"PACELINE_TRACE_COUNTERS", "default"},
                              {"PACELINE_TRACE_COUNTER_PERIOD", "soon"}});
  EXPECT_THAT(period.errors, HasSubstr("PACELINE_TRACE_COUNTER_PERIOD: \"soon\" is no time"));
  EXPECT_THAT(read_text_file(trace()), HasSubstr("\"traceEvents\""));
}

}  // namespace
}  // namespace paceline::cuda_trace

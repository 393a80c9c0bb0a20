#include "cli/test_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/json_writer.h"
#include "simulator/report/test_device.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  PACELINE_ASSERT(at != std::string::npos, "the good file holds what a bad one changes");
  return text.replace(at, from.size(), to);
}

void write_parameter_files(const fs::path& folder) {
  write_parameters(folder / "good.json", made_up_parameters());
  const std::string good = TestFolder::read(folder / "good.json");
  const auto write = [&](const char* name, const std::string& text) {
    write_text_file(folder / name, text);
  };
  write("truncated.json", good.substr(0, good.size() / 2));
  write("empty.json", "");
  write("text.json", "hello\n");
  write("list.json", "[1, 2]\n");
  write("other.json", R"({"schema": "paceline.links/1"})");
  write("newer.json", R"({"schema": "paceline.parameters/9"})");
  write("duplicate.json", R"({"schema": "paceline.parameters/1", "device": "a", "device": "b"})");
  write("unknown-key.json", replaced(good, "\"device\"", "\"devise\""));
  write("nan.json", replaced(good, "\"value\": 100000000000", "\"value\": NaN"));
  write("negative.json", replaced(good, "\"value\": 100000000000", "\"value\": -5"));
  write("no-sgemm.json", replaced(good, "openblas.sgemm", "openblas.other"));
}

void write_measured_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& text) {
    write_text_file(folder / name, text);
  };
  write("scaling.csv", "gpus,samples_per_s\n1,100\n2,190\n");
  write("nan.csv", "gpus,samples_per_s\n1,100\n2,nan\n");
  write("short.csv", "gpus,samples_per_s\n1,100\n2\n");
  write("huge.csv", "gpus,samples_per_s\n1,100\n1000000000,190\n");
  write("truncated.log", "# nThread 1 nGpus 8\n  1048576  262144  float  sum\n");
  write("prices.json", R"({"schema": "paceline.prices/1", "date": "2026-11-30", "source": "test",
                           "devices": {"h101": "1 USD/h"}})");
}

}  // namespace

TestFolder::TestFolder()
    : path_(fs::temp_directory_path() / ("paceline-bad-" + std::to_string(::getpid()))) {
  fs::create_directories(path_ / "data/paceline");
  fs::create_directories(path_ / "folder");
  write_parameter_files(path_);
  write_measured_files(path_);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TestFolder::files() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

std::string TestFolder::read(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TestOutcome run_program_in(const TestFolder& folder, const std::string& arguments) {
  const fs::path capture =
      fs::temp_directory_path() / ("paceline-io-" + std::to_string(::getpid()));
  fs::create_directories(capture);
  const std::string command = "cd '" + folder.path().string() + "' && XDG_DATA_HOME=data '" +
                              PACELINE_PROGRAM + "' " + arguments + " >'" +
                              (capture / "out").string() + "' 2>'" + (capture / "err").string() +
                              "' </dev/null";
  const int status = std::system(command.c_str());
  TestOutcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = TestFolder::read(capture / "out");
  outcome.err = TestFolder::read(capture / "err");
  fs::remove_all(capture);
  return outcome;
}

}  // namespace paceline

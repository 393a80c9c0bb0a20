#include "cli/test_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
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
  write("wrapping.json", replaced(good, "\"cores\": 2", "\"cores\": 4294967297"));
  write("absurd-error.json", replaced(good, "\"own_sd\": 0.04", "\"own_sd\": 1e300"));
  write("absurd-time.json", replaced(good, "\"name\": \"call\",\n          \"value\": 1e-07",
                                     "\"name\": \"call\",\n          \"value\": 1e300"));
  write("no-memory.json", replaced(good, "\"memory_bytes\": ", "\"memory_bytes\": -"));
  write("no-host.json", replaced(good, "pytorch.host", "pytorch.guest"));
  write("out-of-range.json", replaced(good, "\"cores\": 2", "\"cores\": 1e999"));
  std::filesystem::create_symlink("/dev/zero", folder / "endless.json");
  write("no-sgemm.json", replaced(good, "openblas.sgemm", "openblas.other"));
}

// `operation` between an image and its classes.
std::string workload(const std::string& operation) {
  return R"({"schema": "paceline.workload/1", "name": "mine",
    "inputs": [{"name": "image", "shape": ["batch", 3, 8, 8]},
               {"name": "classes", "shape": ["batch"], "integer": true}],
    "operations": [)" +
         operation +
         R"(, {"op": "reshape", "name": "flat", "inputs": ["x"], "shape": ["batch", 192]},
      {"op": "linear", "name": "head", "inputs": ["flat"], "out_features": 10},
      {"op": "cross_entropy", "name": "loss", "inputs": ["head", "classes"]}]})";
}

void write_workload_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& attributes) {
    write_text_file(folder / name,
                    workload(R"({"name": "x", "inputs": ["image"], )" + attributes + "}"));
  };
  write("net.json", R"("op": "relu")");
  write("conv-stride.json", R"("op": "conv2d", "out_channels": 3, "kernel": 1, "stride": 0)");
  write("conv-kernel.json", R"("op": "conv2d", "out_channels": 3, "kernel": 0)");
  write("conv-pad.json", R"("op": "conv2d", "out_channels": 3, "kernel": 3, "pad": -1)");
  write("max-pool-stride.json", R"("op": "max_pool2d", "kernel": 1, "stride": 0)");
  write("max-pool-kernel.json", R"("op": "max_pool2d", "kernel": 0)");
  write("average-pool-stride.json", R"("op": "average_pool2d", "kernel": 1, "stride": 0)");
  write("axis.json", R"("op": "permute", "axes": [0, 1, 2, 4294967299])");
  write_text_file(folder / "no-loss.json",
                  R"({"schema": "paceline.workload/1", "name": "mine",
                      "inputs": [{"name": "x", "shape": ["batch", 3]}],
                      "operations": [{"op": "relu", "name": "y", "inputs": ["x"]}]})");
  const auto opt = [](const std::string& layers, const std::string& positions) {
    return R"({"model_type": "opt", "hidden_size": 64, "num_attention_heads": 4, "ffn_dim": 256,
               "vocab_size": 100, "num_hidden_layers": )" +
           layers + R"(, "max_position_embeddings": )" + positions + "}";
  };
  write_text_file(folder / "deep-config.json", opt("4294967297", "128"));
  write_text_file(folder / "long-config.json", opt("2", "4294967297"));
}

void write_measurement_files(const fs::path& folder) {
  const auto write = [&](const char* name, const std::string& benchmark, const std::string& axes,
                         const std::string& accepted) {
    write_text_file(folder / name,
                    R"({"schema": "paceline.measurements/1",
      "provenance": {"tool": "test", "date": "2026-11-30", "libraries": {}, "environment": {}, "argv": [],
                     "host": {"cpu": "test", "cores": 2, "memory_bytes": 1e9, "kernel": "test"}},
      "results": [{"benchmark": ")" +
                        benchmark + R"(", "axes": {)" + axes +
                        R"(}, "status": "measured", "result_checked": true, "warmup": 1,
                   "rounds": [{"start": "2026-11-30", "foreign_cpu": 0.9, "accepted": )" +
                        accepted + R"(, "samples_s": [1e-3]}]}]})");
  };
  const std::string copy = R"("elements": 1000, "read_bytes": 4000, "written_bytes": 4000)";
  const std::string situation = R"(, "threads": 1, "cache": "warm")";
  write("one-shape.json", "aten.copy", copy + situation, "true");
  write("busy.json", "aten.copy", copy + situation, "false");
  write("no-threads.json", "aten.copy", copy + R"(, "cache": "warm")", "true");
  write("no-cache.json", "aten.copy", copy + R"(, "threads": 1)", "true");
  write("no-kernel.json", "tcp.loopback", R"("bytes": 1000)", "true");
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
  write_workload_files(path_);
  write_measurement_files(path_);
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

TestOutcome run_program_in(const TestFolder& folder, const std::string& arguments,
                           const std::string& first) {
  const fs::path capture =
      fs::temp_directory_path() / ("paceline-io-" + std::to_string(::getpid()));
  fs::create_directories(capture);
  const std::string command = "cd '" + folder.path().string() + "' && " + first +
                              " && XDG_DATA_HOME=data '" + PACELINE_PROGRAM + "' " + arguments +
                              " >'" + (capture / "out").string() + "' 2>'" +
                              (capture / "err").string() + "' </dev/null";
  const int status = std::system(command.c_str());
  TestOutcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = TestFolder::read(capture / "out");
  outcome.err = TestFolder::read(capture / "err");
  fs::remove_all(capture);
  return outcome;
}

void expect_refused(const BadInput& input) {
  using testing::HasSubstr;
  const TestFolder folder;
  const std::vector<std::string> before = folder.files();
  const TestOutcome outcome = run_program_in(folder, input.arguments);
  EXPECT_EQ(outcome.code, input.code);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("paceline: "));
  EXPECT_THAT(outcome.err, HasSubstr(input.says));
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder.files(), before);
}

}  // namespace paceline

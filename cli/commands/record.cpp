// paceline record: trains real networks in PyTorch and writes how long their iterations take, which
// `paceline validate --recording` compares predictions with. The recorders are Python programs
// (validation/recorders); this finds the right one and passes on what it understands.
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>

#include "cli/command.h"
#include "core/data_directory.h"
#include "microbench/gpu/gpu_plugin.h"
#include "model/hardware/device_catalog.h"

extern char** environ;

namespace paceline {
namespace {

constexpr const char* kCpuFlags[] = {"model", "batch", "seq", "threads", "rounds", "seconds"};
constexpr const char* kGpuFlags[] = {"gpu", "budget", "profiles"};

void refuse(const Arguments& arguments, std::string_view flag, const std::string& device) {
  if (arguments.has(flag)) {
    throw UsageError(flag_text(flag) + " does not apply to --device " + device);
  }
}

void pass_on(const Arguments& arguments, const char* flag, std::vector<std::string>& words) {
  if (const auto value = arguments.find(flag)) words.insert(words.end(), {flag_text(flag), *value});
}

// The interpreter in $PYTHON, else the usual one; on Debian PyTorch belongs to that of the system.
std::string python(const char* usual) {
  const char* given = std::getenv("PYTHON");
  return given == nullptr || *given == '\0' ? usual : given;
}

std::vector<std::string> cpu_words(const Arguments& arguments) {
  for (const char* flag : kGpuFlags) refuse(arguments, flag, "cpu");
  std::vector<std::string> words = {
      python("/usr/bin/python3"),
      (data_directory() / "validation/recorders/record_pytorch.py").string()};
  for (const char* flag : kCpuFlags) pass_on(arguments, flag, words);
  if (arguments.has("append")) words.emplace_back("--append");
  return words;
}

// The catalog's name of a GPU of this machine.
std::string name_of_gpu(int index, const DeviceCatalog& catalog) {
  try {
    const std::string name = gpu_plugin().open(index)->info().name;
    const DeviceSpec* known = catalog.find(name);
    if (known == nullptr) {
      throw UsageError("this GPU, \"" + name +
                       "\", is not in the catalog: add it (docs/devices.md), "
                       "or give --device NAME");
    }
    return known->name;
  } catch (const MeasurementError& error) {
    throw Error(ExitCode::kInfeasible, std::string("cannot record on a GPU here: ") + error.what());
  }
}

std::vector<std::string> gpu_words(const Arguments& arguments, const std::string& device) {
  for (const char* flag : kCpuFlags) refuse(arguments, flag, device);
  refuse(arguments, "append", device);
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  int index = 0;
  if (const auto gpu = arguments.find("gpu")) {
    index = static_cast<int>(parse_count("--gpu", *gpu, 0, 1023));
  }
  const std::string name = device == "cuda" ? name_of_gpu(index, catalog) : catalog.at(device).name;
  std::vector<std::string> words = {
      python("python3"), (data_directory() / "validation/recorders/gpu/record_gpu.py").string(),
      "--device", name};
  for (const char* flag : kGpuFlags) pass_on(arguments, flag, words);
  return words;
}

// Waits for the program; its exit codes are ours.
ExitCode run_program(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) {
    throw Error(ExitCode::kInfeasible, "cannot run " + words[0] + ": " + std::strerror(error) +
                                           "; PYTHON names another interpreter");
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status)) throw Error(ExitCode::kInternal, words.at(1) + " was ended by a signal");
  switch (WEXITSTATUS(status)) {
    case 0:
      return ExitCode::kOk;
    case static_cast<int>(ExitCode::kUsage):
      return ExitCode::kUsage;
    case static_cast<int>(ExitCode::kInput):
      return ExitCode::kInput;
    case static_cast<int>(ExitCode::kInfeasible):
      return ExitCode::kInfeasible;
    default:
      return ExitCode::kInternal;
  }
}

ExitCode run(const Arguments& arguments) {
  const std::string device = arguments.text("device");
  const std::string file = arguments.text("o");
  std::vector<std::string> words =
      device == "cpu" ? cpu_words(arguments) : gpu_words(arguments, device);
  pass_on(arguments, "plan", words);
  words.insert(words.end(), {"-o", file});
  return run_program(words);
}

}  // namespace

void register_record(CommandList& commands) {
  commands.add({.name = "record",
                .summary = "train real networks in PyTorch, to hold predictions against",
                .example = "paceline record --device cpu --plan quick -o recording.json",
                .flags = {{"device", "NAME", "cpu, cuda, or the catalog's name of the GPU"},
                          {"plan", "NAME",
                           "cpu: validation, quick, tiny; GPU: first (default), compiled, full"},
                          {"model", "LIST", "networks instead of a plan (cpu)"},
                          {"batch", "LIST", "their batch sizes (cpu)"},
                          {"seq", "N", "their sequence length, where they have one (cpu)"},
                          {"threads", "LIST", "thread counts (cpu)"},
                          {"rounds", "N", "passes over all cases (cpu)"},
                          {"seconds", "N", "least time of a case and round (cpu)"},
                          {"append", "", "add rounds to FILE (cpu; a GPU's is always resumed)"},
                          {"gpu", "N", "which GPU, default 0"},
                          {"budget", "SECONDS", "no case is begun after this (GPU)"},
                          {"profiles", "FOLDER", "a profile of one iteration of each case (GPU)"},
                          output_flag("o", "the recording (required)")},
                .positionals = {},
                .run = run});
}

}  // namespace paceline

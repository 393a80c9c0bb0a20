#include "calibration/gpu/public_timings.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/text_file.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

// Why the importer left a collection out, from what it said: "skipped: NAME: REASON".
std::string reason_of(const std::string& said, const std::string& name) {
  const std::string before = "skipped: " + name + ": ";
  const std::size_t at = said.find(before);
  if (at == std::string::npos) return "holds nothing that can be read";
  const std::size_t from = at + before.size();
  return said.substr(from, said.find('\n', from) - from);
}

// Runs a program found on the path, without a shell; both its outputs go to `log`. Returns its exit
// status.
int run_program(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw InputError(command[0] +
                     ", which reads the collections, cannot be run: " + std::strerror(failed));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw InputError(command[0] + ": " + std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::vector<PublicTimings> import_public_timings(const fs::path& folder,
                                                 const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!fs::is_directory(folder / name)) {
      throw InputError((folder / name).string() +
                       ": no such folder; calibration/public/README.md says what belongs there");
    }
  }
  const TemporaryFolder files;
  const fs::path importer = data_directory() / "calibration/public/import_gpu_kernels.py";
  const fs::path log = files / "log";
  std::vector<std::string> command = {"python3", importer.string(), folder.string(),
                                      files.path().string(), "--only"};
  command.insert(command.end(), names.begin(), names.end());
  const int status = run_program(command, log);
  const std::string said = read_text_file(log);
  if (status != 0) throw InputError(folder.string() + ": cannot be read: " + last_line(said));
  std::vector<PublicTimings> out;
  for (const std::string& name : names) {
    const fs::path file = files / (name + ".json");
    if (!fs::exists(file)) {
      throw InputError((folder / name).string() + ": " + reason_of(said, name));
    }
    out.push_back({name, read_measurements(file)});
  }
  return out;
}

}  // namespace paceline

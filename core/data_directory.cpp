#include "core/data_directory.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace paceline {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Something to ask the loader about.
const char info_marker = 0;

// The folder of the program or shared object that holds this code; empty if it is not known.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(&info_marker, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  return std::filesystem::canonical(info.dli_fname, ignored).parent_path();
}

}  // namespace

std::filesystem::path data_directory() {
  std::error_code ignored;
  if (const std::string given = environment("PACELINE_DATA"); !given.empty()) {
    if (std::filesystem::is_directory(given, ignored)) return given;
    throw InputError("PACELINE_DATA is \"" + given + "\", which is not a folder");
  }
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path installed = program.parent_path() / "../share/paceline";
  if (std::filesystem::is_directory(installed, ignored)) return installed.lexically_normal();
  const std::filesystem::path beside = own_folder() / "share/paceline";
  if (std::filesystem::is_directory(beside, ignored)) return beside;
  if (std::filesystem::is_directory(PACELINE_DATA_FALLBACK, ignored)) return PACELINE_DATA_FALLBACK;
  throw InputError("the data files of Paceline are not in " +
                   installed.lexically_normal().string() +
                   "; set PACELINE_DATA to the folder that holds model/catalog");
}

std::filesystem::path user_data_directory() {
  if (const std::string given = environment("XDG_DATA_HOME"); !given.empty()) {
    return std::filesystem::path(given) / "paceline";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return std::filesystem::path(home) / ".local/share/paceline";
  }
  throw InputError("neither XDG_DATA_HOME nor HOME is set, so there is no folder for parameters");
}

}  // namespace paceline

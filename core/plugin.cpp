#include "core/plugin.h"

#include <dlfcn.h>

#include <array>

#include "core/error.h"

namespace paceline {
namespace {

std::filesystem::path find_plugin(const std::string& name,
                                  const std::filesystem::path& build_folder) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::array<std::filesystem::path, 2> candidates = {
      program.parent_path().parent_path() / "lib" / "paceline" / name, build_folder / name};
  for (const std::filesystem::path& candidate : candidates) {
    if (std::filesystem::exists(candidate)) return candidate;
  }
  throw Error(ExitCode::kInternal, "a part of this program is missing: " + candidates[0].string());
}

}  // namespace

void* load_plugin(const std::string& name, const std::filesystem::path& build_folder,
                  const std::string& entry) {
  const std::filesystem::path file = find_plugin(name, build_folder);
  // Never closed: objects and threads of its libraries live in it. Loading it again returns the
  // same one.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ExitCode::kInternal, std::string("cannot load ") + dlerror());
  }
  void* symbol = dlsym(handle, entry.c_str());
  if (symbol == nullptr) {
    throw Error(ExitCode::kInternal, file.string() + " has no " + entry);
  }
  return symbol;
}

}  // namespace paceline

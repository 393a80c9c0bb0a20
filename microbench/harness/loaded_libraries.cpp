#include "microbench/harness/loaded_libraries.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace paceline {
namespace {

int collect(dl_phdr_info* info, std::size_t, void* data) {
  const std::string name = info->dlpi_name;
  if (!name.empty()) static_cast<std::vector<std::string>*>(data)->push_back(name);
  return 0;
}

bool names(const std::string& path, const std::string& word) {
  return std::filesystem::path(path).filename().string().find(word) != std::string::npos;
}

}  // namespace

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> out;
  dl_iterate_phdr(collect, &out);
  return out;
}

std::vector<std::string> loaded_libraries_with(const std::string& word) {
  std::vector<std::string> out;
  for (const std::string& path : loaded_libraries()) {
    if (!names(path, word)) continue;
    const std::filesystem::path file = path;
    out.push_back((file.parent_path().filename() / file.filename()).string());
  }
  return out;
}

std::vector<std::string> library_warnings(const std::vector<std::string>& loaded,
                                          const std::string& openblas_config) {
  std::vector<std::string> out;
  std::string runtimes;
  int count = 0;
  for (const std::string word : {"libgomp", "libiomp", "libomp."}) {
    if (std::any_of(loaded.begin(), loaded.end(),
                    [&](const auto& path) { return names(path, word); })) {
      runtimes += (count++ > 0 ? ", " : "") + word;
    }
  }
  if (count > 1) {
    out.push_back("more than one OpenMP runtime is loaded (" + runtimes +
                  "): their threads compete, results with several threads are not to be trusted");
  }
  if (!openblas_config.empty() && openblas_config.find("USE_OPENMP") == std::string::npos) {
    out.push_back(
        "OpenBLAS was built with its own threads, which compete with those of OpenMP: install "
        "libopenblas0-openmp");
  }
  return out;
}

std::map<std::string, std::string> kernel_environment() {
  constexpr std::array kNames = {"OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                                 "OMP_PROC_BIND",     "OMP_WAIT_POLICY",      "GOMP_SPINCOUNT",
                                 "DNNL_MAX_CPU_ISA",  "ATEN_CPU_CAPABILITY",  "GLIBC_TUNABLES",
                                 "LD_LIBRARY_PATH",   "LD_PRELOAD",           "GOMP_CPU_AFFINITY"};
  std::map<std::string, std::string> out;
  for (const char* name : kNames) {
    if (const char* value = std::getenv(name)) out[name] = value;
  }
  return out;
}

}  // namespace paceline

// Which shared libraries this process really runs: what computes may differ from what was linked,
// since Debian chooses BLAS through alternatives.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace paceline {

// Paths of all loaded shared libraries.
std::vector<std::string> loaded_libraries();
// Those whose file name contains `word`, as "folder/file", e.g. "openblas-openmp/libopenblas.so.0".
std::vector<std::string> loaded_libraries_with(const std::string& word);

// Problems with the mix of libraries that make thread counts meaningless: two OpenMP runtimes, an
// OpenBLAS with threads of its own. `openblas_config` is OpenBLAS' description of itself, or empty.
std::vector<std::string> library_warnings(const std::vector<std::string>& loaded,
                                          const std::string& openblas_config);

// Environment variables that change kernels or threading, those that are set.
std::map<std::string, std::string> kernel_environment();

}  // namespace paceline

#include <oneapi/dnnl/dnnl.hpp>

#include "microbench/cpu/libraries.h"
#include "microbench/harness/loaded_libraries.h"

namespace paceline {
namespace {

std::string isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "SSE4.1";
    case dnnl::cpu_isa::avx:
      return "AVX";
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "AVX-512 VNNI";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "AVX-512 BF16";
    default:
      return "code " + std::to_string(static_cast<int>(isa));
  }
}

}  // namespace

void describe_onednn(LibraryVersions& versions) {
  const dnnl::version_t* version = dnnl::version();
  versions["onednn"] = std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                       std::to_string(version->patch);
  versions["onednn_isa"] = isa_name(dnnl::get_effective_cpu_isa());
  for (const std::string& file : loaded_libraries_with("libdnnl")) versions["onednn_file"] = file;
}

}  // namespace paceline

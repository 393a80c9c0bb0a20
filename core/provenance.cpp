#include "core/provenance.h"

#include <openssl/evp.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/version.h"

namespace paceline {
namespace {

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::map<std::string, std::string> read_map(JsonObject object) {
  std::map<std::string, std::string> out;
  for (const std::string& key : object.keys()) out[key] = object.string(key);
  return out;
}

}  // namespace

HostInfo this_host() {
  utsname name{};
  uname(&name);
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  const double page_bytes = static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return {cpu_model(), usable_processors(), Bytes(pages * page_bytes), name.release};
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

Provenance make_provenance(std::string tool, std::vector<std::string> argv) {
  Provenance out;
  out.tool = std::move(tool);
  out.version = kVersion;
  out.date = utc_now();
  out.host = this_host();
  out.argv = std::move(argv);
  return out;
}

nlohmann::ordered_json to_json(const Provenance& p) {
  return {{"tool", p.tool},
          {"version", p.version},
          {"date", p.date},
          {"host",
           {{"cpu", p.host.cpu},
            {"cores", p.host.cores},
            {"memory_bytes", p.host.memory.si()},
            {"kernel", p.host.kernel}}},
          {"libraries", p.libraries},
          {"environment", p.environment},
          {"argv", p.argv}};
}

Provenance read_provenance(JsonObject object) {
  Provenance p;
  p.tool = object.string("tool");
  p.version = object.string_or("version", "");
  p.date = object.string("date");
  JsonObject host = object.object("host");
  p.host.cpu = host.string("cpu");
  p.host.cores = host.count("cores");
  p.host.memory = Bytes(host.number("memory_bytes"));
  if (p.host.memory < Bytes(0)) host.fail("memory_bytes", "is negative");
  p.host.kernel = host.string("kernel");
  host.finish();
  p.libraries = read_map(object.object("libraries"));
  p.environment = read_map(object.object("environment"));
  p.argv = object.strings("argv");
  object.finish();
  return p;
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  PACELINE_ASSERT(
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
      "SHA-256 is available");
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += kHex[digest[i] >> 4];
    out += kHex[digest[i] & 15];
  }
  return out;
}

}  // namespace paceline

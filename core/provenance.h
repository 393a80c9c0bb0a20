// Where a file came from: which tool, when, on what machine, with which libraries and environment.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "core/units.h"

namespace paceline {

struct HostInfo {
  std::string cpu;  // "model name" of /proc/cpuinfo
  int cores = 0;    // logical processors this process may use
  Bytes memory;
  std::string kernel;  // uname -r
};

struct Provenance {
  std::string tool;  // "paceline measure"
  std::string version;
  std::string date;  // UTC, ISO 8601
  HostInfo host;
  std::map<std::string, std::string> libraries;    // name -> version
  std::map<std::string, std::string> environment;  // variables that change kernels
  std::vector<std::string> argv;
};

HostInfo this_host();
// UTC now, "2026-11-30T00:55:12Z".
std::string utc_now();
// Tool, version, date, host and argv filled in; libraries and environment left to the caller.
Provenance make_provenance(std::string tool, std::vector<std::string> argv);

nlohmann::ordered_json to_json(const Provenance& provenance);
Provenance read_provenance(JsonObject object);

// SHA-256 of `text`, lower-case hexadecimal; identifies measurement and parameter files.
std::string sha256_hex(std::string_view text);

}  // namespace paceline

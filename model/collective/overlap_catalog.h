// What a collective takes of the devices it runs on, so that kernels beside it slow down:
// model/catalog/collectives/overlap.json, each figure with its source. docs/models/overlap.md says
// what follows from it and what it was compared with.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

struct OverlapDemand {
  double multiprocessors_per_channel = 0;      // while the collective runs at full rate
  double memory_bytes_per_byte = 0;            // of device memory traffic per byte of bus volume
  std::map<std::string, std::string> sources;  // by field
};

class OverlapCatalog {
 public:
  // Reads "paceline.overlap/1"; throws InputError on a negative number or a missing source.
  static OverlapCatalog load(const std::filesystem::path& file);
  static OverlapCatalog shipped();

  std::vector<std::string> names() const;
  // Throws UsageError for an unknown library.
  const OverlapDemand& at(std::string_view library) const;

 private:
  std::map<std::string, OverlapDemand, std::less<>> libraries_;
};

}  // namespace paceline

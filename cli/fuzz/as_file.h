// Bytes as a file, for readers that take one.
#pragma once

#include <fstream>
#include <string_view>

#include "core/temporary_folder.h"

namespace paceline {

class AsFile {
 public:
  explicit AsFile(std::string_view bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
  std::filesystem::path path() const { return folder_ / "fuzz"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace paceline

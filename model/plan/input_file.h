// A file that a prediction read, so that it can be made again.
#pragma once

#include <string>

namespace paceline {

struct InputFile {
  std::string file;  // name without folders
  std::string sha256;
};

}  // namespace paceline

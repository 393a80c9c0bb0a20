// A folder for the files of one test.
#pragma once

#include <filesystem>

namespace paceline {

// A new, empty folder that no other process uses; it and all in it are removed with the object.
class TemporaryFolder {
 public:
  // Throws std::system_error if the system's folder for temporary files cannot be written.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace paceline

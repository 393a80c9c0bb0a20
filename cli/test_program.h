// Runs the program itself in a folder with made-up parameters and broken files, for tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/temporary_folder.h"

namespace paceline {

// good.json: parameters of a CPU that does not exist; the other files are wrong in one way each.
// Removed with the object.
class TestFolder {
 public:
  TestFolder();

  const std::filesystem::path& path() const { return folder_.path(); }
  // Every file and folder inside, sorted.
  std::vector<std::string> files() const;
  static std::string read(const std::filesystem::path& file);

 private:
  TemporaryFolder folder_;
};

struct TestOutcome {
  int code = -1;
  std::string out;
  std::string err;
};

// `arguments` as a shell reads them, after the shell command `first`; no CPU is installed for the
// program.
TestOutcome run_program_in(const TestFolder& folder, const std::string& arguments,
                           const std::string& first = "true");

}  // namespace paceline

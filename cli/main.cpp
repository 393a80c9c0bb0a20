// The program `paceline`.
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  // A file that grows beyond the limit of this process is then an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = std::filesystem::path(words[0]).filename().string();
  return static_cast<int>(paceline::run_program(words, std::cout, std::cerr));
}

// The program `paceline`.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "cli/program.h"

int main(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = std::filesystem::path(words[0]).filename().string();
  return static_cast<int>(paceline::run_program(words, std::cout, std::cerr));
}

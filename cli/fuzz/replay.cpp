// Runs fuzz targets without libFuzzer: every input of the corpus, then mutations of them from a
// fixed seed, so that a failure repeats. The input under way lies in <target>.input: after a crash
// it is still there.
//
//   paceline_fuzz CORPUS MUTATIONS [TARGET...]
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "cli/fuzz/fuzz_targets.h"
#include "core/text_file.h"

namespace paceline {
namespace {

constexpr std::size_t kLongest = 1 << 16;
// What parsers are tripped by.
constexpr std::string_view kTokens[] = {"-1",
                                        "0",
                                        "1e309",
                                        "-0.0",
                                        "nan",
                                        "inf",
                                        "9223372036854775808",
                                        "18446744073709551616",
                                        "2147483648",
                                        "1e-320",
                                        "null",
                                        "true",
                                        "[]",
                                        "{}",
                                        "\"\"",
                                        "\\u0000",
                                        "\\ud800",
                                        "\xff\xfe",
                                        "\n",
                                        "\r\n",
                                        "\t",
                                        ",",
                                        ":",
                                        "=",
                                        "*",
                                        "@",
                                        "/s",
                                        "-",
                                        "x",
                                        "%",
                                        "GB/s",
                                        "us"};

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  std::string next() {
    std::string text = any();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text);
    if (text.size() > kLongest) text.resize(kLongest);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& any() { return corpus_[below(corpus_.size())]; }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 32) + 1);
    switch (below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, kTokens[below(std::size(kTokens))]);
        break;
      case 4:
        text.replace(at, length, kTokens[below(std::size(kTokens))]);
        break;
      case 5:
        text.insert(at, text.substr(at, length));
        break;
      default: {
        const std::string& other = any();
        const std::size_t from = below(other.size() + 1);
        text.replace(at, length, other, from, below(64));
      }
    }
  }

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

std::vector<std::string> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<std::string> out = {""};
  for (const std::filesystem::path& file : files) out.push_back(read_text_file(file));
  return out;
}

bool run(const FuzzTarget& target, const std::filesystem::path& corpus, std::size_t mutations) {
  const std::filesystem::path input = target.name + ".input";
  const auto passes = [&](const std::string& text) {
    std::ofstream(input, std::ios::binary) << text;
    return reads_or_refuses(target, text);
  };
  const std::vector<std::string> seeds = read_corpus(corpus / target.name);
  if (!std::ranges::all_of(seeds, passes)) return false;
  Mutator mutator(seeds, 1);
  for (std::size_t i = 0; i < mutations; ++i) {
    if (!passes(mutator.next())) return false;
  }
  std::filesystem::remove(input);
  std::cout << target.name << ": " << seeds.size() << " inputs, " << mutations << " mutations\n";
  return true;
}

int run_all(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    std::cerr << "usage: paceline_fuzz CORPUS MUTATIONS [TARGET...]\n";
    return 2;
  }
  FuzzTargets targets;
  register_all(targets);
  const std::size_t mutations = std::stoul(arguments[1]);
  bool passed = true;
  for (const FuzzTarget& target : targets.all()) {
    const bool wanted = arguments.size() == 2 || std::find(arguments.begin() + 2, arguments.end(),
                                                           target.name) != arguments.end();
    if (wanted) passed = run(target, arguments[0], mutations) && passed;
  }
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace paceline

int main(int argc, char** argv) { return paceline::run_all({argv + 1, argv + argc}); }

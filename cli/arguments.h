// What the user typed after a subcommand, as text by flag; typed readers name the flag, the text
// and what is allowed in every error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

class Arguments {
 public:
  Arguments(std::vector<std::string> argv, std::map<std::string, std::vector<std::string>> values)
      : argv_(std::move(argv)), values_(std::move(values)) {}

  // The command line without the program's folder, for provenance.
  const std::vector<std::string>& argv() const { return argv_; }

  bool has(std::string_view flag) const;
  std::optional<std::string> find(std::string_view flag) const;
  std::string text_or(std::string_view flag, std::string_view fallback) const;
  // Throws UsageError if absent.
  std::string text(std::string_view flag) const;
  std::vector<std::string> all(std::string_view flag) const;
  // A whole number from 1 to `largest`; throws UsageError otherwise.
  std::int64_t count_or(std::string_view flag, std::int64_t fallback, std::int64_t largest) const;

 private:
  std::vector<std::string> argv_;
  std::map<std::string, std::vector<std::string>> values_;
};

// "--batch"; only -o has one dash, since shapes are written --m, --n, --k.
std::string flag_text(std::string_view flag);
// A whole number from `smallest` to `largest`; throws UsageError naming `what` and the text.
std::int64_t parse_count(std::string_view what, std::string_view text, std::int64_t smallest,
                         std::int64_t largest);

}  // namespace paceline

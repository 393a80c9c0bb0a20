// What the user typed after a subcommand, as text by flag; typed readers name the flag, the text
// and what is allowed in every error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

class Arguments {
 public:
  // Results go to `out`, which must live as long.
  Arguments(std::vector<std::string> argv, std::map<std::string, std::vector<std::string>> values,
            std::ostream& out)
      : argv_(std::move(argv)), values_(std::move(values)), out_(&out) {}

  // The command line without the program's folder, for provenance.
  const std::vector<std::string>& argv() const { return argv_; }

  std::ostream& out() const { return *out_; }

  bool has(std::string_view flag) const;
  std::optional<std::string> find(std::string_view flag) const;
  std::string text_or(std::string_view flag, std::string_view fallback) const;
  // Throws UsageError if absent.
  std::string text(std::string_view flag) const;
  std::vector<std::string> all(std::string_view flag) const;
  // The same without these flags, for a part that does not know them.
  Arguments without(std::initializer_list<std::string_view> flags) const;
  // The same with this value instead.
  Arguments with(std::string_view flag, std::string value) const;
  // A whole number from 1 to `largest`; throws UsageError otherwise.
  std::int64_t count_or(std::string_view flag, std::int64_t fallback, std::int64_t largest) const;

 private:
  std::vector<std::string> argv_;
  std::map<std::string, std::vector<std::string>> values_;
  std::ostream* out_;
};

// "--batch"; only -o has one dash, since shapes are written --m, --n, --k.
std::string flag_text(std::string_view flag);
// A whole number from `smallest` to `largest`; throws UsageError naming `what` and the text.
std::int64_t parse_count(std::string_view what, std::string_view text, std::int64_t smallest,
                         std::int64_t largest);

}  // namespace paceline

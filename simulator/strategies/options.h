// What can be set about a strategy (--set KEY=VALUE), and what was set.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace paceline {

enum class OptionKind { kChoice, kCount, kNumber, kBytes, kSeconds, kSwitch };

struct StrategyOption {
  std::string name;
  OptionKind kind = OptionKind::kChoice;
  std::string fallback;              // the default, as the user would write it
  std::vector<std::string> choices;  // of kChoice
  std::string summary;
  std::string example;  // a value other than the default
  // Means something only when this other option has one of these values; else it is refused.
  std::string only_with{};
  std::vector<std::string> only_values{};
  // What the example needs beside it to show.
  std::map<std::string, std::string> example_with{};
};

// Every option of a strategy with its value.
class StrategyOptions {
 public:
  // Takes from `set` what `known` lists. Throws UsageError for a value that is not of the kind,
  // not among the choices, zero or negative, or that another option makes meaningless.
  StrategyOptions(const std::string& strategy, const std::vector<StrategyOption>& known,
                  const std::map<std::string, std::string>& set);

  bool has(std::string_view name) const { return values_.contains(name); }
  const std::string& text(std::string_view name) const;
  bool is(std::string_view name, std::string_view value) const { return text(name) == value; }
  bool on(std::string_view name) const { return text(name) == "on"; }
  int count(std::string_view name) const;
  double number(std::string_view name) const;
  Bytes bytes(std::string_view name) const;
  Seconds seconds(std::string_view name) const;
  bool was_set(std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, bool, std::less<>> set_;
};

}  // namespace paceline

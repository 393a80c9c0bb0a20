#include "cli/arguments.h"

#include <charconv>

#include "cli/command.h"
#include "core/error.h"

namespace paceline {

std::string flag_text(std::string_view flag) {
  return (flag == "o" ? "-" : "--") + std::string(flag);
}

std::int64_t parse_count(std::string_view what, std::string_view text, std::int64_t smallest,
                         std::int64_t largest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error != std::errc::invalid_argument && end == text.data() + text.size();
  const std::string allowed =
      "a whole number from " + std::to_string(smallest) + " to " + std::to_string(largest);
  if (!is_number || error != std::errc() || value < smallest || value > largest) {
    throw UsageError(std::string(what) + " \"" + std::string(text) + "\" is not " + allowed);
  }
  return value;
}

bool Arguments::has(std::string_view flag) const { return values_.contains(std::string(flag)); }

std::optional<std::string> Arguments::find(std::string_view flag) const {
  const auto found = values_.find(std::string(flag));
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.front();
}

std::string Arguments::text_or(std::string_view flag, std::string_view fallback) const {
  return find(flag).value_or(std::string(fallback));
}

std::string Arguments::text(std::string_view flag) const {
  const std::optional<std::string> found = find(flag);
  // What stands without a flag is written in capitals.
  const bool positional = !flag.empty() && flag.front() >= 'A' && flag.front() <= 'Z';
  if (!found) {
    throw UsageError((positional ? std::string(flag) : flag_text(flag)) + " is required");
  }
  return *found;
}

std::vector<std::string> Arguments::all(std::string_view flag) const {
  const auto found = values_.find(std::string(flag));
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Arguments Arguments::without(std::initializer_list<std::string_view> flags) const {
  Arguments out = *this;
  for (const std::string_view flag : flags) out.values_.erase(std::string(flag));
  return out;
}

Arguments Arguments::with(std::string_view flag, std::string value) const {
  Arguments out = *this;
  out.values_[std::string(flag)] = {std::move(value)};
  return out;
}

std::int64_t Arguments::count_or(std::string_view flag, std::int64_t fallback,
                                 std::int64_t largest) const {
  const std::optional<std::string> found = find(flag);
  return found ? parse_count(flag_text(flag), *found, 1, largest) : fallback;
}

const Command* CommandList::find(const std::string& name) const {
  for (const Command& command : commands_) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::vector<std::string> CommandList::names() const {
  std::vector<std::string> out;
  for (const Command& command : commands_) out.push_back(command.name);
  return out;
}

}  // namespace paceline

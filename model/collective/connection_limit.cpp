#include "model/collective/connection_limit.h"

#include <charconv>
#include <cmath>

#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::string_view kOne = " connection ";
constexpr std::string_view kSeveral = " connections ";
constexpr std::string_view kLimits = "of each machine (";
constexpr std::string_view kCarries = "carries ";
constexpr std::string_view kCarry = "carry ";

std::string counted_connections(int connections, const LinkSpec& network) {
  return std::to_string(connections) + " " + network.transport +
         std::string(connections == 1 ? kOne : kSeveral);
}

}  // namespace

std::string connection_limit(int connections, const LinkSpec& network) {
  return counted_connections(connections, network) + std::string(kLimits) + network.name + ", " +
         to_text(*network.per_flow) + " each)";
}

std::string connection_remedy(int connections, const LinkSpec& network, BytesPerSecond cards) {
  const BytesPerSecond flows = *network.per_flow * static_cast<double>(connections);
  const auto needed = static_cast<int>(std::ceil(cards / *network.per_flow));
  std::string out = counted_connections(connections, network) +
                    std::string(connections == 1 ? kCarries : kCarry) + to_text(flows) +
                    " of the " + to_text(cards) + " of " + network.name +
                    ": --set connections=" + std::to_string(needed) + " is what it needs";
  for (const Transport& other : network.transports) {
    if (!other.per_flow) out += ", --set transport=" + other.name + " has no such limit";
  }
  return out;
}

std::optional<int> limiting_connections(std::string_view text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 1) return std::nullopt;
  const std::string_view noun = count == 1 ? kOne : kSeveral;
  const std::size_t at = text.find(noun);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + noun.size());
  const bool ours = rest.starts_with(kLimits) || rest.starts_with(count == 1 ? kCarries : kCarry);
  return ours ? std::optional(count) : std::nullopt;
}

}  // namespace paceline

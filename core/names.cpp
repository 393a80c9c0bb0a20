#include "core/names.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace paceline {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(above, row);
  }
  return above.back();
}

std::string joined(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string normalized_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (std::size_t at = out.find("gb"); at != std::string::npos; at = out.find("gb", at + 1)) {
    const bool ends_number = at > 0 && is_digit(out[at - 1]);
    const bool is_unit = at + 2 == out.size() || !is_digit(out[at + 2]);
    if (ends_number && is_unit && out.compare(at, 3, "gbe") != 0) out.erase(at + 1, 1);
  }
  return out;
}

bool same_name(std::string_view a, std::string_view b) {
  return normalized_name(a) == normalized_name(b);
}

std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates, std::size_t count) {
  const std::string wanted = normalized_name(name);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const std::string known = normalized_name(candidate);
    const std::size_t distance = edit_distance(wanted, known);
    const bool contains =
        wanted.size() >= 3 && known.size() >= 3 &&
        (known.find(wanted) != std::string::npos || wanted.find(known) != std::string::npos);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(wanted.size(), known.size()) / 3);
    if (contains || distance <= allowed) ranked.emplace_back(distance, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (const auto& [distance, candidate] : ranked) {
    if (out.size() == count) break;
    out.push_back(candidate);
  }
  return out;
}

std::string unknown_name_message(std::string_view what, std::string_view name,
                                 std::span<const std::string> candidates) {
  std::string text = "unknown " + std::string(what) + " \"" + std::string(name) + "\"; ";
  const std::vector<std::string> near = nearest_names(name, candidates);
  if (!near.empty()) return text + "did you mean " + joined(near) + "?";
  if (candidates.empty()) return text + "none is known";
  return text + "known: " + joined(candidates);
}

}  // namespace paceline

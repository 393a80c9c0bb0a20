#include "traces/timeline/name_table.h"

namespace paceline {

NameId NameTable::intern(std::string_view text) {
  const auto [entry, is_new] =
      ids_.try_emplace(std::string(text), static_cast<NameId>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return entry->second;
}

}  // namespace paceline

// The texts of a timeline or a task graph, each stored once: spans and tasks carry a NameId.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace paceline {

// Index into one NameTable; zero is the empty text.
enum class NameId : std::uint32_t {};

class NameTable {
 public:
  NameTable() { intern(""); }

  // The id of `text`, added if it is new.
  NameId intern(std::string_view text);
  const std::string& text(NameId id) const { return texts_.at(static_cast<std::size_t>(id)); }
  std::size_t size() const { return texts_.size(); }
  bool operator==(const NameTable& other) const { return texts_ == other.texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, NameId> ids_;
};

}  // namespace paceline

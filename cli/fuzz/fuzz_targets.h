// The parsers of everything that comes from outside, each as a fuzz target: one file in
// cli/fuzz/targets per parser. A target reads any bytes, or refuses them by an Error that is not
// internal and says why; whatever else happens is a bug.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

struct FuzzTarget {
  std::string name;
  void (*read)(std::string_view);
};

class FuzzTargets {
 public:
  void add(std::string name, void (*read)(std::string_view)) {
    all_.push_back({std::move(name), read});
  }
  const std::vector<FuzzTarget>& all() const { return all_; }

 private:
  std::vector<FuzzTarget> all_;
};

// Adds every target (generated).
void register_all(FuzzTargets& targets);

// Whether the bytes are read or refused as they should be; if not, says on stderr what happened.
bool reads_or_refuses(const FuzzTarget& target, std::string_view bytes);

// Takes the first byte of a text as a choice among `count`.
inline std::size_t take_choice(std::string_view& text, std::size_t count) {
  if (text.empty()) return 0;
  const std::size_t choice = static_cast<unsigned char>(text.front()) % count;
  text.remove_prefix(1);
  return choice;
}

}  // namespace paceline

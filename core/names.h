// Look-up of names typed by people: case, hyphens, underscores and spaces are ignored, "16gb"
// equals "16g", and an unknown name is answered with the nearest valid ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

// Lower case without separators; a trailing "gb" of a number becomes "g".
std::string normalized_name(std::string_view name);

// Whether both mean the same name.
bool same_name(std::string_view a, std::string_view b);

// At most `count` of `candidates`, nearest first by edit distance on normalized names; only those
// near enough to be a plausible slip of the keyboard, or containing `name` (or contained in it).
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates,
                                       std::size_t count = 3);

// "unknown model "resnet5"; did you mean resnet50, resnet56?" or, when nothing is near,
// "unknown model "x"; known: a, b, c".
std::string unknown_name_message(std::string_view what, std::string_view name,
                                 std::span<const std::string> candidates);

}  // namespace paceline

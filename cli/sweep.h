// Comma lists and ranges, as nccl-tests and llama-bench write them:
//   "1,2,4"    these values
//   "1-64*2"   1, 2, 4, ... up to 64 (factor)
//   "1-10+3"   1, 4, 7, 10 (step; "1-4" is step 1)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

// Values in the order given. Throws UsageError naming `what`, the text and the allowed forms if one
// is not a whole number from 1 to `largest`, a range is empty or does not grow, or there are more
// than 4096 values.
std::vector<std::int64_t> parse_counts(std::string_view what, std::string_view text,
                                       std::int64_t largest);
// The parts between commas; one that is a range of whole numbers ("1-64*2") stands for its values.
// Throws UsageError if one is empty.
std::vector<std::string> parse_values(std::string_view what, std::string_view text);
// The parts between commas; throws UsageError if one is empty.
std::vector<std::string> parse_names(std::string_view what, std::string_view text);

}  // namespace paceline

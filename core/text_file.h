// Reading and writing whole files of text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace paceline {

// Models with their weights are large; beyond this no file makes sense here.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{2} << 30;

// The whole file, or what a pipe gives, as bytes; throws InputError if missing, a directory, a
// device, longer than `largest` bytes, or unreadable.
std::string read_text_file(const std::filesystem::path& file,
                           std::uintmax_t largest = kLargestFile);

// Writes `text` to `file` atomically: a file, or the one a link points to, is replaced as a whole;
// a pipe or a device is written into. Throws InputError with the reason if that is not possible.
void write_text_file(const std::filesystem::path& file, std::string_view text);

// Throws what write_text_file would throw for this path; writes nothing.
void check_output_file(const std::filesystem::path& file);

}  // namespace paceline

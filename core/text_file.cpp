#include "core/text_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "core/error.h"

namespace paceline {
namespace {

[[noreturn]] void refuse_size(const std::filesystem::path& file, std::uintmax_t limit) {
  throw InputError(file.string() + ": larger than " + std::to_string(limit >> 20) +
                   " MiB, not a file that paceline reads");
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason) {
  throw InputError(file.string() + ": cannot be written: " + reason);
}

// Where a link ends, also if nothing is there yet.
std::filesystem::path behind_links(const std::filesystem::path& file) {
  constexpr int kMostLinks = 40;
  std::filesystem::path end = file;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(end, error); ++i) {
    end = end.parent_path() / std::filesystem::read_symlink(end);
  }
  return end;
}

// Where text for a file really goes.
struct Output {
  std::filesystem::path file;  // behind links
  bool replaced = true;        // as a whole; false: a pipe or a device, which is written into
  std::optional<std::filesystem::perms> permissions{};  // of the file that is replaced
};

Output output_of(const std::filesystem::path& file) {
  Output output{.file = behind_links(file)};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(output.file, error);
  if (std::filesystem::is_directory(status)) refuse(file, "this is a folder, expected a file");
  std::filesystem::path folder = output.file.parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, error)) {
    refuse(file, "there is no folder \"" + folder.string() + "\"");
  }
  if (std::filesystem::exists(status)) {
    output.replaced = std::filesystem::is_regular_file(status);
    output.permissions = status.permissions();
    if (::access(output.file.c_str(), W_OK) != 0) refuse(file, std::strerror(errno));
  }
  if (output.replaced && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(file, std::strerror(errno));
  }
  return output;
}

// `named` is the file in messages.
void write_all(const std::filesystem::path& target, std::string_view text,
               const std::filesystem::path& named) {
  errno = 0;
  std::ofstream stream(target, std::ios::binary | std::ios::trunc);
  if (!stream) refuse(named, std::strerror(errno));
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) {
    throw InputError(named.string() + ": could not be written completely: " + std::strerror(errno));
  }
}

}  // namespace

std::string read_text_file(const std::filesystem::path& file, std::uintmax_t largest) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw InputError(file.string() + ": no such file");
  if (std::filesystem::is_directory(status)) {
    throw InputError(file.string() + ": this is a directory, expected a file");
  }
  if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status)) {
    throw InputError(file.string() + ": this is a device, expected a file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file.string() + ": cannot be read");
  std::string text;
  if (std::filesystem::is_regular_file(status)) {
    const auto size = std::filesystem::file_size(file, error);
    if (!error && size > largest) refuse_size(file, largest);
    if (!error) text.reserve(static_cast<std::size_t>(size));
  }
  // A pipe has no size, and a file may grow.
  std::vector<char> block(std::size_t{1} << 16);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())).gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest) refuse_size(file, largest);
  }
  if (stream.bad()) throw InputError(file.string() + ": cannot be read");
  return text;
}

void check_output_file(const std::filesystem::path& file) { output_of(file); }

void write_text_file(const std::filesystem::path& file, std::string_view text) {
  const Output output = output_of(file);
  if (!output.replaced) {
    write_all(output.file, text, file);
    return;
  }
  std::filesystem::path partial = output.file;
  partial += "." + std::to_string(::getpid()) + ".partial";
  std::error_code error;
  try {
    write_all(partial, text, file);
    if (output.permissions) std::filesystem::permissions(partial, *output.permissions);
    std::filesystem::rename(partial, output.file);
  } catch (const std::filesystem::filesystem_error& failure) {
    std::filesystem::remove(partial, error);
    refuse(file, failure.code().message());
  } catch (const InputError&) {
    std::filesystem::remove(partial, error);
    throw;
  }
}

}  // namespace paceline

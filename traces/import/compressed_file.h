// Reads a file piece by piece, whether it is plain or compressed with gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace paceline {

class CompressedFile {
 public:
  // Throws InputError if the file is missing, a folder, or unreadable.
  explicit CompressedFile(const std::filesystem::path& file);
  ~CompressedFile();
  CompressedFile(const CompressedFile&) = delete;
  CompressedFile& operator=(const CompressedFile&) = delete;

  // The next bytes, at most `most`; 0 at the end. Throws InputError if compressed data or their
  // checksum are wrong: then nothing that was read can be trusted.
  std::size_t read(char* into, std::size_t most);
  // Why the data ended before the file said it would; empty if it is complete. Known at the end.
  const std::string& damage() const { return damage_; }

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string damage_;
};

// The first `most` bytes, decompressed: enough to recognise a format.
std::string head_of_file(const std::filesystem::path& file, std::size_t most = 1 << 16);

}  // namespace paceline

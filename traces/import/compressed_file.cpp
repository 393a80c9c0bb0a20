#include "traces/import/compressed_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace paceline {

struct CompressedFile::Stream {
  gzFile file = nullptr;
  ~Stream() {
    if (file != nullptr) gzclose_r(file);
  }
};

CompressedFile::CompressedFile(const std::filesystem::path& file)
    : stream_(std::make_unique<Stream>()) {
  if (std::filesystem::is_directory(file)) {
    throw InputError(file.string() + ": is a folder; expected a file");
  }
  stream_->file = gzopen(file.c_str(), "rb");
  if (stream_->file == nullptr) {
    throw InputError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  gzbuffer(stream_->file, 1 << 18);
}

CompressedFile::~CompressedFile() = default;

std::size_t CompressedFile::read(char* into, std::size_t most) {
  constexpr std::size_t kMostAtOnce = 1 << 30;  // zlib counts in int
  const int got = gzread(stream_->file, into, static_cast<unsigned>(std::min(most, kMostAtOnce)));
  if (got > 0) return static_cast<std::size_t>(got);
  int code = Z_OK;
  const char* text = gzerror(stream_->file, &code);
  if (code == Z_BUF_ERROR) {
    damage_ = "the compressed data ends early";
  } else if (code != Z_OK && code != Z_STREAM_END) {
    // zlib names the file.
    throw InputError(std::string(text) + "; expected compressed data without damage");
  }
  return 0;
}

std::string head_of_file(const std::filesystem::path& file, std::size_t most) {
  CompressedFile stream(file);
  std::string text(most, '\0');
  std::size_t filled = 0;
  while (filled < most) {
    const std::size_t got = stream.read(text.data() + filled, most - filled);
    if (got == 0) break;
    filled += got;
  }
  text.resize(filled);
  return text;
}

}  // namespace paceline

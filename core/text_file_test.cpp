#include "core/text_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

TEST(TextFile, ALinkStaysAndTheFileBehindItIsReplaced) {
  const TemporaryFolder folder;
  write_text_file(folder / "file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  std::filesystem::create_symlink("new", folder / "dangling");
  write_text_file(folder / "link", "new text");
  write_text_file(folder / "dangling", "first text");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text_file(folder / "file"), "new text");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  EXPECT_EQ(read_text_file(folder / "new"), "first text");
}

TEST(TextFile, APipeIsWrittenIntoAndStaysAPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_text_file(pipe, "through the pipe");
  std::string text(16, ' ');
  EXPECT_EQ(::read(reader, text.data(), text.size()), 16);
  EXPECT_EQ(text, "through the pipe");
  ::close(reader);
  EXPECT_EQ(std::filesystem::status(pipe).type(), std::filesystem::file_type::fifo);
}

TEST(TextFile, AReplacedFileKeepsItsPermissions) {
  const TemporaryFolder folder;
  const auto owner_only = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  write_text_file(folder / "file", "old");
  std::filesystem::permissions(folder / "file", owner_only);
  write_text_file(folder / "file", "new");
  EXPECT_EQ(std::filesystem::status(folder / "file").permissions(), owner_only);
}

// A device that never ends, and a file beyond any sense, are refused before they are read.
TEST(TextFile, OnlyFilesWithAnEndAreRead) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/zero", folder / "endless");
  try {
    read_text_file(folder / "endless");
    FAIL() << "an endless file was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("this is a device"), std::string::npos);
  }
  write_text_file(folder / "huge", "");
  std::filesystem::resize_file(folder / "huge", std::uintmax_t{3} << 30);  // no blocks
  EXPECT_THROW(read_text_file(folder / "huge"), InputError);
}

}  // namespace
}  // namespace paceline

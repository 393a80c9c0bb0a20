#include "cli/output_files.h"

#include <algorithm>
#include <filesystem>

#include "core/json_writer.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  // Absolute, since a relative path of which nothing exists yet would stay as it is.
  return fs::weakly_canonical(fs::absolute(a), error) ==
         fs::weakly_canonical(fs::absolute(b), error);
}

// A file that is not replaced as a whole, such as a pipe, may be named twice.
bool is_special(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) && !fs::is_regular_file(file, error);
}

struct Named {
  std::string flag;
  fs::path file;
};

// What the command line names and is a file: values of flags and arguments, lists taken apart.
std::vector<Named> inputs_of(const Command& command, const Arguments& arguments) {
  std::vector<Named> out;
  const auto take = [&](const std::string& name, const std::string& shown) {
    for (const std::string& value : arguments.all(name)) {
      std::size_t from = 0;
      while (from <= value.size()) {
        const std::size_t comma = std::min(value.find(',', from), value.size());
        out.push_back({shown, value.substr(from, comma - from)});
        from = comma + 1;
      }
      out.push_back({shown, value});
    }
  };
  for (const FlagSpec& flag : command.flags) {
    if (!flag.output && !flag.value.empty()) take(flag.name, flag_text(flag.name));
  }
  for (const std::string& positional : command.positionals) {
    const std::string name = positional.substr(0, positional.find("..."));
    take(name, name);
  }
  std::erase_if(out, [](const Named& named) {
    std::error_code error;
    return !fs::is_regular_file(named.file, error);
  });
  return out;
}

}  // namespace

void check_output_files(const Command& command, const Arguments& arguments) {
  std::vector<Named> named;
  std::vector<Named> inputs;
  for (const FlagSpec& flag : command.flags) {
    if (!flag.output || !arguments.has(flag.name)) continue;
    const std::string text = flag_text(flag.name);
    const std::string file = arguments.text(flag.name);
    if (file.empty()) throw UsageError(text + " needs the name of a file, found an empty one");
    if (file == "-") {
      throw UsageError(text +
                       " - is not a file; results go to the terminal without -o, and ./- is "
                       "a file of that name");
    }
    if (inputs.empty()) inputs = inputs_of(command, arguments);
    for (const Named& input : inputs) {
      if (same_file(input.file, file)) {
        throw UsageError(text + " " + file + " would replace the file that " + input.flag +
                         " reads");
      }
    }
    for (const Named& other : named) {
      if (same_file(other.file, file) && !is_special(file)) {
        throw UsageError(text + " and " + other.flag + " both write " + file);
      }
    }
    named.push_back({text, file});
  }
  for (const Named& output : named) check_output_file(output.file);
}

}  // namespace paceline

#include "cli/documentation/man_page.h"

#include "core/version.h"

namespace paceline {
namespace {

// A line of text: a leading dot or quote would be a request, and "-" a hyphen that cannot be
// pasted.
std::string roff(const std::string& text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string synopsis(const Command& command) {
  std::string out = ".B paceline " + roff(command.name) + "\n";
  for (const std::string& positional : command.positionals) out += "[" + roff(positional) + "]\n";
  if (!command.flags.empty()) out += "[flags]\n";
  return out;
}

std::string section(const Command& command) {
  std::string out = ".SS " + roff(command.name) + "\n" + synopsis(command) + ".PP\n" +
                    roff(command.summary) + ".\n";
  for (const FlagSpec& flag : command.flags) {
    out += ".TP\n.B " + roff(flag_text(flag.name));
    if (!flag.value.empty()) out += " " + roff(flag.value);
    out += "\n" + roff(flag.summary) + (flag.repeatable ? "; may be repeated" : "") + "\n";
  }
  if (!command.example.empty()) {
    out += ".PP\nExample:\n.PP\n.nf\n" + roff(command.example) + "\n.fi\n";
  }
  return out;
}

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
internal error
.TP
2
usage: unknown flag, name or unit, impossible value
.TP
3
input: a file is missing, unreadable or invalid
.TP
4
check failed
.TP
5
infeasible: does not fit, or no configuration reaches the goal
.SH ENVIRONMENT
.TP
.B PACELINE_DATA
folder of the catalogs, instead of the installed one
.TP
.B XDG_DATA_HOME
where calibrate \-\-install puts the parameters of this machine
.TP
.B NO_COLOR
no colour, also on a terminal
)";

}  // namespace

std::string man_page(const CommandList& commands) {
  std::string out = std::string(".TH PACELINE 1 \"\" \"paceline ") + kVersion +
                    "\" \"User Commands\"\n.SH NAME\npaceline \\- predicts how fast a "
                    "deep\\-learning training job runs, and says why\n.SH SYNOPSIS\n.B paceline\n"
                    "command [flags]\n.SH DESCRIPTION\nComma lists and ranges sweep: "
                    "\\-\\-batch 8,16,32; 1\\-64*2 doubles; 1\\-10+3 steps.\n.SH COMMANDS\n";
  for (const Command& command : commands.all()) out += section(command);
  return out + kEnd;
}

}  // namespace paceline

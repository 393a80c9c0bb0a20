#include "cli/documentation/completions.h"

#include <map>

#include "core/error.h"
#include "core/names.h"

namespace paceline {
namespace {

// Flags whose values are names of `paceline list KIND`.
const std::map<std::string, std::string>& listed_flags() {
  static const std::map<std::string, std::string> kinds = {
      {"model", "workloads"},     {"device", "devices"}, {"framework", "frameworks"},
      {"net", "links"},           {"intra", "links"},    {"cluster", "clusters"},
      {"strategy", "strategies"}, {"recipe", "recipes"}};
  return kinds;
}

std::string words(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& word : list) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string flags_of(const Command& command) {
  std::vector<std::string> flags;
  for (const FlagSpec& flag : command.flags) flags.push_back(flag_text(flag.name));
  flags.emplace_back("--help");
  return words(flags);
}

std::string bash(const CommandList& commands) {
  std::string out =
      "# bash completion of paceline; source it or put it into bash-completion's folder\n"
      "_paceline_names() { paceline list \"$1\" --csv 2>/dev/null | tail -n +2 | cut -d, -f1; }\n"
      "_paceline() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      words(commands.names()) +
      "\" -- \"$word\")); return\n  fi\n"
      "  case $before in\n";
  for (const auto& [flag, kind] : listed_flags()) {
    out += "    --" + flag + ") COMPREPLY=($(compgen -W \"$(_paceline_names " + kind +
           ")\" -- \"$word\")); return ;;\n";
  }
  out += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands.all()) {
    out += "    " + command.name + ") flags=\"" + flags_of(command) + "\" ;;\n";
  }
  out +=
      "  esac\n  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n}\ncomplete -o filenames -F _paceline paceline\n";
  return out;
}

// Single quotes and colons end what zsh's _arguments reads as text.
std::string quoted(const std::string& text, const char* special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (std::string(special).find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh(const CommandList& commands) {
  std::string out =
      "#compdef paceline\n"
      "_paceline_names() { compadd -- $(paceline list $1 --csv 2>/dev/null | tail -n +2 | cut -d, "
      "-f1); }\n"
      "_paceline() {\n  local -a commands\n  commands=(\n";
  for (const Command& command : commands.all()) {
    out += "    '" + command.name + ":" + quoted(command.summary, ":") + "'\n";
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  case $words[2] in\n";
  for (const Command& command : commands.all()) {
    out += "    " + command.name + ") _arguments";
    for (const FlagSpec& flag : command.flags) {
      out += " \\\n      '" + std::string(flag.repeatable ? "*" : "") + flag_text(flag.name) + "[" +
             quoted(flag.summary, "[]:\\") + "]";
      if (!flag.value.empty()) {
        const auto kind = listed_flags().find(flag.name);
        out += ":" + quoted(flag.value, ":\\") + ":" +
               (kind == listed_flags().end() ? "_files" : "_paceline_names " + kind->second);
      }
      out += "'";
    }
    out += " \\\n      '*:file:_files' ;;\n";
  }
  return out + "  esac\n}\n_paceline \"$@\"\n";
}

std::string fish(const CommandList& commands) {
  std::string out =
      "# fish completion of paceline\n"
      "function __paceline_names; paceline list $argv[1] --csv 2>/dev/null | tail -n +2 | cut -d, "
      "-f1; end\n";
  for (const Command& command : commands.all()) {
    out += "complete -c paceline -n __fish_use_subcommand -f -a " + command.name + " -d '" +
           quoted(command.summary, "") + "'\n";
    for (const FlagSpec& flag : command.flags) {
      out += "complete -c paceline -n '__fish_seen_subcommand_from " + command.name + "' " +
             (flag.name.size() == 1 ? "-s " : "-l ") + flag.name +
             (flag.value.empty() ? "" : " -r") + " -d '" + quoted(flag.summary, "") + "'";
      const auto kind = listed_flags().find(flag.name);
      if (kind != listed_flags().end()) out += " -a '(__paceline_names " + kind->second + ")'";
      out += "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const std::string& shell, const CommandList& commands) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  const std::vector<std::string> known = {"bash", "zsh", "fish"};
  throw UsageError(unknown_name_message("shell", shell, known));
}

}  // namespace paceline

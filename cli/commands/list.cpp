// paceline list KIND: what there is to choose from.
#include <nlohmann/json.hpp>

#include "cli/device_listing.h"
#include "cli/fabric_listing.h"
#include "cli/output.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "simulator/frameworks/framework.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

// One row per thing: the fields a terminal shows, and everything for programs.
struct Listing {
  std::vector<std::string> columns;
  ordered_json rows = ordered_json::array();
};

Listing list_frameworks() {
  Listing listing{{"name", "version", "devices", "summary"}};
  FrameworkRegistry registry("framework");
  register_all(registry);
  for (const auto& entry : registry.entries()) {
    const FrameworkInfo info = entry.make()->info();
    listing.rows.push_back({{"name", entry.name},
                            {"summary", entry.summary},
                            {"version", info.version},
                            {"devices", info.devices},
                            {"default_strategy", info.default_strategy}});
  }
  return listing;
}

struct Kind {
  const char* name;
  Listing (*list)();
};
constexpr Kind kKinds[] = {
    {"clusters",
     [] {
       return Listing{{"name", "devices", "network", "summary"}, list_clusters()};
     }},
    {"collectives",
     [] {
       return Listing{{"name", "operations", "summary"}, list_collectives()};
     }},
    {"devices",
     [] {
       return Listing{{"name", "summary", "architecture", "released", "memory"}, list_devices()};
     }},
    {"frameworks", list_frameworks},
    {"links", [] {
       return Listing{{"name", "kind", "rate", "achieved", "latency", "summary"}, list_links()};
     }}};

Listing list_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind.list();
    names.emplace_back(kind.name);
  }
  throw UsageError(unknown_name_message("kind", name, names));
}

ExitCode run(const Arguments& arguments) {
  const Listing listing = list_kind(arguments.text_or("KIND", ""));
  const OutputFormat format = read_format(arguments);
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(listing.rows));
    return ExitCode::kOk;
  }
  Table table(listing.columns);
  for (const ordered_json& row : listing.rows) {
    std::vector<std::string> cells;
    for (const std::string& column : listing.columns) {
      cells.push_back(row[column].is_string() ? row[column].get<std::string>()
                                              : row[column].dump());
    }
    table.add_row(std::move(cells));
  }
  write_result(arguments, table.to_string(table_format(format)));
  return ExitCode::kOk;
}

}  // namespace

void register_list(CommandList& commands) {
  commands.add(
      {.name = "list",
       .summary = "what there is to choose from: clusters, collectives, devices, frameworks, links",
       .example = "paceline list frameworks",
       .flags = output_flags(),
       .positionals = {"KIND"},
       .run = run});
}

}  // namespace paceline

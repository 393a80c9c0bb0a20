// paceline collective: how long an all-reduce takes, and which link limits it.
//
//   all-reduce of 1.07 GB over 8 ranks of dgx-h100
//   time       4.13 ms   (3.80 ms to 4.49 ms)
//   algbw      260 GB/s   busbw 455 GB/s
//   how        nvls, simple, 16 channels
//   limit      gpu0 -> nvswitch (nvswitch3)
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/cluster_flags.h"
#include "cli/collective_by_messages.h"
#include "cli/output.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "model/collective/collective_model.h"
#include "model/hardware/copy_model.h"
#include "simulator/fabric/fluid_collective.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

CollectiveCall read_call(const Arguments& arguments, const ClusterChoice& choice) {
  CollectiveCall call;
  call.op = parse_collective(arguments.text_or("op", "all-reduce"));
  call.bytes = read_size(arguments);
  call.group = group_of(choice.cluster, choice.ranks);
  if (is_by_messages(arguments)) {
    call.library = "none";
    return call;
  }
  if (arguments.has("servers")) {
    throw UsageError("--servers is of --algorithm parameter-server");
  }
  call.library = arguments.text_or("library", "nccl");
  std::vector<std::string> libraries = HostTuning::shipped().names();
  libraries.insert(libraries.begin(), "nccl");
  if (std::ranges::find(libraries, call.library) == libraries.end()) {
    throw UsageError(unknown_name_message("library", call.library, libraries));
  }
  if (call.library != "nccl" && (arguments.has("algorithm") || arguments.has("protocol"))) {
    throw UsageError(
        "--algorithm and --protocol choose among NCCL's ways; leave them out with "
        "--library " +
        call.library);
  }
  if (arguments.has("algorithm"))
    call.algorithm = parse_nccl_algorithm(arguments.text("algorithm"));
  if (arguments.has("protocol")) call.protocol = parse_nccl_protocol(arguments.text("protocol"));
  return call;
}

constexpr std::int64_t kMostConcurrent = 1000;

std::int64_t concurrent_of(const Arguments& arguments) {
  return arguments.count_or("concurrent", 1, kMostConcurrent);
}

// Measured constants for this fabric instead of the shipped ones.
CollectiveModel read_model(const Arguments& arguments, const std::string& fabric_class) {
  CollectiveParameters parameters = CollectiveParameters::shipped();
  if (const auto file = arguments.find("parameters")) {
    ParameterSet own = read_parameters(*file);
    const bool fits = std::ranges::any_of(
        own.fits, [](const Fit& fit) { return fit.formula == formula::CollectiveProtocol::kId; });
    if (!fits) {
      throw InputError(*file + ": no constants of collectives; make them with paceline calibrate");
    }
    if (own.device != fabric_class) {
      throw InputError(*file + ": constants of " + own.device + ", but these ranks run over " +
                       fabric_class);
    }
    parameters.add(std::move(own));
  }
  return {NcclTuning::shipped(), HostTuning::shipped(), std::move(parameters)};
}

// Several equal collectives at once over the same ranks: all factors of the time stay, the data
// share the links.
void run_side_by_side(const CollectiveCall& call, const ClusterChoice& choice, std::int64_t jobs,
                      const FabricGroup& fabric, CollectiveCost& cost) {
  if (jobs == 1) return;
  FluidCollective one;
  one.group = call.group;
  one.latency = cost.latency;
  one.alone = cost.time;
  one.volume = call.bytes * bus_factor(call.op, call.group.ranks());
  const Seconds time = time_side_by_side(choice.cluster, CopyModel::shipped().staging(), one,
                                         static_cast<int>(jobs));
  const double factor = time / cost.time;
  cost.time = time;
  cost.least = std::min(time, static_cast<double>(jobs) * cost.least);
  cost.algorithm_rate = cost.algorithm_rate / factor;
  cost.bus_rate = cost.bus_rate / factor;
  if (factor > 1.001) cost.bottleneck = fabric.bottleneck;
}

ordered_json to_json(const Arguments& arguments, const CollectiveCall& call,
                     const ClusterChoice& choice, const CollectiveCost& cost) {
  return {{"schema", "paceline.collective/1"},
          {"config",
           {{"op", to_string(call.op)},
            {"bytes", call.bytes.si()},
            {"cluster", choice.cluster.name},
            {"machines", call.group.machines},
            {"ranks_per_machine", call.group.per_machine},
            {"library", call.library},
            {"connections", choice.connections},
            {"concurrent", concurrent_of(arguments)}}},
          {"time_s",
           {{"median", cost.time.si()},
            {"p05", cost.quantile(0.05).si()},
            {"p95", cost.quantile(0.95).si()}}},
          {"latency_s", cost.latency.si()},
          {"algbw_bytes_per_s", cost.algorithm_rate.si()},
          {"busbw_bytes_per_s", cost.bus_rate.si()},
          {"fabric_bytes_per_s", cost.fabric_rate.si()},
          {"algorithm", cost.algorithm},
          {"protocol", cost.protocol},
          {"channels", cost.channels},
          {"bottleneck", cost.bottleneck},
          {"origins", ordered_json::array({{{"what", "time"},
                                            {"kind", to_string(cost.origin.kind)},
                                            {"source", cost.origin.source}}})},
          {"warnings", cost.warnings}};
}

std::string to_screen(const Arguments& arguments, const CollectiveCall& call,
                      const ClusterChoice& choice, const CollectiveCost& cost) {
  const std::int64_t jobs = concurrent_of(arguments);
  std::string text = std::string(to_string(call.op)) + " of " + size_as_typed(arguments) +
                     " over " + std::to_string(call.group.ranks()) + " ranks of " +
                     choice.cluster.name +
                     (jobs > 1 ? ", " + std::to_string(jobs) + " at once" : "") + "\n";
  text += "time     " + to_text(cost.time) + "   (" + to_text(cost.quantile(0.05)) + " to " +
          to_text(cost.quantile(0.95)) + ")\n";
  text += "algbw    " + to_text(cost.algorithm_rate) + "   busbw " + to_text(cost.bus_rate) + "\n";
  text += "how      " + cost.algorithm + ", " +
          (call.library == "none" ? "message by message"
                                  : cost.protocol + ", " + std::to_string(cost.channels) +
                                        (cost.channels == 1 ? " channel" : " channels")) +
          "\n";
  text += "limit    " + cost.bottleneck + "\n";
  text += "origin   " + std::string(to_string(cost.origin.kind)) + ": " + cost.origin.source + "\n";
  for (const std::string& warning : cost.warnings) text += "warning  " + warning + "\n";
  return text;
}

// In-switch reduction reaches its bandwidth only with large messages.
void warn_about_size(const CollectiveCall& call, CollectiveCost& cost) {
  constexpr double kLarge = 256.0 * 1024 * 1024;
  if (cost.algorithm == "nvls" && call.bytes.si() < kLarge) {
    cost.warnings.push_back(
        "bus bandwidth still grows with the size: in-switch reduction reaches "
        "its peak above 256 MiB");
  }
}

ExitCode run(const Arguments& arguments) {
  ClusterChoice choice = read_cluster_choice(arguments);
  const CollectiveCall call = read_call(arguments, choice);
  refuse_unused_settings(arguments, call.group.machines > 1);
  // Libraries on host memory keep one connection between two ranks.
  if (choice.connections == 0 && call.library != "nccl") choice.connections = 1;
  const FabricGroup fabric =
      fabric_group(choice.cluster, call.group, CopyModel::shipped().staging(),
                   NcclTuning::shipped(), choice.generation, choice.connections);
  choice.connections = fabric.connections;
  CollectiveCost cost;
  if (call.library == "none") {
    const auto jobs = static_cast<int>(concurrent_of(arguments));
    cost = cost_by_messages(arguments, call, choice, jobs);
    cost.fabric_rate = bus_rate_of(call.op, fabric);
    // Messages cannot be faster than with every link at its data sheet's rate.
    cost.least = cost.time * (fabric.bus_rate / fabric.ceiling);
  } else {
    cost = read_model(arguments, fabric.fabric_class).cost(call, fabric);
    run_side_by_side(call, choice, concurrent_of(arguments), fabric, cost);
    if (!choice.assumed_tables.empty()) cost.warnings.push_back(choice.assumed_tables);
  }
  cost.warnings.insert(cost.warnings.end(), choice.cluster.warnings.begin(),
                       choice.cluster.warnings.end());
  warn_about_size(call, cost);
  const OutputFormat format = read_format(arguments);
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(to_json(arguments, call, choice, cost)));
  } else if (format == OutputFormat::kText) {
    write_result(arguments, to_screen(arguments, call, choice, cost));
  } else {
    Table table({"op", "bytes", "ranks", "time_s", "algbw_bytes_per_s", "busbw_bytes_per_s",
                 "algorithm", "protocol", "channels", "bottleneck"});
    table.add_row({std::string(to_string(call.op)), significant(call.bytes.si(), 12),
                   std::to_string(call.group.ranks()), significant(cost.time.si(), 6),
                   significant(cost.algorithm_rate.si(), 6), significant(cost.bus_rate.si(), 6),
                   cost.algorithm, cost.protocol, std::to_string(cost.channels), cost.bottleneck});
    write_result(arguments, table.to_string(table_format(format)));
  }
  return ExitCode::kOk;
}

}  // namespace

void register_collective(CommandList& commands) {
  std::vector<FlagSpec> flags = {
      {.name = "op", .value = "NAME", .summary = "all-reduce, all-gather, all-to-all, ..."},
      {.name = "bytes", .value = "SIZE", .summary = "size as nccl-tests counts it, \"1 GiB\""},
      {.name = "library", .value = "nccl|mpi|gloo", .summary = "who runs it; default nccl"},
      {.name = "algorithm",
       .value = "NAME",
       .summary = "instead of NCCL's choice; paceline list collectives"},
      {.name = "protocol", .value = "NAME", .summary = "ll, ll128, simple instead of NCCL's"},
      {.name = "servers",
       .value = "N",
       .summary = "of --algorithm parameter-server; one a machine"},
      {.name = "concurrent", .value = "N", .summary = "equal ones at once over the same ranks"},
      {.name = "parameters",
       .value = "FILE",
       .summary = "constants that paceline calibrate fitted on this fabric"}};
  for (const FlagSpec& flag : cluster_flags()) flags.push_back(flag);
  for (const FlagSpec& flag : output_flags()) flags.push_back(flag);
  commands.add(
      {.name = "collective",
       .summary = "time of a collective, its bandwidths, and the link that limits it",
       .example = "paceline collective --op all-reduce --bytes \"1 GiB\" --cluster dgx-h100",
       .flags = flags,
       .positionals = {},
       .run = run});
}

}  // namespace paceline

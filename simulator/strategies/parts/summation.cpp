#include "simulator/strategies/parts/summation.h"

namespace paceline {
namespace {

bool by_servers(const StrategyOptions& options) {
  return options.is("aggregation", "parameter-server");
}

}  // namespace

std::vector<StrategyOption> summation_options(const std::string& fallback) {
  std::vector<StrategyOption> options = reducer_options();
  const std::vector<std::string> collectives = {"all-reduce", "hierarchical"};
  for (StrategyOption& option : options) {
    if (option.name == "aggregation") {
      option.choices.emplace_back("parameter-server");
      option.fallback = fallback;
      option.example = fallback == "all-reduce" ? "parameter-server" : "all-reduce";
      option.summary += ", or servers that add";
      option.only_with.clear();
      option.only_values.clear();
    } else if (option.only_with.empty()) {
      option.only_with = "aggregation";
      option.only_values = collectives;
    }
  }
  for (StrategyOption& option : server_options(true)) options.push_back(std::move(option));
  return options;
}

void check_summation(const JobSpec& job, const StrategyOptions& options) {
  by_servers(options) ? check_servers(job, options) : check_reducer(job, options);
}

Summation::Summation(JobBuilder& job, const StrategyOptions& options) : reducer_(job, options) {
  if (by_servers(options)) servers_ = std::make_unique<ServerExchange>(job, options);
}

TaskId Summation::sum(Bytes bytes, std::span<const TaskId> after, bool coordinated,
                      std::int16_t priority) {
  if (servers_) return servers_->exchange(bytes, after, priority);
  return reducer_.reduce(bytes, after, coordinated);
}

Bytes summation_bytes_sent(const JobSpec& job, const StrategyOptions& options, Bytes bytes) {
  return by_servers(options) ? server_bytes_sent(job, bytes)
                             : reducer_bytes_sent(job, options, bytes);
}

Bytes summation_buffers(const JobSpec& job, const StrategyOptions& options) {
  return by_servers(options) ? Bytes() : reducer_buffers(job, options);
}

std::vector<std::string> summation_remarks(const JobSpec& job, const StrategyOptions& options) {
  return by_servers(options) ? server_remarks(job, options) : std::vector<std::string>{};
}

}  // namespace paceline

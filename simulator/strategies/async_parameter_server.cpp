// asynchronous SGD with parameter servers, with its staleness
// (parts/asynchronous.h).
#include "simulator/strategies/parts/asynchronous.h"

namespace paceline {

void register_async_parameter_server(StrategyRegistry& registry) {
  registry.add("async-parameter-server",
               "asynchronous SGD with parameter servers, with its staleness",
               [] { return std::make_unique<const AsynchronousServers>(); });
}

}  // namespace paceline

// The words for a network whose connections carry less than its cards could, and the way back from
// them: a report carries the words of what limits it, not the fabric.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/hardware/link_spec.h"

namespace paceline {

// "2 tcp connections of each machine (25gbe, 1.25 GB/s each)": the limiting hop of a network, whose
// per_flow must have a value.
std::string connection_limit(int connections, const LinkSpec& network);

// "2 tcp connections carry 2.50 GB/s of the 2.94 GB/s of 25gbe: --set connections=3 is what it
// needs, ...", with the transports that have no such limit. `cards`: what all cards of a machine
// carry.
std::string connection_remedy(int connections, const LinkSpec& network, BytesPerSecond cards);

// The number of connections in a text that one of the two above made; nothing for any other.
std::optional<int> limiting_connections(std::string_view text);

}  // namespace paceline

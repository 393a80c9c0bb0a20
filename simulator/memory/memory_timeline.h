// What is alive when: the tape as counters beside the spans of a simulated iteration, and as a
// plot of its own.
#pragma once

#include <string>
#include <vector>

#include "model/plan/report.h"
#include "simulator/memory/memory_tape.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// Adds one counter per kind ("memory/feature maps", in bytes) to a timeline whose spans carry phase
// and layer: what an operation allocates shows from its start on, what it frees from its end on.
// `group` is the process in viewers ("gpu0"). Iterations of the timeline repeat the tape.
void add_memory_counters(const MemoryTape& tape, const std::string& group, Timeline& timeline);

// The most that is alive during each step of the tape, by kind.
std::vector<MemoryTape::Usage> usage_during_steps(const MemoryTape& tape);

// A stacked area chart (SVG) over the operations of one iteration, in issue order, with the
// device's capacity if it is of the same order; `title` stands above.
std::string memory_plot_svg(const MemoryTape& tape, const MemoryUse& use, const std::string& title);

}  // namespace paceline

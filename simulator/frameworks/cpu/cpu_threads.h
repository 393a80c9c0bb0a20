// Frameworks of 2016 on a CPU: the network in PyTorch's kernels, with the threads that each
// framework lets them use (docs/models/frameworks.md, "On CPUs").
#pragma once

#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline {

// PyTorch's record with the convolutions of `rules`.
FrameworkRecord cpu_record(const CpuRules& rules);

// Gives each call of the iteration the threads that the framework has for it; `threads` are those
// of the job. Images that are worked on in parallel are as many rounds as it takes, an image to
// each thread: the last round takes as long if some have none.
void use_threads(const CpuRules& rules, int threads, IssuedIteration& iteration);

}  // namespace paceline

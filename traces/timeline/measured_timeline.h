// A timeline that was measured: what an imported profile becomes, and the file it is kept in
// ("paceline.timeline/1", docs/file-formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "traces/timeline/timeline.h"

namespace paceline {

// One top-level operator of the forward pass; Label::layer is an index into a list of them.
struct MeasuredLayer {
  std::string operation;  // "aten::conv2d"
  std::string module;     // of the network, "Conv2d_3"; empty if the profile does not say
  std::string shape;      // sizes of the operands; likewise
  bool operator==(const MeasuredLayer&) const = default;
};

struct MeasuredTimeline {
  Provenance provenance;
  std::string source;                // "kineto"
  std::vector<std::string> devices;  // names of the GPUs; empty if the work ran on the host
  std::vector<MeasuredLayer> layers;
  // Wall time of the iterations that the profile marks as whole, of the first rank.
  std::vector<double> iterations_s;
  std::vector<std::string> warnings;
  Timeline timeline;
};

// What one layer took in an iteration: the median over whole iterations, of the first rank, without
// the first one where there are more than two (it allocates and chooses algorithms). Device work if
// there is any, else host time. Work that overlaps counts once.
struct LayerTime {
  Seconds forward;
  Seconds backward;
};
// One per layer of `measured.layers`.
std::vector<LayerTime> layer_times(const MeasuredTimeline& measured);

// The same for work that belongs to no layer.
struct OtherTimes {
  Seconds optimizer;
  Seconds communication;
  Seconds copies;
  Seconds unattributed;
};
OtherTimes other_times(const MeasuredTimeline& measured);

// Throws InputError as all readers do; a span must lie on a track, an index inside its list.
MeasuredTimeline read_timeline(const std::filesystem::path& file);
void write_timeline(const std::filesystem::path& file, const MeasuredTimeline& measured);

}  // namespace paceline

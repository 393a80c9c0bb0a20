// What the readers of recordings of one device (recording.h) and of several workers
// (cluster_recording.h) have in common. Each function reads its keys and leaves `finish()` to the
// caller, who may know more.
#pragma once

#include "core/json_reader.h"
#include "traces/recording/recording.h"

namespace paceline {

RecordedExperiment read_recorded_experiment(JsonObject& object);

// Whether a round must say how long its phases took; not every framework can tell them apart.
enum class Phases { kRequired, kOptional };
RecordedRound read_recorded_round(JsonObject& object, Phases phases);

// How it was recorded; for people, so only its form is checked.
void check_protocol(JsonObject& object);

// Status, reason and derived summary of a run whose rounds are known. Throws InputError if the
// status contradicts the rounds.
void read_run_status(JsonObject& object, RecordedRun& run);

// Where, what and how: the members of the file besides its runs.
void read_recording_facts(JsonObject& root, std::string_view text, const std::string& name,
                          Recording& recording);

}  // namespace paceline

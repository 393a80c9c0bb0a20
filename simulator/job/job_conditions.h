// How the machine of a job may differ from what its parameters say. A prediction has the default
// of each; an interval comes from simulating the job again under others (report/job_interval.h).
#pragma once

namespace paceline {

// Standard deviations of ln(rate) of what carries no fit of its own
// (model/catalog/strategies/constants.json, each with its source).
struct JobPriors {
  double measured_link = 0;   // somebody has measured copies over such a link
  double assumed_link = 0;    // its rate follows from a data sheet, or was typed
  double processors = 0;      // additions in host memory
  double server_process = 0;  // what a server's process passes on
};

struct JobConditions {
  // Factors on times: of all that devices compute, and of all messages, copies and additions.
  double computing = 1;
  double communication = 1;
  // By how many of its own standard deviations each takes longer than its model says.
  double messages = 0;    // collectives
  double links = 0;       // copies
  double processors = 0;  // additions by processors, processes of servers
  double contention = 0;  // what a collective takes of its device (Contention::sd)

  bool operator==(const JobConditions&) const = default;
};

// Which conditions a simulation has asked for. Others cannot change it; that of computing is in
// every task of a device.
struct ConditionsRead {
  bool communication = false;
  bool messages = false;
  bool links = false;
  bool processors = false;
  bool contention = false;

  // Whether a simulation under `conditions` may differ from one under the default ones.
  bool may_decide(const JobConditions& conditions) const {
    const JobConditions expected;
    return conditions.computing != expected.computing ||
           (communication && conditions.communication != expected.communication) ||
           (messages && conditions.messages != expected.messages) ||
           (links && conditions.links != expected.links) ||
           (processors && conditions.processors != expected.processors) ||
           (contention && conditions.contention != expected.contention);
  }
};

}  // namespace paceline

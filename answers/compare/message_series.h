// A strategy as a series of all-reduces beside the backward pass of one device: what a sweep needs
// of it to predict its job on any cluster in closed form (closed_form.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "answers/compare/closed_form.h"
#include "model/plan/report.h"
#include "simulator/job/contention.h"
#include "simulator/job/simulate_job.h"
#include "simulator/report/job_interval.h"

namespace paceline {

using MessageCosts = std::span<const CollectiveCost>;

struct MessageSeries {
  StepParts step;
  std::vector<ReadyMessage> messages;
  std::optional<Contention> contention;
  ComputeSegment backward;  // all of one pass: what bounds it

  std::vector<Bytes> sizes() const;
  // The recurrence under other conditions of the job; messages cost what `costs` say.
  ClosedForm under(const MessageCosts& costs, const JobConditions& conditions) const;
  // What `alone` says of one device of the job, of all of it. `known`: what is not known of it but
  // the computing, which `alone` tells.
  Report report(Report alone, const MessageCosts& costs, JobKnowledge known,
                const std::string& narrowing) const;
};

// From a job whose messages take no time, so that they start when they are ready: what is not
// between the first and the last of them is the same on every cluster. Nothing if there are none,
// or the first to be issued is not the first to start.
std::optional<MessageSeries> message_series(const JobResult& without_messages);

}  // namespace paceline

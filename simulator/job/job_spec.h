// A job of several devices as strategies see it, and what it sends.
#pragma once

#include "model/collective/collective.h"
#include "model/cost/cost_model.h"
#include "model/hardware/machine_spec.h"
#include "simulator/job/compute_profile.h"
#include "simulator/job/contention.h"
#include "simulator/job/core_pool.h"
#include "simulator/job/crowding.h"
#include "simulator/job/job_conditions.h"
#include "simulator/task/task.h"

namespace paceline {

// What a strategy works on.
struct JobSpec {
  ClusterSpec cluster;
  CollectiveGroup group;  // the ranks of the job: whole machines, or part of one
  ComputeProfile profile;
  // Prices of further kernels on one device.
  const CostModel* costs = nullptr;
  ExecutionContext context;
  BytesPerSecond processor_rate;  // one thread copying in host memory
  bool on_processors = false;     // devices are CPUs: Gloo runs their collectives
  // All workers and servers are processes of one host.
  std::optional<SharedCores> shared_cores{};
  std::optional<Contention> contention{};  // what collectives take from kernels; none: nothing
  JobPriors priors{};
  Crowding crowding{};  // of what workers share that wait for nobody
  JobConditions conditions{};

  int ranks() const { return group.ranks(); }
};

// One collective call or copy between ranks, as a report lists it.
struct SentMessage {
  Bytes bytes;
  int iteration = 0;
  TaskId first{};
  TaskId last{};
};

}  // namespace paceline

// Adds the messages of a collective to a task graph.
#pragma once

#include <initializer_list>
#include <span>

#include "simulator/task/task_graph_builder.h"

namespace paceline {

// The endpoint that stands for the reducing switch of NVLS or SHARP.
inline constexpr int kSwitchRank = -1;

// Routes between ranks on some platform.
class CollectiveNetwork {
 public:
  virtual ~CollectiveNetwork() = default;
  // One of `channels` equal shares of the way from one rank to another (or kSwitchRank). The same
  // arguments give the same route.
  virtual RouteId route(int from, int to, int channels) = 0;
};

class CollectiveEmitter {
 public:
  // `label` is put on every message, with the sender as rank.
  CollectiveEmitter(TaskGraphBuilder& builder, CollectiveNetwork& network, Label label)
      : builder_(&builder), network_(&network), label_(label) {}

  TaskId send(int from, int to, Bytes bytes, std::span<const TaskId> after, int channels = 1) {
    Label label = label_;
    label.kind = SpanKind::kCommunicate;
    label.rank = from;
    bytes_ += bytes;
    return builder_->add(
        transfer_task(bytes, network_->route(from, to, channels), kNoResource, label), after);
  }
  TaskId send(int from, int to, Bytes bytes, std::initializer_list<TaskId> after,
              int channels = 1) {
    return send(from, to, bytes, std::span<const TaskId>(after.begin(), after.size()), channels);
  }
  // Ends when all of `after` have.
  TaskId join(std::span<const TaskId> after) { return builder_->join(after, label_); }

  Bytes bytes_sent() const { return bytes_; }

 private:
  TaskGraphBuilder* builder_;
  CollectiveNetwork* network_;
  Label label_;
  Bytes bytes_;
};

}  // namespace paceline

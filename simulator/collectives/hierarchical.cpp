// Hierarchical all-reduce: reduce-scatter inside each machine, ring all-reduce of each shard
// between the machines (all shards at once, sharing the network), all-gather inside.
#include "simulator/collectives/collective_algorithm.h"
#include "simulator/collectives/ring_pass.h"

namespace paceline {
namespace {

class Hierarchical : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    return shape.op == CollectiveOp::kAllReduce ? "" : "the hierarchy runs all-reduce";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    const CollectiveGroup& group = shape.group;
    const formula::LinkCost<double> shard{links.network.latency,
                                          links.network.rate / group.per_machine};
    return Seconds(formula::hierarchical_all_reduce_time(group.machines, group.per_machine,
                                                         shape.bytes.si(), links.inner, shard));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    const CollectiveGroup& group = shape.group;
    const double inside = 2.0 * (group.per_machine - 1) * group.machines;
    const double between = 2.0 * (group.machines - 1);
    return shape.bytes * (inside + between);
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const CollectiveGroup& group = shape.group;
    const Bytes shard = shape.bytes / group.per_machine;
    std::vector<TaskId> done(after.begin(), after.end());
    pass_inside(group, shard, done, emitter);
    for (int pass = 0; pass < 2; ++pass) {
      for (int device = 0; device < group.per_machine; ++device) {
        std::vector<int> ring;
        for (int machine = 0; machine < group.machines; ++machine) {
          ring.push_back(machine * group.per_machine + device);
        }
        pass_round(ring, shard / group.machines, group.per_machine, done, emitter);
      }
    }
    pass_inside(group, shard, done, emitter);
    return done;
  }

 private:
  static void pass_inside(const CollectiveGroup& group, Bytes piece, std::vector<TaskId>& done,
                          CollectiveEmitter& emitter) {
    for (int machine = 0; machine < group.machines; ++machine) {
      std::vector<int> ring;
      for (int device = 0; device < group.per_machine; ++device) {
        ring.push_back(machine * group.per_machine + device);
      }
      pass_round(ring, piece, 1, done, emitter);
    }
  }

  static void pass_round(const std::vector<int>& ring, Bytes piece, int channels,
                         std::vector<TaskId>& done, CollectiveEmitter& emitter) {
    std::vector<TaskId> after;
    for (const int rank : ring) after.push_back(done[static_cast<std::size_t>(rank)]);
    const std::vector<TaskId> passed = emit_ring_pass(ring, piece, channels, after, emitter);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      done[static_cast<std::size_t>(ring[i])] = passed[i];
    }
  }
};

}  // namespace

void register_hierarchical(CollectiveRegistry& registry) {
  registry.add("hierarchical", "rings inside machines, then between them",
               [] { return std::make_unique<Hierarchical>(); });
}

}  // namespace paceline

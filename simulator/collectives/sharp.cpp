// SHARP: reduce-scatter inside each machine, each shard added by the network's switches, all-gather
// inside.
#include "simulator/collectives/collective_algorithm.h"
#include "simulator/collectives/ring_pass.h"

namespace paceline {
namespace {

class Sharp : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    if (shape.op != CollectiveOp::kAllReduce) return "SHARP runs all-reduce";
    return shape.group.machines > 1 ? "" : "SHARP needs several machines";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    const int inside = shape.group.per_machine;
    const double shard = shape.bytes.si() / inside;
    const formula::LinkCost<double> share{links.network.latency, links.network.rate / inside};
    const double rings =
        inside > 1 ? formula::ring_all_reduce_time(inside, shape.bytes.si(), links.inner) : 0;
    return Seconds(rings + formula::switch_reduction_time(shape.chunks, shard, share));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    const double inside = 2.0 * (shape.group.per_machine - 1) * shape.group.machines;
    return shape.bytes * (inside + 2.0 * shape.group.machines);
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    std::vector<TaskId> done(after.begin(), after.end());
    pass_inside(shape, done, emitter);
    const int inside = shape.group.per_machine;
    const Bytes piece = shape.bytes / (static_cast<double>(inside) * shape.chunks);
    for (int device = 0; device < inside; ++device) {
      std::vector<TaskId> up;
      for (int machine = 0; machine < shape.group.machines; ++machine) {
        up.push_back(done[at(shape, machine, device)]);
      }
      std::vector<TaskId> down = up;
      for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        for (std::size_t machine = 0; machine < up.size(); ++machine) {
          const auto rank = static_cast<int>(at(shape, static_cast<int>(machine), device));
          up[machine] = emitter.send(rank, kSwitchRank, piece, {up[machine]}, inside);
        }
        const TaskId sum = emitter.join(up);
        for (std::size_t machine = 0; machine < up.size(); ++machine) {
          const auto rank = static_cast<int>(at(shape, static_cast<int>(machine), device));
          down[machine] = emitter.send(kSwitchRank, rank, piece, {sum, down[machine]}, inside);
        }
      }
      for (std::size_t machine = 0; machine < up.size(); ++machine) {
        done[at(shape, static_cast<int>(machine), device)] = down[machine];
      }
    }
    pass_inside(shape, done, emitter);
    return done;
  }

 private:
  static std::size_t at(const CollectiveShape& shape, int machine, int device) {
    return static_cast<std::size_t>(machine * shape.group.per_machine + device);
  }

  static void pass_inside(const CollectiveShape& shape, std::vector<TaskId>& done,
                          CollectiveEmitter& emitter) {
    for (int machine = 0; machine < shape.group.machines; ++machine) {
      std::vector<int> ring;
      std::vector<TaskId> after;
      for (int device = 0; device < shape.group.per_machine; ++device) {
        ring.push_back(static_cast<int>(at(shape, machine, device)));
        after.push_back(done[at(shape, machine, device)]);
      }
      const Bytes piece = shape.bytes / shape.group.per_machine;
      const std::vector<TaskId> passed = emit_ring_pass(ring, piece, 1, after, emitter);
      for (std::size_t i = 0; i < ring.size(); ++i) {
        done[static_cast<std::size_t>(ring[i])] = passed[i];
      }
    }
  }
};

}  // namespace

void register_sharp(CollectiveRegistry& registry) {
  registry.add("sharp", "rings inside machines, the network's switches add between them",
               [] { return std::make_unique<Sharp>(); });
}

}  // namespace paceline

// Reduction in the switch (NVLS; SHARP with one rank per machine): every rank sends its chunk up,
// the switch adds, and sends the sum down to all, chunk after chunk.
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class SwitchReduction : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    return shape.op == CollectiveOp::kAllReduce ? "" : "the switch reduces for all-reduce";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(formula::switch_reduction_time(shape.chunks, shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * (2.0 * shape.ranks());
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const Bytes piece = shape.bytes / shape.chunks;
    std::vector<TaskId> up(after.begin(), after.end());
    std::vector<TaskId> down(after.begin(), after.end());
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      for (int rank = 0; rank < shape.ranks(); ++rank) {
        TaskId& last = up[static_cast<std::size_t>(rank)];
        last = emitter.send(rank, kSwitchRank, piece, {last});
      }
      const TaskId sum = emitter.join(up);
      for (int rank = 0; rank < shape.ranks(); ++rank) {
        TaskId& last = down[static_cast<std::size_t>(rank)];
        last = emitter.send(kSwitchRank, rank, piece, {sum, last});
      }
    }
    return down;
  }
};

}  // namespace

void register_switch_reduction(CollectiveRegistry& registry) {
  registry.add("nvls", "the switch adds; every rank sends and receives its data once",
               [] { return std::make_unique<SwitchReduction>(); });
}

}  // namespace paceline

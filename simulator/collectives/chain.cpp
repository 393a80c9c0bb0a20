// Chain: broadcast and reduce along the ranks in chunks, each rank passing a chunk on while it
// receives the next (NCCL's ring broadcast and reduce).
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class Chain : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    const bool known = shape.op == CollectiveOp::kBroadcast || shape.op == CollectiveOp::kReduce;
    return known ? "" : "a chain runs broadcast and reduce";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(formula::chain_time(shape.ranks(), shape.chunks, shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * static_cast<double>(shape.ranks() - 1);
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const int n = shape.ranks();
    std::vector<TaskId> done(after.begin(), after.end());
    std::vector<TaskId> last_sent(after.begin(), after.end());
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      std::vector<TaskId> arrived(after.begin(), after.end());
      for (int hop = 0; hop + 1 < n; ++hop) {
        const auto from = static_cast<std::size_t>(rank_of(shape, hop));
        const auto to = static_cast<std::size_t>(rank_of(shape, hop + 1));
        const TaskId message =
            emitter.send(static_cast<int>(from), static_cast<int>(to), shape.bytes / shape.chunks,
                         {arrived[from], last_sent[from], after[to]});
        arrived[to] = last_sent[from] = done[from] = done[to] = message;
      }
    }
    return done;
  }

 private:
  // Broadcast starts at the root, reduce ends there.
  static int rank_of(const CollectiveShape& shape, int position) {
    const int n = shape.ranks();
    const int from_root = shape.op == CollectiveOp::kBroadcast ? position : n - 1 - position;
    return (from_root + shape.root) % n;
  }
};

}  // namespace

void register_chain(CollectiveRegistry& registry) {
  registry.add("chain", "chunks passed along a chain of ranks",
               [] { return std::make_unique<Chain>(); });
}

}  // namespace paceline

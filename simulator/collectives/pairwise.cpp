// Pairwise exchange: all-to-all in n - 1 rounds, in round k with the k-th rank further on;
// send-recv is a single message from rank 0 to rank 1.
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class Pairwise : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    const bool known = shape.op == CollectiveOp::kAllToAll || shape.op == CollectiveOp::kSendRecv;
    return known ? "" : "pairwise exchange runs all-to-all and send-recv";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    if (shape.op == CollectiveOp::kSendRecv) {
      return Seconds(formula::message_time(shape.bytes.si(), links.inner));
    }
    return Seconds(formula::ring_pass_time(shape.ranks(), shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    if (shape.op == CollectiveOp::kSendRecv) return shape.bytes;
    return shape.bytes * static_cast<double>(shape.ranks() - 1);
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    std::vector<TaskId> done(after.begin(), after.end());
    if (shape.op == CollectiveOp::kSendRecv) {
      const TaskId message = emitter.send(0, 1, shape.bytes, {after[0], after[1]});
      done[0] = done[1] = message;
      return done;
    }
    const int n = shape.ranks();
    for (int round = 1; round < n; ++round) {
      std::vector<TaskId> messages(done.size());
      for (int rank = 0; rank < n; ++rank) {
        const int to = (rank + round) % n;
        messages[at(rank)] =
            emitter.send(rank, to, shape.bytes / n, {done[at(rank)], done[at(to)]});
      }
      for (int rank = 0; rank < n; ++rank) {
        const TaskId both[] = {messages[at(rank)], messages[at((rank + n - round) % n)]};
        done[at(rank)] = emitter.join(both);
      }
    }
    return done;
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
};

}  // namespace

void register_pairwise(CollectiveRegistry& registry) {
  registry.add("pairwise", "every pair of ranks exchanges its piece, one pair at a time",
               [] { return std::make_unique<Pairwise>(); });
}

}  // namespace paceline

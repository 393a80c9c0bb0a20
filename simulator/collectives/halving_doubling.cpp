// Recursive halving and doubling (Gloo, MPI): reduce-scatter by exchanging halves with partners at
// distance 1, 2, 4, ..., all-gather the same way back. Ranks beyond a power of two fold in first.
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class HalvingDoubling : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    return shape.op == CollectiveOp::kAllReduce ? "" : "halving-doubling runs all-reduce";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(formula::halving_doubling_time(shape.ranks(), shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    const int folded = folded_ranks(shape);
    return shape.bytes * (2.0 * (folded - 1) + 2.0 * (shape.ranks() - folded));
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const int folded = folded_ranks(shape);
    std::vector<TaskId> done(after.begin(), after.end());
    for (int rank = folded; rank < shape.ranks(); ++rank) {
      move(rank, rank - folded, shape.bytes, done, emitter);
    }
    Bytes piece = shape.bytes;
    for (int distance = 1; distance < folded; distance *= 2) {
      piece /= 2;
      exchange(folded, distance, piece, done, emitter);
    }
    for (int distance = folded / 2; distance > 0; distance /= 2) {
      exchange(folded, distance, piece, done, emitter);
      piece *= 2;
    }
    for (int rank = folded; rank < shape.ranks(); ++rank) {
      move(rank - folded, rank, shape.bytes, done, emitter);
    }
    return done;
  }

 private:
  static int folded_ranks(const CollectiveShape& shape) {
    return 1 << formula::floor_log2(shape.ranks());
  }

  static void move(int from, int to, Bytes bytes, std::vector<TaskId>& done,
                   CollectiveEmitter& emitter) {
    TaskId& sender = done[static_cast<std::size_t>(from)];
    TaskId& receiver = done[static_cast<std::size_t>(to)];
    sender = receiver = emitter.send(from, to, bytes, {sender, receiver});
  }

  static void exchange(int ranks, int distance, Bytes bytes, std::vector<TaskId>& done,
                       CollectiveEmitter& emitter) {
    for (int low = 0; low < ranks; ++low) {
      if ((low & distance) != 0) continue;
      TaskId& a = done[static_cast<std::size_t>(low)];
      TaskId& b = done[static_cast<std::size_t>(low + distance)];
      const TaskId both[] = {emitter.send(low, low + distance, bytes, {a, b}),
                             emitter.send(low + distance, low, bytes, {a, b})};
      a = b = emitter.join(both);
    }
  }
};

}  // namespace

void register_halving_doubling(CollectiveRegistry& registry) {
  registry.add("halving-doubling", "recursive halving, then recursive doubling",
               [] { return std::make_unique<HalvingDoubling>(); });
}

}  // namespace paceline

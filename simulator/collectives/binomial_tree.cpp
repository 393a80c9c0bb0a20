// Binomial tree, whole messages: broadcast from a root and reduce to it in ceil(log2 n) rounds;
// all-reduce as one after the other (Caffe's P2PSync; MPI for short messages).
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class BinomialTree : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    const bool known = shape.op == CollectiveOp::kBroadcast || shape.op == CollectiveOp::kReduce ||
                       shape.op == CollectiveOp::kAllReduce;
    return known ? "" : "a binomial tree runs broadcast, reduce and all-reduce";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(passes(shape) *
                   formula::binomial_tree_time(shape.ranks(), shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * (passes(shape) * (shape.ranks() - 1));
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    std::vector<TaskId> done(after.begin(), after.end());
    if (shape.op != CollectiveOp::kBroadcast) reduce(shape, done, emitter);
    if (shape.op != CollectiveOp::kReduce) broadcast(shape, done, emitter);
    return done;
  }

 private:
  static double passes(const CollectiveShape& shape) {
    return shape.op == CollectiveOp::kAllReduce ? 2 : 1;
  }

  // Rank of the position `index` counted from the root.
  static int rank_of(const CollectiveShape& shape, int index) {
    return (index + shape.root) % shape.ranks();
  }

  // In the round of `distance`, positions that are odd multiples of it send to the one below.
  static void reduce(const CollectiveShape& shape, std::vector<TaskId>& done,
                     CollectiveEmitter& emitter) {
    for (int distance = 1; distance < shape.ranks(); distance *= 2) {
      for (int index = distance; index < shape.ranks(); index += 2 * distance) {
        const auto from = static_cast<std::size_t>(rank_of(shape, index));
        const auto to = static_cast<std::size_t>(rank_of(shape, index - distance));
        const TaskId message = emitter.send(static_cast<int>(from), static_cast<int>(to),
                                            shape.bytes, {done[from], done[to]});
        done[from] = done[to] = message;
      }
    }
  }

  static void broadcast(const CollectiveShape& shape, std::vector<TaskId>& done,
                        CollectiveEmitter& emitter) {
    for (int distance = 1 << (formula::ceil_log2(shape.ranks()) - 1); distance > 0; distance /= 2) {
      for (int index = distance; index < shape.ranks(); index += 2 * distance) {
        const auto from = static_cast<std::size_t>(rank_of(shape, index - distance));
        const auto to = static_cast<std::size_t>(rank_of(shape, index));
        const TaskId message = emitter.send(static_cast<int>(from), static_cast<int>(to),
                                            shape.bytes, {done[from], done[to]});
        done[from] = done[to] = message;
      }
    }
  }
};

}  // namespace

void register_binomial_tree(CollectiveRegistry& registry) {
  registry.add("binomial-tree", "whole messages up and down a binomial tree",
               [] { return std::make_unique<BinomialTree>(); });
}

}  // namespace paceline

// Ring: reduce-scatter and all-gather in n - 1 steps of s/n, all-reduce as both one after the
// other.
#include <numeric>

#include "simulator/collectives/collective_algorithm.h"
#include "simulator/collectives/ring_pass.h"

namespace paceline {
namespace {

class Ring : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    const bool known = shape.op == CollectiveOp::kAllReduce ||
                       shape.op == CollectiveOp::kReduceScatter ||
                       shape.op == CollectiveOp::kAllGather;
    return known ? "" : "a ring runs all-reduce, reduce-scatter and all-gather";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(passes(shape) *
                   formula::ring_pass_time(shape.ranks(), shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * (passes(shape) * (shape.ranks() - 1));
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    std::vector<int> members(static_cast<std::size_t>(shape.ranks()));
    std::iota(members.begin(), members.end(), 0);
    const Bytes piece = shape.bytes / shape.ranks();
    std::vector<TaskId> done(after.begin(), after.end());
    for (int pass = 0; pass < passes(shape); ++pass) {
      done = emit_ring_pass(members, piece, 1, done, emitter);
    }
    return done;
  }

 private:
  static int passes(const CollectiveShape& shape) {
    return shape.op == CollectiveOp::kAllReduce ? 2 : 1;
  }
};

}  // namespace

void register_ring(CollectiveRegistry& registry) {
  registry.add("ring", "reduce-scatter, then all-gather, round a ring",
               [] { return std::make_unique<Ring>(); });
}

}  // namespace paceline

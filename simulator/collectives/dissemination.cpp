// Dissemination (the schedule behind NCCL's PAT): all-gather in ceil(log2 n) steps, in step k from
// the rank 2^k further on as much as is known there; reduce-scatter is its mirror image.
#include <algorithm>

#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class Dissemination : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    const bool known =
        shape.op == CollectiveOp::kAllGather || shape.op == CollectiveOp::kReduceScatter;
    return known ? "" : "dissemination runs all-gather and reduce-scatter";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(formula::dissemination_time(shape.ranks(), shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * static_cast<double>(shape.ranks() - 1);
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const int n = shape.ranks();
    std::vector<int> distances;
    for (int distance = 1; distance < n; distance *= 2) distances.push_back(distance);
    if (shape.op == CollectiveOp::kReduceScatter) std::ranges::reverse(distances);
    std::vector<TaskId> done(after.begin(), after.end());
    for (const int distance : distances) {
      const Bytes piece = shape.bytes / n * static_cast<double>(std::min(distance, n - distance));
      std::vector<TaskId> messages(done.size());
      for (int rank = 0; rank < n; ++rank) {
        const auto from = static_cast<std::size_t>(rank);
        const auto to = static_cast<std::size_t>((rank + n - distance) % n);
        messages[from] = emitter.send(rank, static_cast<int>(to), piece, {done[from], done[to]});
      }
      for (int rank = 0; rank < n; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        const TaskId both[] = {messages[at],
                               messages[static_cast<std::size_t>((rank + distance) % n)]};
        done[at] = emitter.join(both);
      }
    }
    return done;
  }
};

}  // namespace

void register_dissemination(CollectiveRegistry& registry) {
  registry.add("pat", "dissemination in a logarithmic number of steps, as NCCL's PAT",
               [] { return std::make_unique<Dissemination>(); });
}

}  // namespace paceline

// Double binary tree: two complementary trees, each with half of the data and half of the links,
// reduced to their roots and broadcast back in chunks, both directions at once (NCCL's tree).
#include <array>

#include "model/formula/binary_tree.h"
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class DoubleBinaryTree : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    return shape.op == CollectiveOp::kAllReduce ? "" : "the double binary tree runs all-reduce";
  }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    const int depth = formula::tree_depth(formula::in_order_tree(shape.ranks()));
    return Seconds(
        formula::double_binary_tree_time(depth, shape.chunks, shape.bytes.si(), links.inner));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * (2.0 * (shape.ranks() - 1));
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const int n = shape.ranks();
    std::array<std::vector<TaskId>, 2> done;
    for (const std::size_t half : {0u, 1u}) {
      Pass pass{half == 0 ? formula::in_order_tree(n) : formula::complementary_tree(n),
                shape.bytes / (2.0 * shape.chunks),
                {after.begin(), after.end()},
                {after.begin(), after.end()},
                {after.begin(), after.end()}};
      done[half].assign(after.begin(), after.end());
      for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        const TaskId reduced = reduce(pass, root_of(pass.tree), after, emitter);
        broadcast(pass, root_of(pass.tree), reduced, done[half], emitter);
      }
    }
    std::vector<TaskId> out;
    for (int rank = 0; rank < n; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      const TaskId both[] = {done[0][at], done[1][at]};
      out.push_back(emitter.join(both));
    }
    return out;
  }

 private:
  static constexpr int kChannels = 2;

  struct Pass {
    std::vector<formula::TreeNode> tree;
    Bytes piece;
    // Last message on the link to the parent, from it, by rank.
    std::vector<TaskId> last_up;
    std::vector<TaskId> last_down;
    std::vector<TaskId> done;
  };

  static int root_of(const std::vector<formula::TreeNode>& tree) {
    for (std::size_t rank = 0; rank < tree.size(); ++rank) {
      if (tree[rank].parent < 0) return static_cast<int>(rank);
    }
    return 0;
  }

  // Sends the chunk from all below `rank` to it; returns when it holds their sum.
  static TaskId reduce(Pass& pass, int rank, std::span<const TaskId> after,
                       CollectiveEmitter& emitter) {
    std::vector<TaskId> ready{after[static_cast<std::size_t>(rank)]};
    for (const int child : pass.tree[static_cast<std::size_t>(rank)].children) {
      const TaskId below = reduce(pass, child, after, emitter);
      TaskId& link = pass.last_up[static_cast<std::size_t>(child)];
      link = emitter.send(child, rank, pass.piece, {below, link}, kChannels);
      ready.push_back(link);
    }
    return emitter.join(ready);
  }

  static void broadcast(Pass& pass, int rank, TaskId holds, std::vector<TaskId>& done,
                        CollectiveEmitter& emitter) {
    std::vector<TaskId> sent{holds};
    for (const int child : pass.tree[static_cast<std::size_t>(rank)].children) {
      TaskId& link = pass.last_down[static_cast<std::size_t>(child)];
      link = emitter.send(rank, child, pass.piece, {holds, link}, kChannels);
      sent.push_back(link);
      broadcast(pass, child, link, done, emitter);
    }
    done[static_cast<std::size_t>(rank)] = emitter.join(sent);
  }
};

}  // namespace

void register_double_binary_tree(CollectiveRegistry& registry) {
  registry.add("tree", "double binary tree in chunks",
               [] { return std::make_unique<DoubleBinaryTree>(); });
}

}  // namespace paceline

// Which ranks of a job do exactly the same at the same times, so that one of each class need be
// simulated. docs/models/engine.md says why the result is the same.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace paceline {

class RankClasses {
 public:
  // Every rank by itself: the full simulation.
  static RankClasses each(std::int32_t ranks);
  // The coarsest partition in which ranks of one class have equal `colors` (whatever makes ranks
  // differ: device, load, stage) and, for each relation k, partners of one class. `partner(rank,
  // k)` for k < relations is the rank it receives from or shares a link with in relation k, or
  // itself. Found by refining colors until nothing splits: O(ranks * relations) for each round, and
  // as many rounds as a difference needs to travel through the network.
  static RankClasses find(std::span<const std::uint64_t> colors, int relations,
                          const std::function<std::int32_t(std::int32_t, int)>& partner);

  std::int32_t ranks() const { return static_cast<std::int32_t>(class_of_.size()); }
  // One rank of each class, the lowest; in ascending order.
  std::span<const std::int32_t> representatives() const { return representatives_; }
  // Index into representatives().
  std::int32_t class_of(std::int32_t rank) const {
    return class_of_[static_cast<std::size_t>(rank)];
  }
  // The number of ranks that do what this one does.
  std::int32_t multiplicity(std::int32_t rank) const {
    return members_[static_cast<std::size_t>(class_of(rank))];
  }

 private:
  // `colors` number the classes from 0 in order of their lowest rank.
  explicit RankClasses(std::vector<std::int32_t> class_of);

  std::vector<std::int32_t> class_of_;
  std::vector<std::int32_t> representatives_;
  std::vector<std::int32_t> members_;
};

// The weight with which the flow of a class uses a shared resource, when one flow stands for all:
// the sum of the weights with which members of the class use that resource. `weight_of(rank)` is
// the weight of one member's own flow, 0 if it does not use the resource.
double class_weight(const RankClasses& classes, std::int32_t representative,
                    const std::function<double(std::int32_t)>& weight_of);

}  // namespace paceline

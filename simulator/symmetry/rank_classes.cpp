#include "simulator/symmetry/rank_classes.h"

#include <numeric>
#include <unordered_map>

#include "core/error.h"

namespace paceline {
namespace {

// Numbers distinct keys in order of first appearance.
class Numbering {
 public:
  std::int32_t operator()(std::uint64_t key) {
    return numbers_.try_emplace(key, static_cast<std::int32_t>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 |
         static_cast<std::uint32_t>(b);
}

}  // namespace

RankClasses::RankClasses(std::vector<std::int32_t> class_of) : class_of_(std::move(class_of)) {
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    const auto group = static_cast<std::size_t>(class_of_[static_cast<std::size_t>(rank)]);
    if (group == members_.size()) {
      members_.push_back(0);
      representatives_.push_back(rank);
    }
    members_[group] += 1;
  }
}

RankClasses RankClasses::each(std::int32_t ranks) {
  PACELINE_ASSERT(ranks > 0, "a job has at least one rank");
  std::vector<std::int32_t> class_of(static_cast<std::size_t>(ranks));
  std::iota(class_of.begin(), class_of.end(), 0);
  return RankClasses(std::move(class_of));
}

RankClasses RankClasses::find(std::span<const std::uint64_t> colors, int relations,
                              const std::function<std::int32_t(std::int32_t, int)>& partner) {
  PACELINE_ASSERT(!colors.empty(), "a job has at least one rank");
  const auto ranks = static_cast<std::int32_t>(colors.size());
  std::vector<std::int32_t> classes;
  Numbering first;
  for (const std::uint64_t color : colors) classes.push_back(first(color));
  std::size_t count = first.size();
  while (count < colors.size()) {
    // A rank's new class is its old one and, one relation after the other, its partner's.
    std::vector<std::int32_t> refined = classes;
    std::size_t refined_count = count;
    for (int relation = 0; relation < relations; ++relation) {
      Numbering numbering;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const std::int32_t other = partner(rank, relation);
        PACELINE_ASSERT(other >= 0 && other < ranks, "a partner is a rank of the job");
        std::int32_t& mine = refined[static_cast<std::size_t>(rank)];
        mine = numbering(pair_key(mine, classes[static_cast<std::size_t>(other)]));
      }
      refined_count = numbering.size();
    }
    classes = std::move(refined);
    if (refined_count == count) break;
    count = refined_count;
  }
  return RankClasses(std::move(classes));
}

double class_weight(const RankClasses& classes, std::int32_t representative,
                    const std::function<double(std::int32_t)>& weight_of) {
  double sum = 0;
  for (std::int32_t rank = 0; rank < classes.ranks(); ++rank) {
    if (classes.class_of(rank) == classes.class_of(representative)) sum += weight_of(rank);
  }
  return sum;
}

}  // namespace paceline

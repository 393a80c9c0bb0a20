#include "simulator/strategies/parts/buckets.h"

namespace paceline {

std::vector<Bucket> ddp_buckets(std::span<const GradientTensor> gradients, Bytes first_limit,
                                Bytes limit) {
  std::vector<Bucket> buckets;
  bool open = false;
  for (std::size_t i = gradients.size(); i-- > 0;) {
    if (!open) buckets.emplace_back();
    Bucket& bucket = buckets.back();
    bucket.gradients.push_back(static_cast<std::uint32_t>(i));
    bucket.bytes += gradients[i].bytes;
    open = bucket.bytes < (buckets.size() == 1 ? first_limit : limit);
  }
  return buckets;
}

}  // namespace paceline

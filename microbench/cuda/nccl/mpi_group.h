// The processes that mpirun started.
#pragma once

#include <string>

#include "microbench/gpu/process_collectives.h"

namespace paceline {

// MPI_Init has been called. Not to be copied: calls of one object must not overlap.
class MpiGroup final : public ProcessGroup {
 public:
  MpiGroup();
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int machines() const override { return machines_; }
  // Number of this process among those of its machine.
  int local_rank() const { return local_rank_; }
  void barrier() override;
  double largest(double own) override;
  std::string first_text(const std::string& own) override;
  // Bytes of rank 0 for all.
  void share(void* data, int bytes);

 private:
  int rank_ = 0, ranks_ = 1, machines_ = 1, local_rank_ = 0;
};

}  // namespace paceline

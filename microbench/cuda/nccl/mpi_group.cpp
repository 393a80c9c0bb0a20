#include "microbench/cuda/nccl/mpi_group.h"

// The C interface only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace paceline {

MpiGroup::MpiGroup() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &local_rank_);
  MPI_Comm_free(&machine);
  const int is_first = local_rank_ == 0 ? 1 : 0;
  MPI_Allreduce(&is_first, &machines_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void MpiGroup::barrier() { MPI_Barrier(MPI_COMM_WORLD); }

double MpiGroup::largest(double own) {
  double out = 0;
  MPI_Allreduce(&own, &out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return out;
}

std::string MpiGroup::first_text(const std::string& own) {
  const int mine = own.empty() ? ranks_ : rank_;
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks_) return "";
  int length = static_cast<int>(own.size());
  MPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
  std::string out = own;
  out.resize(static_cast<std::size_t>(length));
  MPI_Bcast(out.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
  return out;
}

void MpiGroup::share(void* data, int bytes) { MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }

}  // namespace paceline

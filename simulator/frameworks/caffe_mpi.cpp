// Inspur Caffe-MPI, NCCL inside a machine and MPI between machines: all of it is in
// model/catalog/frameworks/caffe-mpi.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_caffe_mpi(FrameworkRegistry& registry) {
  registry.add("caffe-mpi", "Inspur Caffe-MPI, NCCL inside a machine and MPI between machines",
               [] { return make_gpu_framework("caffe-mpi"); });
}

}  // namespace paceline

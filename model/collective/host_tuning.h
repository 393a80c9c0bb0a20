// Which algorithm libraries that work on host memory (MPI, Gloo) use for a collective, and what it
// moves: model/catalog/collectives/host-libraries.json. Their times follow the same formula as
// NCCL's (model/formula/collective_protocol.h) with one channel.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/collective/collective.h"
#include "model/formula/collective_protocol.h"

namespace paceline {

struct HostChoice {
  std::string algorithm;
  // "eager": a message is sent at once; "rendezvous": the receiver is asked first.
  std::string protocol;
};

class HostTuning {
 public:
  // Reads "paceline.host-collectives/1"; throws InputError.
  static HostTuning load(const std::filesystem::path& file);
  static HostTuning shipped();

  std::vector<std::string> names() const;
  // Throws UsageError for an unknown library.
  HostChoice choose(std::string_view library, CollectiveOp op, Bytes bytes, int ranks) const;

 private:
  struct Rule {
    CollectiveOp op = CollectiveOp::kAllReduce;
    double below_bytes = 0;  // 0: any size
    std::string algorithm;
  };
  struct Library {
    std::string name;
    double eager_bytes = 0;  // messages from this size on are asked for first; 0: none is
    std::vector<Rule> rules;
  };
  std::vector<Library> libraries_;
};

// "mpi.all-reduce.ring.eager".
std::string host_fit_name(std::string_view library, CollectiveOp op, const HostChoice& choice);

// Steps, bytes through each rank's link, and bytes each rank reduces or copies (Thakur,
// Rabenseifner, Gropp, IJHPCA 2005). Throws InputError on an algorithm it does not know.
formula::CollectiveProtocol::Input host_input(CollectiveOp op, std::string_view algorithm,
                                              Bytes bytes, int ranks, BytesPerSecond bus_rate);

}  // namespace paceline

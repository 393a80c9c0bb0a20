// Parameter server, one synchronous round: every worker pushes a piece to each server, a server
// that has all pieces sends the sum back. Servers are ranks n .. n + servers - 1.
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {
namespace {

class ParameterServer : public CollectiveAlgorithm {
 public:
  std::string unsupported(const CollectiveShape& shape) const override {
    return shape.op == CollectiveOp::kAllReduce ? "" : "parameter servers run all-reduce";
  }

  bool has_servers() const override { return true; }

  Seconds uncontended_time(const CollectiveShape& shape,
                           const CollectiveLinks& links) const override {
    return Seconds(formula::parameter_server_time(shape.ranks(), shape.servers, shape.bytes.si(),
                                                  links.inner, links.server_rate));
  }

  Bytes total_bytes(const CollectiveShape& shape) const override {
    return shape.bytes * (2.0 * shape.ranks());
  }

  std::vector<TaskId> emit(const CollectiveShape& shape, std::span<const TaskId> after,
                           CollectiveEmitter& emitter) const override {
    const int workers = shape.ranks();
    const Bytes piece = shape.bytes / shape.servers;
    std::vector<std::vector<TaskId>> pulled(after.size());
    std::vector<TaskId> sums;
    for (int server = 0; server < shape.servers; ++server) {
      std::vector<TaskId> pushed;
      for (int worker = 0; worker < workers; ++worker) {
        pushed.push_back(emitter.send(worker, workers + server, piece,
                                      {after[static_cast<std::size_t>(worker)]}));
      }
      sums.push_back(emitter.join(pushed));
    }
    for (int server = 0; server < shape.servers; ++server) {
      for (int worker = 0; worker < workers; ++worker) {
        pulled[static_cast<std::size_t>(worker)].push_back(emitter.send(
            workers + server, worker, piece, {sums[static_cast<std::size_t>(server)]}));
      }
    }
    std::vector<TaskId> done;
    for (const std::vector<TaskId>& pieces : pulled) done.push_back(emitter.join(pieces));
    return done;
  }
};

}  // namespace

void register_parameter_server(CollectiveRegistry& registry) {
  registry.add("parameter-server", "push to servers, pull the sum",
               [] { return std::make_unique<ParameterServer>(); });
}

}  // namespace paceline

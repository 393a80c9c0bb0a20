// Laws that every registered algorithm obeys.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "simulator/collectives/collective_algorithm.h"
#include "simulator/engine/engine.h"

namespace paceline {
namespace {

constexpr formula::LinkCost<double> kInner{3.7e-6, 12.3e9};
constexpr formula::LinkCost<double> kNetwork{9.1e-6, 2.9e9};
constexpr double kServerRate = 7.7e9;
const CollectiveLinks kLinks{kInner, kNetwork, kServerRate};

// Every pair of ranks has links of its own, one per share, so that nothing contends; in `ports`
// mode a rank has one port for each direction instead.
class TestNetwork : public CollectiveNetwork {
 public:
  TestNetwork(Platform& platform, const CollectiveShape& shape, bool ports)
      : platform_(&platform), shape_(shape), ports_(ports) {}

  RouteId route(int from, int to, int channels) override {
    const auto key = std::tuple(from, to, channels);
    if (const auto known = routes_.find(key); known != routes_.end()) return known->second;
    const formula::LinkCost<double>& link = crosses(from, to) ? kNetwork : kInner;
    Route route;
    route.name = std::to_string(from) + ">" + std::to_string(to);
    route.latency = Seconds(link.latency);
    route.rate_cap = BytesPerSecond(link.rate / channels);
    if (ports_) {
      route.uses = {{port(from, true), 1.0}, {port(to, false), 1.0}};
    } else {
      route.uses = {{wire(from, to, BytesPerSecond(link.rate)), 1.0}};
    }
    return routes_[key] = platform_->add_route(route);
  }

 private:
  bool crosses(int from, int to) const {
    if (from == kSwitchRank || to == kSwitchRank) return shape_.group.machines > 1;
    return from / shape_.group.per_machine != to / shape_.group.per_machine &&
           shape_.group.machines > 1;
  }

  ResourceId wire(int from, int to, BytesPerSecond rate) {
    const auto key = std::pair(from, to);
    if (const auto known = wires_.find(key); known != wires_.end()) return known->second;
    return wires_[key] = platform_->add_link("wire", rate);
  }

  ResourceId port(int rank, bool out) {
    const auto key = std::pair(rank, out);
    if (const auto known = ports_of_.find(key); known != ports_of_.end()) return known->second;
    const bool server = rank >= shape_.ranks();
    return ports_of_[key] = platform_->add_link("port" + std::to_string(rank),
                                                BytesPerSecond(server ? kServerRate : kInner.rate));
  }

  Platform* platform_;
  CollectiveShape shape_;
  bool ports_;
  std::map<std::tuple<int, int, int>, RouteId> routes_;
  std::map<std::pair<int, int>, ResourceId> wires_;
  std::map<std::pair<int, bool>, ResourceId> ports_of_;
};

struct EmittedRun {
  TaskGraph graph;
  std::vector<TaskId> start;
  std::vector<TaskId> done;
  Bytes sent;
  SimTime makespan;
};

EmittedRun run(const CollectiveAlgorithm& algorithm, const CollectiveShape& shape, bool ports) {
  Platform platform;
  TestNetwork network(platform, shape, ports);
  TaskGraphBuilder builder;
  EmittedRun out;
  for (int rank = 0; rank < shape.ranks(); ++rank) out.start.push_back(builder.add(fixed_task({})));
  CollectiveEmitter emitter(builder, network, {});
  out.done = algorithm.emit(shape, out.start, emitter);
  out.sent = emitter.bytes_sent();
  out.graph = std::move(builder).build();
  out.makespan = schedule(out.graph, platform).makespan;
  return out;
}

// Messages on the longest chain: each may be rounded to the clock once.
std::int64_t longest_chain(const TaskGraph& graph) {
  std::vector<std::int64_t> depth(graph.size(), 0);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = static_cast<TaskId>(i);
    depth[i] += graph.record(id).work == WorkKind::kTransfer ? 1 : 0;
    longest = std::max(longest, depth[i]);
    for (const TaskId next : graph.successors(id)) {
      auto& after = depth[static_cast<std::size_t>(next)];
      after = std::max(after, depth[i]);
    }
  }
  return longest;
}

// Which ranks' starts each task waits for, as a bit set.
std::vector<std::uint64_t> origins(const EmittedRun& run) {
  std::vector<std::uint64_t> known(run.graph.size(), 0);
  for (std::size_t rank = 0; rank < run.start.size(); ++rank) {
    known[static_cast<std::size_t>(run.start[rank])] |= std::uint64_t{1} << rank;
  }
  for (std::size_t i = 0; i < run.graph.size(); ++i) {
    for (const TaskId next : run.graph.successors(static_cast<TaskId>(i))) {
      known[static_cast<std::size_t>(next)] |= known[i];
    }
  }
  return known;
}

std::vector<CollectiveShape> shapes() {
  std::vector<CollectiveShape> out;
  for (const std::string& name : collective_names()) {
    for (int ranks = 2; ranks <= 64; ranks = ranks < 9 ? ranks + 1 : ranks * 2 - 2) {
      CollectiveShape shape;
      shape.op = parse_collective(name);
      shape.bytes = Bytes(10e6 + 12345);
      shape.group = {1, ranks};
      shape.root = ranks / 2;
      shape.servers = 1 + ranks / 3;
      out.push_back(shape);
    }
  }
  for (const auto& [machines, per_machine] : {std::pair{2, 4}, {4, 2}, {3, 8}, {8, 8}, {16, 1}}) {
    CollectiveShape shape;
    shape.bytes = Bytes(10e6 + 12345);
    shape.group = {machines, per_machine};
    out.push_back(shape);
  }
  return out;
}

// Of several machines, only algorithms that know machines are run: the others have one kind of
// link.
bool knows_machines(const std::string& name) { return name == "hierarchical" || name == "sharp"; }

void for_each_case(auto&& check) {
  const CollectiveRegistry registry = collective_registry();
  for (const std::string& name : registry.names()) {
    const auto algorithm = registry.make(name);
    int cases = 0;
    for (const CollectiveShape& shape : shapes()) {
      if (!algorithm->unsupported(shape).empty()) continue;
      if (shape.group.machines > 1 && !knows_machines(name)) continue;
      SCOPED_TRACE(name + " " + std::string(to_string(shape.op)) + " " +
                   std::to_string(shape.group.machines) + "x" +
                   std::to_string(shape.group.per_machine));
      check(name, *algorithm, shape);
      ++cases;
    }
    EXPECT_GT(cases, 0) << name;
  }
}

TEST(Collectives, MatchTheirClosedFormWhereNothingContends) {
  for_each_case([](const std::string& name, const CollectiveAlgorithm& algorithm,
                   const CollectiveShape& shape) {
    const EmittedRun result = run(algorithm, shape, name == "parameter-server");
    const SimTime closed = SimTime::from(algorithm.uncontended_time(shape, kLinks));
    EXPECT_NEAR(static_cast<double>(result.makespan.picoseconds()),
                static_cast<double>(closed.picoseconds()),
                static_cast<double>(longest_chain(result.graph)) + 1);
  });
}

TEST(Collectives, SendTheBytesTheySay) {
  for_each_case(
      [](const std::string&, const CollectiveAlgorithm& algorithm, const CollectiveShape& shape) {
        const EmittedRun result = run(algorithm, shape, false);
        EXPECT_NEAR(result.sent.si() / algorithm.total_bytes(shape).si(), 1, 1e-12);
      });
}

// A sum needs every rank's data everywhere (all-reduce), a gathered buffer likewise; a broadcast
// needs the root's, a reduction needs all at the root.
TEST(Collectives, LetEveryRankWaitForTheDataItNeeds) {
  for_each_case(
      [](const std::string&, const CollectiveAlgorithm& algorithm, const CollectiveShape& shape) {
        const EmittedRun result = run(algorithm, shape, false);
        const std::vector<std::uint64_t> known = origins(result);
        const std::uint64_t all =
            shape.ranks() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << shape.ranks()) - 1;
        ASSERT_EQ(result.done.size(), static_cast<std::size_t>(shape.ranks()));
        for (int rank = 0; rank < shape.ranks(); ++rank) {
          std::uint64_t needs = all;
          const std::uint64_t root = std::uint64_t{1} << shape.root;
          if (shape.op == CollectiveOp::kBroadcast) needs = root;
          if (shape.op == CollectiveOp::kReduce) needs = rank == shape.root ? all : 0;
          if (shape.op == CollectiveOp::kSendRecv) needs = rank == 1 ? 3 : 0;
          const auto done = static_cast<std::size_t>(result.done[static_cast<std::size_t>(rank)]);
          EXPECT_EQ(known[done] & needs, needs) << rank;
        }
      });
}

// Two rings over the same links take twice as long as one, up to the latency they overlap.
TEST(Collectives, TwoAllReducesShareTheLinks) {
  CollectiveShape shape;
  shape.bytes = Bytes(100e6);
  shape.group = {1, 8};
  const auto ring = collective_registry().make("ring");
  Platform platform;
  TestNetwork network(platform, shape, false);
  TaskGraphBuilder builder;
  std::vector<TaskId> start;
  for (int rank = 0; rank < 8; ++rank) start.push_back(builder.add(fixed_task({})));
  CollectiveEmitter emitter(builder, network, {});
  ring->emit(shape, start, emitter);
  ring->emit(shape, start, emitter);
  const TaskGraph graph = std::move(builder).build();
  const double both = schedule(graph, platform).makespan.seconds().si();
  const double one = ring->uncontended_time(shape, kLinks).si();
  EXPECT_NEAR(both / one, 2, 0.01);
}

}  // namespace
}  // namespace paceline

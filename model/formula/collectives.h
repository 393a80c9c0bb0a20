// Time of one collective over n ranks when nothing else uses the links: latency a per step, rate b
// of each rank's link and direction, message of s bytes per rank (of the whole gathered buffer for
// all-gather and reduce-scatter, as nccl-tests counts it). A step is one message from each of its
// senders; the last byte arrives a + size/b after it starts.
//
// Sources: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 2005 (ring, recursive halving and doubling, pairwise exchange, binomial trees);
// Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
// Parallel Computing 2009; Bruck et al., IEEE TPDS 1997 (dissemination all-gather). Derivations and
// where they break: docs/models/collectives.md.
#pragma once

#include <bit>

namespace paceline::formula {

// Latency per step in seconds and bytes per second of a link in one direction.
template <typename T>
struct LinkCost {
  T latency;
  T rate;
};

// One message of `bytes`.
template <typename T>
T message_time(const T& bytes, const LinkCost<T>& link) {
  return link.latency + bytes / link.rate;
}

// floor and ceiling of log2 n, n >= 1.
inline int floor_log2(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }
inline int ceil_log2(int n) { return n <= 1 ? 0 : floor_log2(n - 1) + 1; }

// n - 1 steps of s/n: reduce-scatter or all-gather round a ring, pairwise all-to-all.
template <typename T>
T ring_pass_time(int n, const T& bytes, const LinkCost<T>& link) {
  return static_cast<double>(n - 1) * message_time(T(bytes / static_cast<double>(n)), link);
}

// Reduce-scatter, then all-gather: 2 (n - 1) (a + s/(n b)).
template <typename T>
T ring_all_reduce_time(int n, const T& bytes, const LinkCost<T>& link) {
  return 2.0 * ring_pass_time(n, bytes, link);
}

// A chain of n ranks in c chunks: (n - 2 + c) (a + s/(c b)).
template <typename T>
T chain_time(int n, int chunks, const T& bytes, const LinkCost<T>& link) {
  return static_cast<double>(n - 2 + chunks) *
         message_time(T(bytes / static_cast<double>(chunks)), link);
}

// Binomial tree, whole messages: ceil(log2 n) (a + s/b) to or from the root.
template <typename T>
T binomial_tree_time(int n, const T& bytes, const LinkCost<T>& link) {
  return static_cast<double>(ceil_log2(n)) * message_time(bytes, link);
}

// Two complementary trees, each with half of the data in c chunks and half of the link, reduced to
// the roots and broadcast back at once (depth: tree_depth of binary_tree.h):
// (2 depth + c - 1) (a + s/(c b)).
template <typename T>
T double_binary_tree_time(int depth, int chunks, const T& bytes, const LinkCost<T>& link) {
  return static_cast<double>(2 * depth + chunks - 1) *
         message_time(T(bytes / static_cast<double>(chunks)), link);
}

// Reduce-scatter by halving, all-gather by doubling. With n no power of two, the n - 2^k ranks
// beyond the largest power first fold their whole vector into a partner and get the result back:
// two more steps of s.
template <typename T>
T halving_doubling_time(int n, const T& bytes, const LinkCost<T>& link) {
  const int folded = 1 << floor_log2(n);
  const double share = static_cast<double>(folded - 1) / folded;
  const T core =
      2.0 * (static_cast<double>(floor_log2(n)) * link.latency + share * bytes / link.rate);
  return folded == n ? core : T(core + 2.0 * message_time(bytes, link));
}

// Dissemination (PAT): ceil(log2 n) steps that together move (n - 1)/n of s.
template <typename T>
T dissemination_time(int n, const T& bytes, const LinkCost<T>& link) {
  return static_cast<double>(ceil_log2(n)) * link.latency +
         static_cast<double>(n - 1) / n * bytes / link.rate;
}

// Reduction inside the switch (NVLS, SHARP): every rank sends and receives s once, c chunks in
// pipeline, one hop up and one down: (c + 1) (a + s/(c b)).
template <typename T>
T switch_reduction_time(int chunks, const T& bytes, const LinkCost<T>& link) {
  return static_cast<double>(chunks + 1) *
         message_time(T(bytes / static_cast<double>(chunks)), link);
}

// g devices in each of m machines: reduce-scatter inside, ring all-reduce of s/g between machines
// (all g at once, each over its own share of the network `outer`), all-gather inside.
template <typename T>
T hierarchical_all_reduce_time(int machines, int per_machine, const T& bytes,
                               const LinkCost<T>& inner, const LinkCost<T>& outer) {
  const T inside = per_machine > 1 ? ring_all_reduce_time(per_machine, bytes, inner) : T(0.0);
  const T shard = T(bytes / static_cast<double>(per_machine));
  const T between = machines > 1 ? ring_all_reduce_time(machines, shard, outer) : T(0.0);
  return inside + between;
}

// w workers push s split over k servers, then pull the result: each way, the worker's link carries
// s and each server's w s/k, and the slower binds: 2 (a + max(s/b_w, w s/(k b_s))).
template <typename T>
T parameter_server_time(int workers, int servers, const T& bytes, const LinkCost<T>& worker,
                        const T& server_rate) {
  const T send = bytes / worker.rate;
  const T receive = static_cast<double>(workers) / servers * bytes / server_rate;
  return 2.0 * (worker.latency + (send > receive ? send : receive));
}

}  // namespace paceline::formula

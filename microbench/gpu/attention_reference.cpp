#include "microbench/gpu/attention_reference.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

double product(const AttentionMatrix& a, std::int64_t i, const AttentionMatrix& b, std::int64_t j,
               std::int64_t width) {
  double sum = 0;
  for (std::int64_t c = 0; c < width; ++c) sum += a(i, c) * b(j, c);
  return sum;
}

std::vector<double> probabilities(const AttentionRow& at, const AttentionMatrix& q,
                                  const AttentionMatrix& k) {
  std::vector<double> p;
  for (std::int64_t j = 0; j < at.keys; ++j) {
    p.push_back(at.scale * product(q, at.row, k, j, at.width));
  }
  const double largest = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& value : p) sum += value = std::exp(value - largest);
  for (double& value : p) value /= sum;
  return p;
}

// Adds `weight` times row `j` of `m`.
void add_row(std::vector<double>& to, double weight, const AttentionMatrix& m, std::int64_t j) {
  for (std::size_t c = 0; c < to.size(); ++c) {
    to[c] += weight * m(j, static_cast<std::int64_t>(c));
  }
}

}  // namespace

std::vector<double> attention_output(const AttentionRow& at, const AttentionMatrix& q,
                                     const AttentionMatrix& k, const AttentionMatrix& v) {
  const std::vector<double> p = probabilities(at, q, k);
  std::vector<double> out(static_cast<std::size_t>(at.width));
  for (std::int64_t j = 0; j < at.keys; ++j) add_row(out, p[static_cast<std::size_t>(j)], v, j);
  return out;
}

std::vector<double> attention_query_gradient(const AttentionRow& at, const AttentionMatrix& q,
                                             const AttentionMatrix& k, const AttentionMatrix& v,
                                             const AttentionMatrix& dy) {
  const std::vector<double> p = probabilities(at, q, k);
  std::vector<double> of_scores;
  double mean = 0;
  for (std::int64_t j = 0; j < at.keys; ++j) {
    of_scores.push_back(product(dy, at.row, v, j, at.width));
    mean += p[static_cast<std::size_t>(j)] * of_scores.back();
  }
  std::vector<double> out(static_cast<std::size_t>(at.width));
  for (std::int64_t j = 0; j < at.keys; ++j) {
    const auto i = static_cast<std::size_t>(j);
    add_row(out, at.scale * p[i] * (of_scores[i] - mean), k, j);
  }
  return out;
}

}  // namespace paceline

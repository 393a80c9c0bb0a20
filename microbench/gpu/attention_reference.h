// Attention and its gradients from their definition, one row of queries at a time: what results of
// a GPU are compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace paceline {

// Element `column` of the vector in row `row` of one head's queries, keys, values or gradients.
using AttentionMatrix = std::function<double(std::int64_t row, std::int64_t column)>;

struct AttentionRow {
  std::int64_t row = 0;    // of the queries
  std::int64_t keys = 0;   // that it attends to: all, or row + 1 where causal
  std::int64_t width = 0;  // of the vectors
  double scale = 1;        // of the scores
};

// sum over j of p_j V_j with p = softmax(scale q K^T): `width` values
// (Vaswani et al. 2017, equation 1).
std::vector<double> attention_output(const AttentionRow& at, const AttentionMatrix& q,
                                     const AttentionMatrix& k, const AttentionMatrix& v);

// The gradient of that row of queries, where dy is that of the outputs:
// scale times the sum over j of p_j (dy V_j - sum over l of p_l dy V_l) K_j
// (Dao et al. 2022, appendix B.2).
std::vector<double> attention_query_gradient(const AttentionRow& at, const AttentionMatrix& q,
                                             const AttentionMatrix& k, const AttentionMatrix& v,
                                             const AttentionMatrix& dy);

}  // namespace paceline

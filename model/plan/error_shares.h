// What an error consists of: which unknowns, and how much each contributes. Two predictions that
// share unknowns err together, by as much as they share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace paceline {

struct ErrorShare {
  std::size_t unknown = 0;  // its name, hashed; within one process
  double weight = 0;        // not negative
};

// Independent unknowns in the order of their numbers, each once; the squares of the weights add up
// to 1, or there are none.
class ErrorShares {
 public:
  // What each unknown contributes to ln(time): log change per standard deviation of its own.
  // Contributions of one name add up.
  void add(const std::string& unknown, double contribution);
  // Orders and scales what was added; before it nothing else may be asked.
  void finish();

  const std::vector<ErrorShare>& shares() const { return shares_; }

 private:
  std::vector<ErrorShare> shares_;
};

// Correlation of two errors, 0 to 1: the sum over unknowns that both have of the products of their
// weights.
double correlation(const ErrorShares& a, const ErrorShares& b);

}  // namespace paceline

#include "microbench/gpu/recurrent_reference.h"

#include <cmath>

namespace paceline {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

double recurrent_first_output(const std::vector<double>& of_input,
                              const std::vector<double>& of_state) {
  const auto gate = [&](std::size_t i) { return of_input.at(i) + of_state.at(i); };
  if (of_input.size() == 4) {
    const double cell = sigmoid(gate(0)) * std::tanh(gate(2));  // nothing to forget
    return sigmoid(gate(3)) * std::tanh(cell);
  }
  if (of_input.size() == 3) {
    // The reset gate scales what the state contributes to the new gate: here its bias.
    const double fresh = std::tanh(of_input.at(2) + sigmoid(gate(0)) * of_state.at(2));
    return (1 - sigmoid(gate(1))) * fresh;
  }
  return std::tanh(gate(0));
}

}  // namespace paceline

// The first output of a recurrent unit from its definition: what results of a GPU are compared
// with.
#pragma once

#include <vector>

namespace paceline {

// Output of one unit after the first step, where state and cell were zero. `of_input` are, for each
// gate, the weighted sum of the inputs and the input's bias, `of_state` the state's bias; in
// cuDNN's order (its documentation of cudnnRNNMode_t): one gate, a plain layer with tanh; three, a
// GRU with reset, update and new gate; four, an LSTM with input, forget, new and output gate.
double recurrent_first_output(const std::vector<double>& of_input,
                              const std::vector<double>& of_state);

}  // namespace paceline

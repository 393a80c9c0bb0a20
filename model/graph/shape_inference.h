// The shape of an operation's output, from its attributes and the shapes of its inputs. The rules
// are those of PyTorch's operators of the same names.
#pragma once

#include <span>
#include <string_view>

#include "model/graph/op.h"

namespace paceline {

// Throws InputError naming network, operation and shapes if they do not fit the operation.
TensorShape infer_shape(std::string_view network, std::string_view op,
                        const OpAttributes& attributes, std::span<const TensorShape* const> inputs);

}  // namespace paceline

// The shape of an operation's output, from its attributes and the shapes of its inputs. The rules
// are those of PyTorch's operators of the same names.
#pragma once

#include <span>

#include "model/graph/op.h"

namespace paceline {

// Throws InputError naming the shapes if they do not fit the operation; `where` opens the message.
TensorShape infer_shape(const std::string& where, const OpAttributes& attributes,
                        std::span<const TensorShape> inputs);

}  // namespace paceline

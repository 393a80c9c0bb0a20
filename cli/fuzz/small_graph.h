// The graph of a model that was read, where it is small: what parsers let pass must be buildable or
// refused.
#pragma once

#include "model/import/imported_model.h"

namespace paceline {

void build_small(const ImportedModel& model);

}  // namespace paceline

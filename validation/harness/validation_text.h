// Views of a validation: JSON for programs, tables for people, and the accuracy document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/table.h"
#include "validation/harness/score.h"

namespace paceline {

// {"schema", "cases": [...], "sets": [...], "skipped": [...]}.
nlohmann::ordered_json to_json(const Validation& validation);
Table case_table(const Validation& validation);
Table set_table(const Validation& validation);
// docs/accuracy.md.
std::string accuracy_document(const Validation& validation);

}  // namespace paceline
